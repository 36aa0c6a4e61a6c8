/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The figures of the cluster that the choice among plans goes by, and what the
 * model says of a plan. Apart from the rest of the provider, whose names for
 * things on the wire are those of the model, too.
 */
#ifndef SUO_FI_COLL_NET_H
#define SUO_FI_COLL_NET_H

#include <stdint.h>

#include "model/plan/plan.h"

/*
 * Of struct suo_link_law, named as in configfs; what bit errors do is left out, as
 * plans are compared as they run on average.
 */
#define SUO_COLL_FIGURES(X)						\
	X(rate_mbps) X(endpoint_ps) X(stages) X(switch_ps) X(fec_ps)	\
	X(propagation_ps) X(max_payload_bytes) X(header_bytes)		\
	X(flit_bytes) X(min_packet_bytes) X(frame_bytes)		\
	X(frame_payload_bytes) X(buffer_bytes) X(credit_bytes)		\
	X(credit_rtt_ps) X(reduce_ps)

#define SUO_COLL_FIGURE_ENUM(name)	SUO_COLL_UP_##name,
enum suo_coll_figure {
	SUO_COLL_FIGURES(SUO_COLL_FIGURE_ENUM)
	SUO_COLL_OUT_RATE_MBPS,
	SUO_COLL_OUT_LATENCY_PS,
	SUO_COLL_OUT_MTU_BYTES,
	SUO_COLL_NUM_FIGURES,
};

/**
 * struct suo_coll_net - what one member knows
 * @domain_size: ranks of a domain; 0: not known
 * @figure: 0 where nothing is known
 */
struct suo_coll_net {
	uint32_t	domain_size;
	uint64_t	figure[SUO_COLL_NUM_FIGURES];
};

/**
 * suo_coll_domain_id() - which scale-up domain a device is in
 * @device: its name
 *
 * Return: the same for all members of a domain; 0: it is in none. A domain of
 * several VMs counts as one for each of them.
 */
uint64_t suo_coll_domain_id(const char *device);

/**
 * suo_coll_net_read() - the figures from a file, or from the kernel module
 * @device: whose domain and NIC
 * @path: what "suo cluster env" prints, or NULL
 * @net: filled in
 *
 * Return: 0; -EINVAL if the file is not what it should be: @net is the module's.
 */
int suo_coll_net_read(const char *device, const char *path, struct suo_coll_net *net);

/* suo_plan_shape.chunk_len */
uint64_t suo_coll_chunk_len(const struct suo_coll_net *net, uint32_t nranks,
			    uint32_t elem_bytes);

struct suo_chooser;

/**
 * suo_coll_chooser() - get ready to choose
 * @net: the figures; something stands in for links of which nothing is known
 * @nranks: ranks, a multiple of @net->domain_size
 * @out: the chooser; free it with suo_coll_chooser_free()
 *
 * Return: 0 or -errno.
 */
int suo_coll_chooser(const struct suo_coll_net *net, uint32_t nranks,
		     struct suo_chooser **out);

void suo_coll_chooser_free(struct suo_chooser *chooser);

/**
 * suo_coll_pick() - the algorithm that the model chooses
 * @chooser: the chooser
 * @coll: the collective
 * @bytes: of DATA
 * @name: room for its name
 *
 * Return: 0 or -errno.
 */
int suo_coll_pick(struct suo_chooser *chooser, enum suo_coll coll, uint64_t bytes,
		  char name[SUO_PLAN_NAME_SIZE]);

#endif /* SUO_FI_COLL_NET_H */
