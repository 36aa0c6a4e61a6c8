/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects of the libfabric provider and what its files offer each other.
 *
 * Locking: one mutex a domain. Entry points take it; every function declared
 * here below "Under the domain's lock" expects it held.
 *
 * Progress is made by whoever reads a completion queue or counter: it polls
 * the verbs CQ of each endpoint bound to it.
 */
#ifndef SUO_FI_H
#define SUO_FI_H

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>

#include "amo.h"
#include "coll_ep.h"
#include "transfer.h"
#include "wait.h"

#define SUO_PROV_NAME		"suo"
#define SUO_PROV_VERSION	FI_VERSION(1, 0)

/* Limits. */
#define SUO_TX_SIZE		512	/* requests an application may have */
#define SUO_RX_SIZE		4096
#define SUO_SQ_DEPTH		128	/* work requests a queue pair */
#define SUO_CQ_TX_ROOM		4096	/* work requests an endpoint */
#define SUO_UD_BUFS		64
#define SUO_HASH_SIZE		1024
#define SUO_CQ_DATA_SIZE	4

#define SUO_TX_CAPS	(FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_COLLECTIVE | \
			 FI_SEND | FI_READ | FI_WRITE)
#define SUO_RX_CAPS	(FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_COLLECTIVE | FI_RECV | \
			 FI_REMOTE_READ | FI_REMOTE_WRITE | FI_DIRECTED_RECV | \
			 FI_SOURCE | FI_MULTI_RECV)
#define SUO_DOM_CAPS	(FI_LOCAL_COMM | FI_REMOTE_COMM)
#define SUO_CAPS	(SUO_TX_CAPS | SUO_RX_CAPS | SUO_DOM_CAPS)
#define SUO_TX_FLAGS	(FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | \
			 FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE | \
			 FI_REMOTE_CQ_DATA | FI_MORE)
#define SUO_RX_FLAGS	(FI_COMPLETION | FI_MORE | FI_MULTI_RECV)
/* What always holds, and what holds if it is asked for. */
#define SUO_ORDER_FREE	(FI_ORDER_SAS | FI_ORDER_SAW | FI_ORDER_RMA_RAW | \
			 FI_ORDER_RMA_RAR | FI_ORDER_RMA_WAW)
#define SUO_ORDER_ATOMIC (FI_ORDER_ATOMIC_RAR | FI_ORDER_ATOMIC_RAW | \
			  FI_ORDER_ATOMIC_WAR | FI_ORDER_ATOMIC_WAW)
#define SUO_ORDER_WAR	(FI_ORDER_WAR | FI_ORDER_RMA_WAR | FI_ORDER_SAR)
/* Orders for which the device's operations wait for those of the processor. */
#define SUO_ORDER_HELD	(SUO_ORDER_ATOMIC | FI_ORDER_RAR | FI_ORDER_RAW | \
			 FI_ORDER_WAR | FI_ORDER_WAW)
#define SUO_ORDER	(SUO_ORDER_FREE | SUO_ORDER_ATOMIC | SUO_ORDER_WAR | \
			 FI_ORDER_RAR | FI_ORDER_RAW | FI_ORDER_WAW)
#define SUO_MR_MODE	(FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY)
#define SUO_MR_BASIC	(FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY)

struct suo_service;

extern struct fi_provider suo_prov;

#define suo_warn(subsys, ...)	FI_WARN(&suo_prov, FI_LOG_##subsys, __VA_ARGS__)
#define suo_info(subsys, ...)	FI_INFO(&suo_prov, FI_LOG_##subsys, __VA_ARGS__)

/**
 * struct suo_tune - the FI_SUO_* variables
 * @iface: devices to offer, separated by commas; NULL: the suo devices
 * @gid_index: -1: the first RoCE v2 GID, preferably of an IPv4 address
 * @eager_size: largest payload sent along with its header, bytes
 * @rx_buffers: receive buffers an endpoint
 * @traffic_class: of the queue pairs
 * @qp_timeout: local ACK timeout, 4.096 us * 2^n
 * @connect_ms: first retransmission of a handshake message; doubles each time
 * @connect_tries: how often it is sent
 * @keepalive_ms: after how long without an answer a peer is probed; 0: never
 * @close_ms: how long fi_close() waits for what is under way
 * @coll_algo: algorithm of collectives, or NULL
 * @cluster: file with the cluster's figures, or NULL
 */
