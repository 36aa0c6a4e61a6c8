/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the rest of the provider knows of collectives: see coll.h. */
#ifndef SUO_FI_COLL_EP_H
#define SUO_FI_COLL_EP_H

#include <rdma/fabric.h>
#include <rdma/fi_collective.h>

#include "fi_suo.h"
#include "transfer.h"

#define SUO_COLL_ALGO_SIZE	64

/**
 * struct suo_coll_ep - an endpoint's part in collectives
 * @groups: struct suo_coll_group
 * @orphans: messages of groups that it has not joined yet
 * @norphans: how many
 * @joins: struct suo_coll_join: how often a membership was joined
 * @stalled: operations that wait for a buffer to send from
 * @algo: the endpoint's option; empty: none
 */
struct suo_coll_ep {
	struct suo_list	groups;
	struct suo_list	orphans;
	unsigned int	norphans;
	struct suo_list	joins;
	struct suo_list	stalled;
	char		algo[SUO_COLL_ALGO_SIZE];
};

extern struct fi_ops_collective suo_collective_ops;

int suo_av_set_open(struct fid_av *av, struct fi_av_set_attr *attr,
		    struct fid_av_set **set, void *context);
int suo_coll_query(struct fid_domain *domain, enum fi_collective_op coll,
		   struct fi_collective_attr *attr, uint64_t flags);

/* Under the domain's lock */

void suo_coll_init(struct suo_coll_ep *coll);
void suo_coll_destroy(struct suo_coll_ep *coll);
bool suo_coll_open(const struct suo_coll_ep *coll);
int suo_coll_set_algo(struct suo_coll_ep *coll, const char *name, size_t len);

/* Is the message of that operation well-formed? */
bool suo_coll_valid(const struct suo_hdr *hdr, size_t size);

/* A message has come, all in host order. */
void suo_coll_rx(struct suo_conn *conn, const struct suo_hdr *hdr, const uint8_t *payload,
		 size_t size);

/* A request of suo_txreq.coll has ended. */
void suo_coll_tx_done(struct suo_txreq *req, int err);

/* A connection has failed. */
void suo_coll_conn_failed(struct suo_conn *conn, int err);

/* A connection can be used from now on. */
void suo_coll_conn_ready(struct suo_conn *conn);

/* Buffers may have become free. */
void suo_coll_progress(struct suo_coll_ep *coll);

/* Takes the lock itself. */
int suo_coll_join(struct fid_ep *ep, const struct fi_collective_addr *addr, uint64_t flags,
		  struct fid_mc **mc, void *context);

#endif /* SUO_FI_COLL_EP_H */
