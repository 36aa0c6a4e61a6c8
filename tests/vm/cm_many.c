// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Many connections, one after the other or so many at a time. Each has its number
 * in the private data of the request, which decides what the server does: it
 * refuses every sixteenth, and answers the others with the number's complement.
 * A connection carries a message and its echo, and the client disconnects.
 *
 * Whatever else happens, a stale connection for instance, is counted and printed,
 * and is a failure.
 *
 * Usage: cm_many server ADDRESS COUNT
 *        cm_many client ADDRESS COUNT FROM-ADDRESS AT-A-TIME
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#define PORT		7174
#define AT_ONCE		256
#define MSG_WORDS	64
#define TIMEOUT_MS	20000
/* IBA 12.6.7.2, table 108: the consumer refused */
#define REJ_CONSUMER	28

/**
 * struct conn - a connection
 * @id: rdma_cm's part; NULL while the slot is free
 * @number: of the connection
 * @buf: a message received, a message to send
 */
struct conn {
	struct rdma_cm_id *id;
	uint32_t number;
	uint32_t buf[2][MSG_WORDS];
};

static struct conn conns[AT_ONCE];
static struct rdma_event_channel *events;
static struct ibv_comp_channel *completions;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static bool server;
static uint32_t started, done, refused, echoed, bad;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static bool is_refused(uint32_t number)
{
	return number % 16 == 15;
}

static void complain(const char *what, uint32_t number, int status)
{
	if (bad++ < 20)
		printf("connection %u: %s, status %d\n", number, what, status);
}

/* The first connection says which device it is. */
static void use_device(struct ibv_context *ctx)
{
	if (pd)
		return;
	pd = ibv_alloc_pd(ctx);
	completions = ibv_create_comp_channel(ctx);
	cq = completions ? ibv_create_cq(ctx, 4 * AT_ONCE, NULL, completions, 0) :
			   NULL;
	mr = pd ? ibv_reg_mr(pd, conns, sizeof(conns), IBV_ACCESS_LOCAL_WRITE) :
		  NULL;
	if (!cq || !mr || ibv_req_notify_cq(cq, 0))
		die("verbs");
}

static void post(struct conn *c, bool send)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)c->buf[send],
		.length = sizeof(c->buf[send]),
		.lkey = mr->lkey,
	};
	struct ibv_recv_wr recv_wr = {
		.wr_id = (uintptr_t)c, .sg_list = &sge, .num_sge = 1,
	}, *bad_recv;
	struct ibv_send_wr send_wr = {
		.wr_id = (uintptr_t)c, .sg_list = &sge, .num_sge = 1,
		.opcode = IBV_WR_SEND,
	}, *bad_send;

	if (send ? ibv_post_send(c->id->qp, &send_wr, &bad_send) :
		   ibv_post_recv(c->id->qp, &recv_wr, &bad_recv))
		die(send ? "ibv_post_send" : "ibv_post_recv");
}