struct suo_tune {
	char	*iface;
	int	gid_index;
	int	eager_size;
	int	rx_buffers;
	int	traffic_class;
	int	qp_timeout;
	int	connect_ms;
	int	connect_tries;
	int	keepalive_ms;
	int	close_ms;
	char	*coll_algo;
	char	*cluster;
};

extern struct suo_tune suo_tune;

/**
 * struct suo_dev - an opened device, as getinfo and a domain see it
 * @ctx: the context
 * @name: its name
 * @attr: device attributes
 * @port: attributes of port 1
 * @gid: the GID in use
 * @gid_index: its index
 */
struct suo_dev {
	struct ibv_context	*ctx;
	char			name[FI_NAME_MAX];
	struct ibv_device_attr	attr;
	struct ibv_port_attr	port;
	union ibv_gid		gid;
	uint8_t			gid_index;
};

struct suo_fabric {
	struct fid_fabric	fid;
	int			refs;
};

/**
 * struct suo_domain - an opened device
 * @fabric: its fabric
 * @dev: the device
 * @pd: protection domain of everything
 * @lock: protects all objects of the domain
 * @eps: enabled endpoints
 * @refs: objects that are open
 * @native_atomics: the device's 8-byte operations are atomic towards the processor
 * @mrs: registrations, by key
 */
struct suo_domain {
	struct fid_domain	fid;
	struct suo_fabric	*fabric;
	struct suo_dev		dev;
	struct ibv_pd		*pd;
	pthread_mutex_t		lock;
	struct suo_list		eps;
	int			refs;
	bool			native_atomics;
	struct suo_mr		*mrs[SUO_HASH_SIZE];
};

/**
 * struct suo_mr - a registration
 * @domain: its domain
 * @mr: the device's
 * @access: FI_REMOTE_READ, FI_REMOTE_WRITE and so on
 * @by_key: next in domain->mrs
 */
struct suo_mr {
	struct fid_mr		fid;
	struct suo_domain	*domain;
	struct ibv_mr		*mr;
	uint64_t		access;
	struct suo_mr		*by_key;
};

/**
 * struct suo_eq - an event queue
 * @lock: protects what follows
 * @events: not read yet
 * @fd: readable while there are some
 * @eps: suo_ep.eq_link of the endpoints bound to it: reading makes progress
 */
struct suo_eq {
	struct fid_eq		fid;
	struct suo_fabric	*fabric;
	pthread_mutex_t		lock;
	struct suo_list		events;
	int			fd;
	struct suo_list		eps;
};

/**
 * struct suo_av_entry - one inserted address
 * @addr: the address
 * @next: index of the next one with the same hash, -1: none
 * @used: false once removed
 */
struct suo_av_entry {
	struct suo_addr	addr;
	int64_t		next;
	bool		used;
};

struct suo_av {
	struct fid_av		fid;
	struct suo_domain	*domain;
	int			refs;
	struct suo_av_entry	*entry;
	size_t			count;
	size_t			cap;
	int64_t			hash[SUO_HASH_SIZE];
};

/**
 * struct suo_comp - one completion, good or bad
 * @e: the entry; e.err is 0 for a good one
 * @src: the sender, for fi_cq_readfrom()
 */
struct suo_comp {
	struct fi_cq_err_entry	e;
	fi_addr_t		src;
};

/**
 * struct suo_cq - a completion queue
 * @format: of the entries
 * @wait: for sleeping readers
 * @ring: completions; grows when it is full, so that none is lost
 * @cap: entries of @ring, a power of two
 * @head: next to read, running freely
 * @tail: next to write, running freely
 * @refs: bindings
 */
