// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Connections: found, made by a handshake over UD, failed and made again. */
#include <arpa/inet.h>
#include <sys/timerfd.h>

#include "suo_fi.h"

#define HOP_LIMIT	64
#define NSEC_PER_MSEC	1000000ull
#define NSEC_PER_SEC	1000000000ull
#define MAX_BACKOFF	16

struct suo_conn *suo_conn_find(struct suo_ep *ep, const struct suo_addr *addr)
{
	struct suo_conn *conn = ep->by_addr[suo_addr_hash(addr) % SUO_HASH_SIZE];

	while (conn && !suo_addr_equal(&conn->addr, addr))
		conn = conn->by_addr;
	return conn;
}

struct suo_conn *suo_conn_get(struct suo_ep *ep, const struct suo_addr *addr)
{
	struct suo_conn *conn = suo_conn_find(ep, addr);
	struct suo_conn **head;

	if (conn)
		return conn;
	conn = calloc(1, sizeof(*conn));
	if (!conn)
		return NULL;
	conn->ep = ep;
	conn->addr = *addr;
	conn->fi_addr = FI_ADDR_NOTAVAIL;
	suo_list_init(&conn->timer);
	suo_list_init(&conn->pending);
	suo_list_init(&conn->kick);
	suo_list_init(&conn->rts);
	suo_list_init(&conn->reads);
	head = &ep->by_addr[suo_addr_hash(addr) % SUO_HASH_SIZE];
	conn->by_addr = *head;
	*head = conn;
	return conn;
}

struct suo_conn *suo_conn_by_fi_addr(struct suo_ep *ep, fi_addr_t fi_addr)
{
	const struct suo_addr *addr = suo_av_addr(ep->av, fi_addr);
	struct suo_conn *conn = addr ? suo_conn_get(ep, addr) : NULL;

	if (conn)
		conn->fi_addr = fi_addr;
	return conn;
}

struct suo_conn *suo_conn_by_qpn(struct suo_ep *ep, uint32_t qpn)
{
	struct suo_conn *conn = ep->by_qpn[qpn % SUO_HASH_SIZE];

	while (conn && conn->qp->qp_num != qpn)
		conn = conn->by_qpn;
	return conn;
}

fi_addr_t suo_conn_fi_addr(struct suo_conn *conn)
{
	/* A peer that connected first may have been inserted since; and one
	 * that is known may have been removed.
	 */
	const struct suo_addr *addr = suo_av_addr(conn->ep->av, conn->fi_addr);

	if (!addr || !suo_addr_equal(addr, &conn->addr))
		conn->fi_addr = suo_av_find(conn->ep->av, &conn->addr);
	return conn->fi_addr;
}

static int create_ah(struct suo_conn *conn)
{
	const struct suo_dev *dev = &conn->ep->domain->dev;
	struct ibv_ah_attr attr = {
		.is_global	= 1,
		.port_num	= 1,
		.grh		= {
			.sgid_index	= dev->gid_index,
			.hop_limit	= HOP_LIMIT,
			.traffic_class	= suo_tune.traffic_class,
		},
	};

	memcpy(attr.grh.dgid.raw, conn->addr.gid, sizeof(conn->addr.gid));
	conn->ah = ibv_create_ah(conn->ep->domain->pd, &attr);
	return conn->ah ? 0 : -errno;
}

static int send_datagram(struct suo_conn *conn, enum suo_hs_type type)
{
	struct suo_ep *ep = conn->ep;
	struct ibv_send_wr *bad, wr = {
		.num_sge	= 1,
		.opcode		= IBV_WR_SEND,
		.send_flags	= IBV_SEND_SIGNALED,
	};
	struct suo_hs_msg *msg;
	struct suo_buf *buf;
	struct ibv_sge sge;

	if (!conn->ah) {
		int err = create_ah(conn);

		if (err)
			return err;
	}
	/* Without a buffer it is as good as lost: the timer sends it again. */
	buf = suo_slab_get(&ep->ud_tx);
	if (!buf)
		return 0;

	msg = (struct suo_hs_msg *)buf->data;
	msg->magic = htonl(SUO_WIRE_MAGIC);
	msg->type = type;
	msg->version = SUO_WIRE_VERSION;
	msg->mtu = ep->domain->dev.port.active_mtu;
	msg->rd_atomic = ep->max_rd_atomic;
	msg->src = ep->addr;
	msg->gen = htonl(conn->hs.gen);
	msg->peer_gen = htonl(conn->hs.peer_gen);
	msg->qpn = htonl(conn->qp->qp_num);
	msg->psn = htonl(conn->psn);

	sge.addr = (uintptr_t)buf->data;
	sge.length = sizeof(*msg);
	sge.lkey = buf->lkey;
	wr.sg_list = &sge;
	wr.wr_id = suo_wr_id(buf, SUO_WR_UD_TX);
	wr.wr.ud.ah = conn->ah;
	wr.wr.ud.remote_qpn = ntohl(conn->addr.qpn);
	wr.wr.ud.remote_qkey = ntohl(conn->addr.qkey);
	if (ibv_post_send(ep->ud, &wr, &bad))
		suo_slab_put(&ep->ud_tx, buf);
	return 0;
}

