// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The RC queue pair of a connection. */
#include <arpa/inet.h>
#include <sys/random.h>

#include "suo_fi.h"

#define INLINE_SIZE	128	/* asked for; a device may give none */
#define RETRY_CNT	7
#define RNR_FOREVER	7	/* a receiver without buffers only delays */
#define MIN_RNR_TIMER	2	/* 20 us */
#define HOP_LIMIT	64
#define PSN_MASK	0xffffff

static struct ibv_qp *create(struct suo_ep *ep, uint32_t max_inline)
{
	struct ibv_qp_init_attr init = {
		.send_cq	= ep->vcq,
		.recv_cq	= ep->vcq,
		.srq		= ep->srq,
		.cap		= {
			.max_send_wr		= SUO_SQ_DEPTH,
			.max_send_sge		= SUO_IOV_MAX + 1,
			.max_inline_data	= max_inline,
		},
		.qp_type	= IBV_QPT_RC,
	};

	return ibv_create_qp(ep->domain->pd, &init);
}

static int to_init(struct suo_conn *conn)
{
	struct ibv_qp_attr attr = {
		.qp_state		= IBV_QPS_INIT,
		.port_num		= 1,
		.qp_access_flags	= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
					  IBV_ACCESS_REMOTE_ATOMIC,
	};

	return -ibv_modify_qp(conn->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			      IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

int suo_connqp_create(struct suo_conn *conn)
{
	struct suo_ep *ep = conn->ep;
	struct suo_conn **head;
	int err;

	if (getrandom(&conn->psn, sizeof(conn->psn), 0) != sizeof(conn->psn))
		return -errno;
	conn->psn &= PSN_MASK;
	conn->max_inline = INLINE_SIZE;
	conn->qp = create(ep, INLINE_SIZE);
	if (!conn->qp) {
		conn->max_inline = 0;
		conn->qp = create(ep, 0);
	}
	if (!conn->qp)
		return -errno;
	err = to_init(conn);
	if (err) {
		ibv_destroy_qp(conn->qp);
		conn->qp = NULL;
		return err;
	}
	head = &ep->by_qpn[conn->qp->qp_num % SUO_HASH_SIZE];
	conn->by_qpn = *head;
	*head = conn;
	return 0;
}

int suo_connqp_up(struct suo_conn *conn, const struct suo_hs_msg *msg)
{
	const struct suo_dev *dev = &conn->ep->domain->dev;
	struct ibv_qp_attr attr = {
		.qp_state		= IBV_QPS_RTR,
		.path_mtu		= dev->port.active_mtu,
		.dest_qp_num		= ntohl(msg->qpn),
		.rq_psn			= ntohl(msg->psn) & PSN_MASK,
		.max_dest_rd_atomic	= conn->ep->max_rd_atomic,
		.min_rnr_timer		= MIN_RNR_TIMER,
		.ah_attr		= {
			.is_global	= 1,
			.port_num	= 1,
			.grh		= {
				.sgid_index	= dev->gid_index,
				.hop_limit	= HOP_LIMIT,
				.traffic_class	= suo_tune.traffic_class,
			},
		},
	};
	int err;

	if (msg->mtu < attr.path_mtu)
		attr.path_mtu = msg->mtu;
	memcpy(attr.ah_attr.grh.dgid.raw, conn->addr.gid, sizeof(conn->addr.gid));
	err = ibv_modify_qp(conn->qp, &attr, IBV_QP_STATE | IBV_QP_AV |
			    IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (err)
		return -err;

	memset(&attr, 0, sizeof(attr));
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = suo_tune.qp_timeout;
	attr.retry_cnt = RETRY_CNT;
	attr.rnr_retry = RNR_FOREVER;
	attr.sq_psn = conn->psn;
	attr.max_rd_atomic = msg->rd_atomic;
	if (attr.max_rd_atomic > dev->attr.max_qp_init_rd_atom)
		attr.max_rd_atomic = dev->attr.max_qp_init_rd_atom;
	return -ibv_modify_qp(conn->qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT |
			      IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			      IBV_QP_MAX_QP_RD_ATOMIC);
}

void suo_connqp_destroy(struct suo_conn *conn)
{
	struct suo_conn **link;

	if (!conn->qp)
		return;
	link = &conn->ep->by_qpn[conn->qp->qp_num % SUO_HASH_SIZE];
	while (*link != conn)
		link = &(*link)->by_qpn;
	*link = conn->by_qpn;
	if (ibv_destroy_qp(conn->qp))
		suo_warn(EP_CTRL, "cannot destroy a queue pair: %s\n", strerror(errno));
	conn->qp = NULL;
}
