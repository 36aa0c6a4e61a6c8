// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The verbs objects of an endpoint: made when it is enabled. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "suo_fi.h"

#define GRH_SIZE	40
#define MAX_RD_ATOMIC	16

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

static int create_cq(struct suo_ep *ep)
{
	const struct suo_dev *dev = &ep->domain->dev;
	int fixed = suo_tune.rx_buffers + 2 * SUO_UD_BUFS;
	int cqe = min_int(fixed + SUO_CQ_TX_ROOM, dev->attr.max_cqe);
	int err;

	if (cqe < fixed + SUO_SQ_DEPTH) {
		suo_warn(EP_CTRL, "%s: %d completion entries are too few for %d receive buffers\n",
			 dev->name, dev->attr.max_cqe, suo_tune.rx_buffers);
		return -FI_ENOSPC;
	}
	ep->tx_room = cqe - fixed;
	ep->chan = ibv_create_comp_channel(dev->ctx);
	if (!ep->chan)
		return -errno;
	if (fcntl(ep->chan->fd, F_SETFL, fcntl(ep->chan->fd, F_GETFL) | O_NONBLOCK)) {
		err = -errno;
		goto cq;
	}
	ep->vcq = ibv_create_cq(dev->ctx, cqe, NULL, ep->chan, 0);
	if (!ep->vcq) {
		err = -errno;
		goto cq;
	}
	ep->armed = false;
	return 0;

cq:
	ibv_destroy_comp_channel(ep->chan);
	ep->chan = NULL;
	return err;
}

static void post_rx(struct suo_ep *ep, struct suo_buf *buf, size_t size)
{
	struct ibv_sge sge = { (uintptr_t)buf->data, size, buf->lkey };
	struct ibv_recv_wr wr = {
		.wr_id		= suo_wr_id(buf, SUO_WR_RX),
		.sg_list	= &sge,
		.num_sge	= 1,
	};
	struct ibv_recv_wr *bad;

	if (ibv_post_srq_recv(ep->srq, &wr, &bad))
		suo_list_add_tail(&buf->link, &ep->refill);
}

/* Bytes of payload that each receive buffer has room for. */
size_t suo_rx_room(void)
{
	size_t eager = suo_tune.eager_size;

	return eager > SUO_INJECT_SIZE ? eager : SUO_INJECT_SIZE;
}

static size_t rx_size(void)
{
	return SUO_HDR_MAX + suo_rx_room();
}

void suo_refill(struct suo_ep *ep)
{
	struct suo_list todo, *node;

	/* What cannot be posted goes back to the list: take it all first. */
	suo_list_init(&todo);
	while ((node = suo_list_pop(&ep->refill)))
		suo_list_add_tail(node, &todo);
	while ((node = suo_list_pop(&todo)))
		post_rx(ep, suo_entry(node, struct suo_buf, link), rx_size());
}

static int create_srq(struct suo_ep *ep)
{
	const struct ibv_device_attr *attr = &ep->domain->dev.attr;
	int count = min_int(suo_tune.rx_buffers, attr->max_srq_wr);
	struct ibv_srq_init_attr init = { .attr = { .max_wr = count, .max_sge = 1 } };
	struct suo_buf *buf;
	int err;

	if (count <= 0)
		return -FI_ENOSYS;
	ep->srq = ibv_create_srq(ep->domain->pd, &init);
	if (!ep->srq)
		return -errno;
	err = suo_slab_create(&ep->rx_slab, ep, count, rx_size(), IBV_ACCESS_LOCAL_WRITE);
	if (err) {
		ibv_destroy_srq(ep->srq);
		ep->srq = NULL;
		return err;
	}
	while ((buf = suo_slab_get(&ep->rx_slab)))
		suo_list_add_tail(&buf->link, &ep->refill);
	suo_refill(ep);
	return 0;
}

void suo_ud_repost(struct suo_ep *ep, struct suo_buf *buf)
{
	struct ibv_sge sge = { (uintptr_t)buf->data, GRH_SIZE + sizeof(struct suo_hs_msg), buf->lkey };
	struct ibv_recv_wr wr = {
		.wr_id		= suo_wr_id(buf, SUO_WR_UD_RX),
		.sg_list	= &sge,
		.num_sge	= 1,
	};
	struct ibv_recv_wr *bad;

	/* A buffer less only makes the loss of a datagram likelier. */
	if (ibv_post_recv(ep->ud, &wr, &bad))
		suo_warn(EP_CTRL, "cannot post a datagram buffer\n");
}