/* Doubles with each try. */
static void start_timer(struct suo_conn *conn, int first_ms)
{
	int shift = conn->tries < MAX_BACKOFF ? conn->tries : MAX_BACKOFF;
	struct suo_ep *ep = conn->ep;

	conn->deadline_ns = suo_now_ns() + ((uint64_t)first_ms << shift) * NSEC_PER_MSEC;
	conn->tries++;
	suo_list_del(&conn->timer);
	suo_list_add_tail(&conn->timer, &ep->timers);
	if (!ep->timer_ns || conn->deadline_ns < ep->timer_ns)
		ep->timer_new = true;
}

/* The order is that of struct suo_hs_todo. */
static void apply(struct suo_conn *conn, const struct suo_hs_todo *todo,
		  const struct suo_hs_msg *msg)
{
	int err = 0;

	if (todo->reset)
		suo_connqp_destroy(conn);
	if (todo->create)
		err = suo_connqp_create(conn);
	if (!err && todo->bring_up)
		err = suo_connqp_up(conn, msg);
	if (!err && todo->send != SUO_HS_NONE)
		err = send_datagram(conn, todo->send);
	if (err) {
		suo_warn(EP_CTRL, "cannot connect: %s\n", strerror(-err));
		suo_conn_fail(conn, -err, 0);
		return;
	}
	if (todo->rearm) {
		conn->tries = 0;
		start_timer(conn, suo_tune.connect_ms);
	}
	if (todo->ready) {
		suo_list_del(&conn->timer);
		if (conn->owed)
			suo_conn_watch(conn);
		suo_coll_conn_ready(conn);
		if (!suo_list_empty(&conn->pending) && suo_list_empty(&conn->kick))
			suo_list_add_tail(&conn->kick, &conn->ep->kicks);
		suo_tx_kick(conn->ep);
	}
}

void suo_conn_connect(struct suo_conn *conn)
{
	struct suo_hs_todo todo;

	suo_hs_connect(&conn->hs, &conn->ep->next_gen, &todo);
	apply(conn, &todo, NULL);
}

void suo_conn_data(struct suo_conn *conn)
{
	struct suo_hs_todo todo;

	if (conn->hs.state == SUO_HS_READY || conn->dying)
		return;
	suo_hs_data(&conn->hs, &todo);
	apply(conn, &todo, NULL);
}

static bool datagram_valid(const struct suo_hs_msg *msg, size_t len)
{
	if (len != sizeof(*msg) || msg->magic != htonl(SUO_WIRE_MAGIC))
		return false;
	if (msg->version != SUO_WIRE_VERSION) {
		suo_warn(EP_CTRL, "a peer speaks version %d, this is %d\n",
			 msg->version, SUO_WIRE_VERSION);
		return false;
	}
	return msg->mtu >= IBV_MTU_256 && msg->mtu <= IBV_MTU_4096 && msg->gen;
}

void suo_conn_datagram(struct suo_ep *ep, const void *data, size_t len)
{
	const struct suo_hs_msg *msg = data;
	struct suo_hs_todo todo;
	struct suo_conn *conn;

	if (!datagram_valid(msg, len))
		return;
	if (msg->type == SUO_HS_REQ)
		conn = suo_conn_get(ep, &msg->src);
	else
		conn = suo_conn_find(ep, &msg->src);
	/* While the old queue pair is being emptied its successor has to wait:
	 * the peer will ask again.
	 */
	if (!conn || conn->dying)
		return;
	if (suo_hs_supersedes(&conn->hs, ntohl(msg->gen))) {
		suo_conn_fail(conn, FI_ECONNRESET, 0);
		if (conn->dying)
			return;
	}
	suo_hs_message(&conn->hs, &ep->next_gen, msg->type, ntohl(msg->gen),
		       ntohl(msg->peer_gen), &todo);
	apply(conn, &todo, msg);
}