struct suo_cq {
	struct fid_cq		fid;
	struct suo_domain	*domain;
	enum fi_cq_format	format;
	struct suo_wait		wait;
	struct suo_comp		*ring;
	uint32_t		cap;
	uint32_t		head;
	uint32_t		tail;
	int			refs;
};

/**
 * struct suo_cntr - a counter
 * @wait: for sleeping readers
 * @value: operations that succeeded
 * @err: operations that failed
 * @polled: sum of both when a poll set looked last
 * @refs: bindings
 */
struct suo_cntr {
	struct fid_cntr		fid;
	struct suo_domain	*domain;
	struct suo_wait		wait;
	uint64_t		value;
	uint64_t		err;
	uint64_t		polled;
	int			refs;
};

enum suo_cntr_kind {
	SUO_CNTR_SEND,
	SUO_CNTR_RECV,
	SUO_CNTR_READ,
	SUO_CNTR_WRITE,
	SUO_CNTR_KINDS,
};

/**
 * struct suo_ep - an endpoint
 * @link: in domain->eps
 * @enabled: the verbs objects exist
 * @tx_op_flags: defaults of calls without flags
 * @rx_op_flags: defaults of calls without flags
 * @tx_selective: completions only where FI_COMPLETION asks for them
 * @rx_selective: the same for receives
 * @cntr: counters, or NULL
 * @links: to what is bound to it and makes progress for it
 * @nlinks: entries of @links in use
 * @order: message order that was asked for
 * @eq: told of joins, or NULL
 * @eq_link: in eq->eps
 * @coll: collectives
 * @min_multi_recv: a buffer for several messages ends when less than this is left
 * @chan: raised by @vcq
 * @vcq: completions of all queue pairs
 * @armed: @vcq was asked to raise @chan and has not yet
 * @srq: receive queue of the RC queue pairs
 * @ud: handshakes
 * @addr: our address
 * @name: IP address and service that it can be asked for by, if it has a service
 * @service: what answers, or NULL
 * @timerfd: the earliest deadline of a handshake
 * @timer_ns: what @timerfd is set to, 0: not set; no deadline is earlier unless
 * @timer_new: says so
 * @rx_slab: buffers in @srq
 * @ud_rx: buffers of @ud's receive queue
 * @ud_tx: buffers for sending handshakes
 * @bounce: buffers for eager payload without a descriptor; made at first use
 * @refill: receive buffers to give back to @srq
 * @free_tx: free requests
 * @chunks: struct suo_tx_chunk that @free_tx came from
 * @user_tx: requests in use by the application
 * @outstanding: work requests on all queue pairs
 * @tx_room: most work requests that @vcq has room for
 * @max_rd_atomic: RDMA reads that a queue pair can serve at a time
 * @msgs: untagged receives and messages
 * @tags: tagged receives and messages
 * @claimed: messages that were claimed by their context
 * @by_addr: connections by address
 * @by_qpn: connections by local queue pair
 * @timers: connections with a running handshake
 * @kicks: connections with something to post
 * @next_gen: generation of the next queue pair
 * @next_id: name of the next RTS
 */
struct suo_ep {
	struct fid_ep		fid;
	struct suo_domain	*domain;
	struct suo_av		*av;
	struct suo_cq		*tx_cq;
	struct suo_cq		*rx_cq;
	struct suo_list		link;
	bool			enabled;
	uint64_t		caps;
	uint64_t		tx_op_flags;
	uint64_t		rx_op_flags;
	bool			tx_selective;
	bool			rx_selective;
	struct suo_cntr		*cntr[SUO_CNTR_KINDS];
	struct suo_ep_link	links[2 + SUO_CNTR_KINDS];
	unsigned int		nlinks;
	uint64_t		order;
	size_t			min_multi_recv;
	struct suo_eq		*eq;
	struct suo_list		eq_link;
	struct suo_coll_ep	coll;
	struct ibv_comp_channel	*chan;
	struct ibv_cq		*vcq;
	bool			armed;
	struct ibv_srq		*srq;
	struct ibv_qp		*ud;
	struct suo_addr		addr;
	struct suo_addr		name;
	struct suo_service	*service;
	int			timerfd;
	uint64_t		timer_ns;
	bool			timer_new;
	struct suo_slab		rx_slab;
	struct suo_slab		ud_rx;
	struct suo_slab		ud_tx;
	struct suo_slab		bounce;
	struct suo_list		refill;
	struct suo_list		free_tx;
	struct suo_list		chunks;
	unsigned int		user_tx;
	unsigned int		outstanding;
	unsigned int		tx_room;
	uint8_t			max_rd_atomic;
	struct suo_matchq	msgs;
	struct suo_matchq	tags;
	struct suo_list		claimed;
	struct suo_conn		*by_addr[SUO_HASH_SIZE];
	struct suo_conn		*by_qpn[SUO_HASH_SIZE];
	struct suo_list		timers;
	struct suo_list		kicks;
	uint32_t		next_gen;
	uint64_t		next_id;
};

