/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the libfabric test programs share: two processes, each with an endpoint,
 * that go through the same list of tests in step.
 */
#ifndef FABRIC_ENDS_H
#define FABRIC_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include "userspace/perf/boot.h"

#define MAX_MSG		(4u << 20)
#define EAGER		16384u
#define PEER_TIMEOUT_MS	600000

/**
 * struct window - where the peer's buffers are
 * @addr: of end.rx
 * @key: of end.rx
 */
struct window {
	uint64_t	addr;
	uint64_t	key;
};

/**
 * struct end - one process
 * @rank: 0 or 1; rank 0 prints
 * @boot: the other process
 * @info: what the provider offers
 * @fabric: and its objects
 * @domain: of the device
 * @av: index 0: this endpoint, 1: the peer's
 * @cq: both directions
 * @ep: the endpoint
 * @name: its address
 * @self: fi_addr_t of this endpoint
 * @peer: fi_addr_t of the peer's
 * @tx: memory to send from, MAX_MSG bytes, registered
 * @rx: memory to receive in, MAX_MSG bytes, registered
 * @tx_mr: registration of @tx
 * @rx_mr: registration of @rx
 * @window: the peer's rx
 * @failed: something in the test at hand was wrong
 * @tests: tests so far
 * @failures: failed ones
 */
struct end {
	int			rank;
	struct boot		boot;
	struct fi_info		*info;
	struct fid_fabric	*fabric;
	struct fid_domain	*domain;
	struct fid_av		*av;
	struct fid_cq		*cq;
	struct fid_ep		*ep;
	uint8_t			name[256];
	fi_addr_t		self;
	fi_addr_t		peer;
	uint8_t			*tx;
	uint8_t			*rx;
	struct fid_mr		*tx_mr;
	struct fid_mr		*rx_mr;
	struct window		window;
	bool			failed;
	int			tests;
	int			failures;
};

/* Notes a fault of the test at hand, with what was expected. */
#define check(end, what)	check_at(end, what, #what, __FILE__, __LINE__)
void check_at(struct end *end, bool good, const char *what, const char *file, int line);

/* Opens everything and meets the peer. Exits if that fails. */
void end_open(struct end *end, int rank, const char *device, const char *rendezvous);
void end_close(struct end *end);

/* One more endpoint on the same domain, with a CQ of its own. */
void endpoint_open(struct end *end, struct fid_ep **ep, struct fid_cq **cq,
		   enum fi_wait_obj wait_obj);

/* Waits until the peer is here, too. */
void barrier(struct end *end);

/* Runs a test at both ends; rank 0 prints the verdict of both. */
void test(struct end *end, const char *name, void (*fn)(struct end *end));

/* Waits for a completion; false after a timeout. Errors are taken as well: e->err. */
bool next_comp(struct end *end, struct fid_cq *cq, struct fi_cq_err_entry *e, int timeout_ms);

/* Waits for the good completion of a certain operation, and for no other. */
void want_comp(struct end *end, void *context, uint64_t flags, struct fi_cq_err_entry *e);

/* Calls an operation again while it returns -FI_EAGAIN. */
#define retry(end, call)						\
	({								\
		ssize_t ret_;						\
		while ((ret_ = (call)) == -FI_EAGAIN)			\
			fi_cq_read((end)->cq, NULL, 0);			\
		ret_;							\
	})

void fill(uint8_t *buf, size_t len, uint32_t seed);
bool filled(const uint8_t *buf, size_t len, uint32_t seed);

#endif /* FABRIC_ENDS_H */