static void set_timer(struct suo_ep *ep)
{
	struct itimerspec spec = { 0 };
	uint64_t first = 0;
	struct suo_list *pos;

	suo_list_for_each(pos, &ep->timers) {
		struct suo_conn *conn = suo_entry(pos, struct suo_conn, timer);

		if (!first || conn->deadline_ns < first)
			first = conn->deadline_ns;
	}
	if (first == ep->timer_ns)
		return;
	spec.it_value.tv_sec = first / NSEC_PER_SEC;
	spec.it_value.tv_nsec = first % NSEC_PER_SEC;
	/* This also takes back an expiry that somebody would still see. */
	if (!timerfd_settime(ep->timerfd, TFD_TIMER_ABSTIME, &spec, NULL))
		ep->timer_ns = first;
}

/**
 * suo_conn_watch() - the peer owes an answer
 * @conn: the connection, ready
 *
 * Nothing that is on its way would tell if the peer went away now. So it is
 * probed from time to time, less and less often: it is found dead after about
 * twice the time that was waited for it already.
 */
void suo_conn_watch(struct suo_conn *conn)
{
	if (!suo_tune.keepalive_ms || !suo_list_empty(&conn->timer))
		return;
	conn->tries = 0;
	start_timer(conn, suo_tune.keepalive_ms);
}

/* An empty write, which the peer's device acknowledges without anybody's help. */
static void probe(struct suo_conn *conn)
{
	struct suo_txreq *req;

	if (suo_list_empty(&conn->rts) && !conn->owed) {
		suo_list_del(&conn->timer);
		return;
	}
	start_timer(conn, suo_tune.keepalive_ms);
	if (conn->outstanding)
		return;
	req = suo_tx_get(conn->ep, conn, false);
	if (!req)
		return;
	req->wr.opcode = IBV_WR_RDMA_WRITE;
	suo_tx_submit(req);
}

void suo_conn_timers(struct suo_ep *ep)
{
	struct suo_list *pos, *tmp;
	uint64_t now;

	if (suo_list_empty(&ep->timers) && !ep->timer_ns)
		return;
	now = suo_now_ns();
	if (now < ep->timer_ns && !ep->timer_new)
		return;
	ep->timer_new = false;
	suo_list_for_each_safe(pos, tmp, &ep->timers) {
		struct suo_conn *conn = suo_entry(pos, struct suo_conn, timer);
		struct suo_hs_todo todo;

		if (now < conn->deadline_ns)
			continue;
		if (conn->hs.state == SUO_HS_READY) {
			probe(conn);
			continue;
		}
		if (conn->tries >= suo_tune.connect_tries) {
			suo_conn_fail(conn, FI_EHOSTUNREACH, 0);
			continue;
		}
		start_timer(conn, suo_tune.connect_ms);
		suo_hs_timeout(&conn->hs, &todo);
		apply(conn, &todo, NULL);
	}
	set_timer(ep);
}

void suo_conn_fail(struct suo_conn *conn, int err, int prov_errno)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct suo_list failed, *node, *tmp;

	if (conn->dying)
		return;
	conn->dying = true;
	suo_list_del(&conn->timer);
	suo_list_del(&conn->kick);
	if (conn->qp && ibv_modify_qp(conn->qp, &attr, IBV_QP_STATE))
		suo_warn(EP_CTRL, "cannot stop a queue pair: %s\n", strerror(errno));

	suo_rx_forget(conn);
	suo_coll_conn_failed(conn, err);

	/* What is on the queue pair comes back flushed. The rest ends here;
	 * it is taken off first, for an ending request may start another.
	 */
	suo_list_init(&failed);
	suo_list_for_each_safe(node, tmp, &conn->rts) {
		struct suo_txreq *req = suo_entry(node, struct suo_txreq, link);

		if (req->sent) {
			suo_list_del(node);
			suo_list_add_tail(node, &failed);
		}
	}
	while ((node = suo_list_pop(&conn->pending)))
		suo_list_add_tail(node, &failed);
	while ((node = suo_list_pop(&failed)))
		suo_tx_done(suo_entry(node, struct suo_txreq, link), err, prov_errno);
	suo_conn_settle(conn);
}

void suo_conn_settle(struct suo_conn *conn)
{
	if (!conn->dying || conn->outstanding)
		return;
	suo_connqp_destroy(conn);
	conn->hs.state = SUO_HS_IDLE;
	conn->dying = false;
	if (!suo_list_empty(&conn->pending))
		suo_conn_connect(conn);
}

void suo_conns_destroy(struct suo_ep *ep)
{
	for (int i = 0; i < SUO_HASH_SIZE; i++) {
		while (ep->by_addr[i]) {
			struct suo_conn *conn = ep->by_addr[i];

			ep->by_addr[i] = conn->by_addr;
			suo_connqp_destroy(conn);
			if (conn->ah)
				ibv_destroy_ah(conn->ah);
			free(conn);
		}
	}
}