static inline struct suo_ep *to_ep(struct fid_ep *fid)
{
	return suo_entry(fid, struct suo_ep, fid);
}

/* Kinds of wr_id, in its two lowest bits; the rest is a pointer. */
enum suo_wr_kind {
	SUO_WR_TX	= 0,	/* struct suo_txreq */
	SUO_WR_RX	= 1,	/* struct suo_buf of the SRQ */
	SUO_WR_UD_RX	= 2,	/* struct suo_buf */
	SUO_WR_UD_TX	= 3,	/* struct suo_buf */
};

static inline uint64_t suo_wr_id(const void *ptr, enum suo_wr_kind kind)
{
	return (uint64_t)(uintptr_t)ptr | kind;
}

static inline void *suo_wr_ptr(uint64_t wr_id)
{
	return (void *)(uintptr_t)(wr_id & ~3ull);
}

/* Without a lock */

int suo_dev_open(struct ibv_device *ibdev, struct suo_dev *dev);
void suo_dev_close(struct suo_dev *dev);
bool suo_dev_wanted(const char *name);
bool suo_dev_is_suo(const char *name);
void suo_params_read(void);

int suo_getinfo(uint32_t version, const char *node, const char *service,
		uint64_t flags, const struct fi_info *hints,
		struct fi_info **info);
int suo_info_fill(struct fi_info *info, const struct suo_dev *dev,
		  uint32_t version, const struct fi_info *hints);
int suo_hints_check(const struct fi_info *hints, const struct suo_dev *dev);

int suo_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fabric,
		    void *context);
int suo_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		    struct fid_domain **domain, void *context);
int suo_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr,
		struct fid_eq **eq, void *context);
int suo_eq_trywait(struct suo_eq *eq);
int suo_eq_bind(struct suo_eq *eq, struct suo_ep *ep);
void suo_eq_unbind(struct suo_eq *eq, struct suo_ep *ep);
void suo_eq_post(struct suo_eq *eq, uint32_t event, const void *buf, size_t len);
void suo_eq_post_err(struct suo_eq *eq, struct fid *fid, void *context, int err);
int suo_av_open(struct fid_domain *domain, struct fi_av_attr *attr,
		struct fid_av **av, void *context);
int suo_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr,
		struct fid_cq **cq, void *context);
int suo_cq_trywait(struct suo_cq *cq);
int suo_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		  struct fid_cntr **cntr, void *context);
int suo_cntr_trywait(struct suo_cntr *cntr);
int suo_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr,
		  struct fid_poll **pollset);
int suo_query_atomic(struct fid_domain *domain, enum fi_datatype datatype,
		     enum fi_op op, struct fi_atomic_attr *attr, uint64_t flags);
int suo_ep_open(struct fid_domain *domain, struct fi_info *info,
		struct fid_ep **ep, void *context);
extern struct fi_ops_mr suo_mr_ops;
extern struct fi_ops_msg suo_msg_ops;
extern struct fi_ops_tagged suo_tagged_ops;
extern struct fi_ops_rma suo_rma_ops;
extern struct fi_ops_atomic suo_atomic_ops;
extern struct fi_ops_cm suo_cm_ops;