static void open_qp(struct conn *c)
{
	struct ibv_qp_init_attr attr = {
		.cap = {
			.max_send_wr = 2, .max_recv_wr = 2,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
	};

	use_device(c->id->verbs);
	attr.send_cq = cq;
	attr.recv_cq = cq;
	if (rdma_create_qp(c->id, pd, &attr))
		die("rdma_create_qp");
	memset(c->buf[0], 0, sizeof(c->buf[0]));
	post(c, false);
}

/* Word i of message m: both ends differ, and so do connections. */
static uint32_t word(uint32_t number, int i, bool echo)
{
	uint32_t w = number * 0x9e3779b9u + i;

	return echo ? ~w : w;
}

static void send_message(struct conn *c)
{
	int i;

	for (i = 0; i < MSG_WORDS; i++)
		c->buf[1][i] = word(c->number, i, server);
	post(c, true);
}

static void close_conn(struct conn *c)
{
	if (c->id->qp)
		rdma_destroy_qp(c->id);
	rdma_destroy_id(c->id);
	c->id = NULL;
	done++;
}

static struct conn *free_conn(void)
{
	int i;

	for (i = 0; i < AT_ONCE; i++)
		if (!conns[i].id)
			return &conns[i];
	fprintf(stderr, "more than %d connections at once\n", AT_ONCE);
	exit(2);
}

static void start(struct sockaddr *from, struct sockaddr *to)
{
	struct conn *c = free_conn();

	if (rdma_create_id(events, &c->id, c, RDMA_PS_TCP))
		die("rdma_create_id");
	c->number = started++;
	if (rdma_resolve_addr(c->id, from, to, TIMEOUT_MS))
		die("rdma_resolve_addr");
}

static void connect_request(struct rdma_cm_id *id, const struct rdma_conn_param *with)
{
	struct rdma_conn_param param = {
		.responder_resources = 1, .initiator_depth = 1,
		.rnr_retry_count = 7,
	};
	struct conn *c = free_conn();
	uint32_t number = ~0u, answer;

	if (with->private_data_len >= sizeof(number))
		memcpy(&number, with->private_data, sizeof(number));
	answer = ~number;
	param.private_data = &answer;
	param.private_data_len = sizeof(answer);
	c->id = id;
	id->context = c;
	c->number = number;
	started++;
	if (is_refused(number)) {
		if (rdma_reject(id, &answer, sizeof(answer)))
			complain("rdma_reject", number, -1);
		refused++;
		return;
	}
	open_qp(c);
	if (rdma_accept(id, &param))
		complain("rdma_accept", number, -1);
}

static void connect_to(struct conn *c)
{
	struct rdma_conn_param param = {
		.private_data = &c->number,
		.private_data_len = sizeof(c->number),
		.responder_resources = 1, .initiator_depth = 1,
		.retry_count = 7, .rnr_retry_count = 7,
	};

	open_qp(c);
	if (rdma_connect(c->id, &param))
		die("rdma_connect");
}

static void check_answer(struct conn *c, const struct rdma_conn_param *with)
{
	uint32_t answer = 0;

	if (with->private_data_len >= sizeof(answer))
		memcpy(&answer, with->private_data, sizeof(answer));
	if (answer != ~c->number)
		complain("wrong private data", c->number, answer);
}

static void one_event(void)
{
	struct rdma_cm_event *ev;
	struct conn *c;
	bool over = false;

	if (rdma_get_cm_event(events, &ev))
		die("rdma_get_cm_event");
	c = ev->id->context;
	switch (ev->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		connect_request(ev->id, &ev->param.conn);
		c = ev->id->context;
		over = is_refused(c->number);
		break;
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		if (rdma_resolve_route(c->id, TIMEOUT_MS))
			die("rdma_resolve_route");
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		connect_to(c);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (server)
			break;
		check_answer(c, &ev->param.conn);
		if (is_refused(c->number))
			complain("was not refused", c->number, 0);
		send_message(c);
		break;
	case RDMA_CM_EVENT_REJECTED:
		over = true;
		if (ev->status == REJ_CONSUMER && is_refused(c->number)) {
			check_answer(c, &ev->param.conn);
			refused++;
			break;
		}
		complain(rdma_event_str(ev->event), c->number, ev->status);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		if (server)
			rdma_disconnect(c->id);
		over = true;
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		complain(rdma_event_str(ev->event), c ? c->number : ~0u,
			 ev->status);
		over = !!c;
	}
	rdma_ack_cm_event(ev);
	if (over)
		close_conn(c);
}

static void received(struct conn *c)
{
	int i, wrong = 0;

	for (i = 0; i < MSG_WORDS; i++)
		wrong += c->buf[0][i] != word(c->number, i, !server);
	if (wrong)
		complain("wrong words in a message", c->number, wrong);
	else
		echoed++;
	if (server)
		send_message(c);
	else if (rdma_disconnect(c->id))
		complain("rdma_disconnect", c->number, -1);
}

static void all_completions(void)
{
	struct ibv_cq *ev_cq;
	struct ibv_wc wc;
	void *ctx;

	if (ibv_get_cq_event(completions, &ev_cq, &ctx))
		die("ibv_get_cq_event");
	ibv_ack_cq_events(ev_cq, 1);
	if (ibv_req_notify_cq(cq, 0))
		die("ibv_req_notify_cq");
	while (ibv_poll_cq(cq, 1, &wc) > 0) {
		struct conn *c = (struct conn *)(uintptr_t)wc.wr_id;

		if (wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_RECV)
			received(c);
		else if (wc.status != IBV_WC_SUCCESS &&
			 wc.status != IBV_WC_WR_FLUSH_ERR)
			complain(ibv_wc_status_str(wc.status), c->number,
				 wc.status);
	}
}

/* Until something has happened. */
static void wait_for_more(void)
{
	struct pollfd fds[2] = {
		{ .fd = events->fd, .events = POLLIN },
		{ .fd = completions ? completions->fd : -1, .events = POLLIN },
	};

	if (poll(fds, 2, 10 * TIMEOUT_MS) <= 0)
		die("nothing happens");
	/* Data first: it was sent before the connection was closed. */
	if (fds[1].revents)
		all_completions();
	else if (fds[0].revents)
		one_event();
}

static struct sockaddr_in address(const char *text, uint16_t port)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET, .sin_port = htons(port),
	};

	if (inet_pton(AF_INET, text, &sin.sin_addr) != 1) {
		fprintf(stderr, "not an address: %s\n", text);
		exit(2);
	}
	return sin;
}

int main(int argc, char **argv)
{
	struct rdma_cm_id *listener = NULL;
	struct sockaddr_in to, from;
	uint32_t count, at_a_time;

	server = argc == 4 && !strcmp(argv[1], "server");
	if (!server && (argc != 6 || strcmp(argv[1], "client")))
		return 2;
	count = strtoul(argv[3], NULL, 0);
	to = address(argv[2], PORT);
	events = rdma_create_event_channel();
	if (!events)
		die("rdma_create_event_channel");
	if (server) {
		if (rdma_create_id(events, &listener, NULL, RDMA_PS_TCP) ||
		    rdma_bind_addr(listener, (struct sockaddr *)&to) ||
		    rdma_listen(listener, AT_ONCE))
			die("listen");
		use_device(listener->verbs);
		puts("listening");
		fflush(stdout);
		while (done < count)
			wait_for_more();
		rdma_destroy_id(listener);
	} else {
		from = address(argv[4], 0);
		at_a_time = strtoul(argv[5], NULL, 0);
		while (done < count) {
			while (started < count && started - done < at_a_time)
				start((struct sockaddr *)&from,
				      (struct sockaddr *)&to);
			wait_for_more();
		}
	}
	ibv_dereg_mr(mr);
	ibv_destroy_cq(cq);
	ibv_destroy_comp_channel(completions);
	ibv_dealloc_pd(pd);
	rdma_destroy_event_channel(events);
	printf("%u connections, %u refused, %u messages right, %u bad\n",
	       done, refused, echoed, bad);
	return bad || done != count || echoed != count - refused ||
	       refused != count / 16;
}
