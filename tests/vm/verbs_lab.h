/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the verbs tests share: TAP, an endpoint, and waiting without spinning,
 * so that modelled delays cost nothing on the icount clock.
 */
#ifndef VERBS_LAB_H
#define VERBS_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "tap.h"

#define BUF_SIZE	(2u << 20)
#define QKEY		0x11111111
#define DEPTH		16
#define MAX_SGE		4
#define MAX_INLINE	64

/**
 * struct dev - an open device
 * @ctx: context
 * @pd: its only protection domain
 * @mr: over all of @buf, with all remote rights
 * @buf: BUF_SIZE bytes
 * @gid: RoCE v2 GID of its IPv4 address
 * @gid_index: index of @gid
 * @attr: what the device says of itself
 */
struct dev {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	uint8_t *buf;
	union ibv_gid gid;
	int gid_index;
	struct ibv_device_attr attr;
};

/**
 * struct end - one end of a connection
 * @dev: device
 * @channel: of @cq
 * @cq: for both queues
 * @cq_ex: @cq, if it was made by the extended interface
 * @qp: queue pair
 * @srq: used instead of a receive queue, or NULL
 */
struct end {
	struct dev *dev;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_cq_ex *cq_ex;
	struct ibv_qp *qp;
	struct ibv_srq *srq;
};

/**
 * struct link_attr - how to connect
 * @type: kind of queue pair
 * @timeout: local ACK timeout, as in struct ibv_qp_attr
 * @retry: retry_cnt
 * @rnr_retry: likewise
 * @rd_atomic: reads and atomics in flight
 * @sig_all: every send is signalled
 * @ex: use the extended interfaces
 * @depth: sends that can be posted; 0: DEPTH
 */
struct link_attr {
	enum ibv_qp_type type;
	uint8_t timeout;
	uint8_t retry;
	uint8_t rnr_retry;
	uint8_t rd_atomic;
	bool sig_all;
	bool ex;
	uint32_t depth;
};

extern const struct link_attr rc_link;

double now_us(void);

/* Of the devices; what has none ends the test program. */
double time_scale(void);

/* Numbers in a sequence that is the same everywhere; seed 0 is 1. */
void rnd_seed(uint64_t seed);
uint32_t rnd(void);

/* Devices and ends. What fails here ends the test program. */
void dev_find(struct dev *dev, const char *name);
void dev_open(struct dev *dev, const char *name);
void dev_close(struct dev *dev);
void end_open(struct end *end, struct dev *dev, const struct link_attr *attr);
void end_close(struct end *end);
int end_to(struct end *end, const struct end *peer,
	   const struct link_attr *attr, enum ibv_qp_state state);
void connect_ends(struct end *a, struct end *b, const struct link_attr *attr);
void ends_open(struct end *a, struct dev *dev_a, struct end *b,
	       struct dev *dev_b, const struct link_attr *attr);
struct ibv_ah *ah_to(struct end *end, const struct end *peer);

/* Work. Offsets are into the devices' buffers. */
int post_recv(struct end *end, uint64_t wr_id, size_t at, uint32_t len);
int post_send(struct end *end, struct ibv_send_wr *wr, size_t at, uint32_t len);
void remote(struct ibv_send_wr *wr, const struct end *peer, size_t at);
bool wait_wc(struct end *end, struct ibv_wc *wc);
bool expect(struct end *end, enum ibv_wc_status status, struct ibv_wc *wc);
bool quiet(struct end *end, int ms);

void pattern(struct dev *dev, size_t at, size_t len, unsigned int seed);
bool matches(const struct dev *dev, size_t at, size_t len, unsigned int seed);

#endif /* VERBS_LAB_H */