int suo_window_ops_open(struct suo_domain *dom, const char *name, uint64_t flags, void **ops);
int suo_no_bind(struct fid *fid, struct fid *bfid, uint64_t flags);
int suo_no_control(struct fid *fid, int command, void *arg);
int suo_no_ops_open(struct fid *fid, const char *name, uint64_t flags,
		    void **ops, void *context);

/* Under the domain's lock: address vector (av.c) */

const struct suo_addr *suo_av_addr(const struct suo_av *av, fi_addr_t fi_addr);
fi_addr_t suo_av_find(const struct suo_av *av, const struct suo_addr *addr);

/* Completions (cq.c) */

void suo_cq_push(struct suo_cq *cq, const struct fi_cq_err_entry *e, fi_addr_t src);
bool suo_cq_ready(const struct suo_cq *cq);
int suo_wc_errno(enum ibv_wc_status status);

/* Counters (cntr.c) */

void suo_cntr_add(struct suo_cntr *cntr, bool err);
bool suo_cntr_changed(struct suo_cntr *cntr);
enum suo_cntr_kind suo_cntr_kind(uint64_t flags);

/* Registrations (mr.c) */

struct suo_mr *suo_mr_find(struct suo_domain *dom, uint32_t key);

/* The endpoint's verbs objects (epres.c) */

int suo_epres_create(struct suo_ep *ep);
size_t suo_rx_room(void);
void suo_epres_destroy(struct suo_ep *ep);
void suo_refill(struct suo_ep *ep);
void suo_ud_repost(struct suo_ep *ep, struct suo_buf *buf);

/* Registered buffers (slab.c) */

int suo_slab_create(struct suo_slab *slab, struct suo_ep *ep, unsigned int count,
		    size_t size, int access);
void suo_slab_destroy(struct suo_slab *slab);
struct suo_buf *suo_slab_get(struct suo_slab *slab);
void suo_slab_put(struct suo_slab *slab, struct suo_buf *buf);

/* Endpoints by IP address and service (service.c) */

bool suo_addr_is_service(const struct suo_addr *addr);
int suo_service_start(struct suo_ep *ep, const struct suo_addr *name);
void suo_service_stop(struct suo_ep *ep);
int suo_service_resolve(const struct suo_addr *name, struct suo_addr *addr);

/* Connections (conn.c) */

struct suo_conn *suo_conn_find(struct suo_ep *ep, const struct suo_addr *addr);
struct suo_conn *suo_conn_get(struct suo_ep *ep, const struct suo_addr *addr);
struct suo_conn *suo_conn_by_fi_addr(struct suo_ep *ep, fi_addr_t fi_addr);
struct suo_conn *suo_conn_by_qpn(struct suo_ep *ep, uint32_t qpn);
fi_addr_t suo_conn_fi_addr(struct suo_conn *conn);
void suo_conn_connect(struct suo_conn *conn);
void suo_conn_data(struct suo_conn *conn);
void suo_conn_datagram(struct suo_ep *ep, const void *data, size_t len);
void suo_conn_timers(struct suo_ep *ep);
void suo_conn_watch(struct suo_conn *conn);
void suo_conn_fail(struct suo_conn *conn, int err, int prov_errno);
void suo_conn_settle(struct suo_conn *conn);
void suo_conns_destroy(struct suo_ep *ep);

/* A connection's queue pair (connqp.c) */

int suo_connqp_create(struct suo_conn *conn);
int suo_connqp_up(struct suo_conn *conn, const struct suo_hs_msg *msg);
void suo_connqp_destroy(struct suo_conn *conn);

/* Send requests (tx.c) */

struct suo_txreq *suo_tx_get(struct suo_ep *ep, struct suo_conn *conn, bool user);
void suo_tx_put(struct suo_txreq *req);
void suo_tx_submit(struct suo_txreq *req);
void suo_tx_kick(struct suo_ep *ep);
void suo_tx_wc(struct suo_txreq *req, const struct ibv_wc *wc);
void suo_tx_done(struct suo_txreq *req, int err, int prov_errno);
struct suo_txreq *suo_tx_answered(struct suo_conn *conn, uint64_t id);
void suo_tx_take_result(struct suo_txreq *req, const uint8_t *from);
void suo_tx_finish(struct suo_txreq *req);
struct suo_hdr *suo_tx_header(struct suo_txreq *req, enum suo_wire_op op, uint64_t len,
			      uint64_t id);