static int ud_to_rts(struct suo_ep *ep)
{
	struct ibv_qp_attr attr = {
		.qp_state	= IBV_QPS_INIT,
		.port_num	= 1,
		.qkey		= ntohl(ep->addr.qkey),
	};
	int err;

	err = ibv_modify_qp(ep->ud, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			    IBV_QP_PORT | IBV_QP_QKEY);
	if (err)
		return -err;
	attr.qp_state = IBV_QPS_RTR;
	err = ibv_modify_qp(ep->ud, &attr, IBV_QP_STATE);
	if (err)
		return -err;
	attr.qp_state = IBV_QPS_RTS;
	return -ibv_modify_qp(ep->ud, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

static int create_ud(struct suo_ep *ep)
{
	struct ibv_qp_init_attr init = {
		.send_cq	= ep->vcq,
		.recv_cq	= ep->vcq,
		.cap		= {
			.max_send_wr	= SUO_UD_BUFS,
			.max_recv_wr	= SUO_UD_BUFS,
			.max_send_sge	= 1,
			.max_recv_sge	= 1,
		},
		.qp_type	= IBV_QPT_UD,
		.sq_sig_all	= 1,
	};
	struct suo_buf *buf;
	uint32_t qkey;
	int err;

	if (getrandom(&qkey, sizeof(qkey), 0) != sizeof(qkey))
		return -errno;
	/* The high bit is for keys that only a privileged process may use. */
	ep->addr.qkey = htonl(qkey & 0x7fffffff);
	memcpy(ep->addr.gid, ep->domain->dev.gid.raw, sizeof(ep->addr.gid));

	ep->ud = ibv_create_qp(ep->domain->pd, &init);
	if (!ep->ud)
		return -errno;
	ep->addr.qpn = htonl(ep->ud->qp_num);
	err = ud_to_rts(ep);
	if (err)
		goto qp;
	err = suo_slab_create(&ep->ud_tx, ep, SUO_UD_BUFS, sizeof(struct suo_hs_msg), 0);
	if (err)
		goto qp;
	err = suo_slab_create(&ep->ud_rx, ep, SUO_UD_BUFS,
			      GRH_SIZE + sizeof(struct suo_hs_msg), IBV_ACCESS_LOCAL_WRITE);
	if (err)
		goto rx;
	while ((buf = suo_slab_get(&ep->ud_rx)))
		suo_ud_repost(ep, buf);
	return 0;

rx:
	suo_slab_destroy(&ep->ud_tx);
qp:
	ibv_destroy_qp(ep->ud);
	ep->ud = NULL;
	return err;
}

int suo_epres_create(struct suo_ep *ep)
{
	int err;

	ep->max_rd_atomic = min_int(ep->domain->dev.attr.max_qp_rd_atom, MAX_RD_ATOMIC);
	ep->timerfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (ep->timerfd < 0)
		return -errno;
	err = create_cq(ep);
	if (err)
		goto cq;
	err = create_srq(ep);
	if (err)
		goto srq;
	err = create_ud(ep);
	if (err)
		goto ud;
	if (suo_addr_is_service(&ep->name)) {
		err = suo_service_start(ep, &ep->name);
		if (err)
			goto service;
	}
	return 0;

service:
	ibv_destroy_qp(ep->ud);
	suo_slab_destroy(&ep->ud_rx);
	suo_slab_destroy(&ep->ud_tx);
ud:
	ibv_destroy_srq(ep->srq);
	suo_slab_destroy(&ep->rx_slab);
srq:
	ibv_destroy_cq(ep->vcq);
	ibv_destroy_comp_channel(ep->chan);
cq:
	close(ep->timerfd);
	return err;
}

void suo_epres_destroy(struct suo_ep *ep)
{
	suo_service_stop(ep);
	ibv_destroy_qp(ep->ud);
	suo_slab_destroy(&ep->ud_rx);
	suo_slab_destroy(&ep->ud_tx);
	ibv_destroy_srq(ep->srq);
	suo_slab_destroy(&ep->rx_slab);
	suo_slab_destroy(&ep->bounce);
	ibv_destroy_cq(ep->vcq);
	ibv_destroy_comp_channel(ep->chan);
	close(ep->timerfd);
}