void suo_tx_sge(struct suo_txreq *req, const void *addr, size_t len, uint32_t lkey);
uint8_t *suo_tx_room(struct suo_txreq *req, size_t head, size_t len);
void suo_tx_chunks_destroy(struct suo_ep *ep);
int suo_tx_payload(struct suo_txreq *req, const struct iovec *iov, void **desc,
		   size_t count, size_t len, size_t head, bool may_copy);
struct ibv_mr *suo_tmp_reg(struct suo_ep *ep, const struct iovec *iov, int access);

/* Takes the lock itself (send.c) */
ssize_t suo_send(struct suo_ep *ep, const struct suo_send *s);
bool suo_tx_comp(const struct suo_ep *ep, uint64_t flags);

/* Receives and rendezvous (rx.c, rndv.c) */

ssize_t suo_rx_post(struct suo_ep *ep, bool tagged, const struct iovec *iov,
		    void **desc, size_t count, fi_addr_t src, uint64_t tag,
		    uint64_t ignore, void *context, uint64_t flags);
ssize_t suo_rx_cancel(struct suo_ep *ep, void *context);
void suo_rx_wc(struct suo_ep *ep, struct suo_buf *buf, const struct ibv_wc *wc);
void suo_rx_done(struct suo_ep *ep, struct suo_rxreq *rx, struct suo_conn *conn,
		 const struct suo_hdr *hdr, size_t olen, int err, int prov_errno);
struct suo_rxreq *suo_rx_alloc(struct suo_ep *ep, bool tagged, const struct iovec *iov,
			       void **desc, size_t count, void *context, uint64_t flags);
void suo_rx_match(struct suo_ep *ep, struct suo_rxreq *rx, struct suo_conn *conn,
		  const struct suo_hdr *hdr, const uint8_t *payload);
int suo_rx_source(struct suo_ep *ep, fi_addr_t src, const void **conn);
struct suo_matchq *suo_rx_queue(struct suo_ep *ep, bool tagged);
void suo_rx_forget(struct suo_conn *conn);
void suo_rx_destroy(struct suo_ep *ep);
void suo_rndv_start(struct suo_rxreq *rx, struct suo_conn *conn,
		    const struct suo_hdr *hdr, const struct suo_seg *seg);
void suo_rndv_read_done(struct suo_txreq *req, int err, int prov_errno);
void suo_rndv_fin(struct suo_conn *conn, uint64_t id);
void suo_rndv_refuse(struct suo_conn *conn, uint64_t id);

/* A receive buffer for several messages (multi.c) */

void suo_multi_post(struct suo_ep *ep, struct suo_rxreq *rx);
struct suo_rxreq *suo_multi_take(struct suo_ep *ep, struct suo_rxreq *rx, size_t len);
bool suo_multi_done(struct suo_rxreq *rx);
void suo_multi_cancel(struct suo_ep *ep, struct suo_rxreq *rx);

/* Looking at messages (peek.c) */

ssize_t suo_peek(struct suo_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags);
ssize_t suo_claim(struct suo_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags);
void suo_claimed_forget(struct suo_conn *conn);
void suo_claimed_destroy(struct suo_ep *ep);

/* Atomics at the target (amo_target.c) and their answers (atomic.c) */

void suo_amo_request(struct suo_conn *conn, const struct suo_hdr *hdr,
		     const uint8_t *payload);
void suo_amo_answer(struct suo_conn *conn, const struct suo_hdr *hdr,
		    const uint8_t *payload);

/* Progress (progress.c) */

bool suo_progress(struct suo_ep *ep);
uint64_t suo_now_ns(void);

#endif /* SUO_FI_H */
