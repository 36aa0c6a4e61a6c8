/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a collective library does with a collective: which algorithm and
 * protocol NCCL or RCCL chooses, and how long that takes.
 *
 * Two models stand side by side. The tuner (nccl_tuner.c) is the vendor's own
 * estimate, with the vendor's constants; the library chooses by it, so it is
 * kept as it is, right or wrong. The time model (nccl_time.c) says how long the
 * choice takes; its constants are fitted (model/calibrate), or are the vendor's
 * where nothing was measured.
 *
 * Times are microseconds, rates GB/s (10^9 bytes a second).
 */
#ifndef SUO_ANALYTIC_NCCL_H
#define SUO_ANALYTIC_NCCL_H

#include <stdbool.h>
#include <stdint.h>

enum suo_nccl_op {
	SUO_NCCL_ALLREDUCE,
	SUO_NCCL_ALLGATHER,
	SUO_NCCL_REDUCESCATTER,
	SUO_NCCL_ALLTOALL,
	SUO_NCCL_BROADCAST,
	SUO_NCCL_REDUCE,
	SUO_NCCL_OPS,
};

/* From a root to all, or from all to a root: a ring is a chain then. */
static inline bool suo_nccl_is_rooted(enum suo_nccl_op op)
{
	return op == SUO_NCCL_BROADCAST || op == SUO_NCCL_REDUCE;
}

enum suo_nccl_algorithm {
	SUO_NCCL_RING,
	SUO_NCCL_TREE,
	SUO_NCCL_NVLS,
	SUO_NCCL_NVLS_TREE,
	SUO_NCCL_P2P,		/* sends and receives: All-to-All */
	SUO_NCCL_ALGORITHMS,
};

enum suo_nccl_protocol {
	SUO_NCCL_LL,		/* 4 bytes of data and 4 of flag */
	SUO_NCCL_LL128,		/* 120 bytes of data and 8 of flag */
	SUO_NCCL_SIMPLE,	/* a chunk, a fence, a counter */
	SUO_NCCL_PROTOCOLS,
};

/* Generations of accelerators: what a library's tuner tells apart. */
enum suo_nccl_gen {
	SUO_NCCL_AMPERE,
	SUO_NCCL_HOPPER,
	SUO_NCCL_BLACKWELL,
	SUO_NCCL_CDNA,		/* RCCL on gfx94x and gfx95x */
	SUO_NCCL_GENS,
};

/* How a library reaches another host. */
enum suo_nccl_transport {
	SUO_NCCL_VERBS,		/* InfiniBand or RoCE, GPUDirect RDMA */
	SUO_NCCL_TCPXO,		/* GPUDirect-TCPXO */
	SUO_NCCL_RCCL_VERBS,	/* RCCL over RoCE or InfiniBand */
	SUO_NCCL_TRANSPORTS,
};

/**
 * struct suo_nccl_gpu - an accelerator, as a data sheet has it
 * @name: as tables and cluster files name it
 * @gen: generation
 * @clock_ghz: highest clock of the compute units
 * @links: scale-up links
 * @link_GBps: payload rate of a link, one direction
 * @multicast: the scale-up switch multicasts and reduces (NVLS)
 * @source: where the figures come from
 */
struct suo_nccl_gpu {
	const char		*name;
	enum suo_nccl_gen	gen;
	double			clock_ghz;
	unsigned int		links;
	double			link_GBps;
	bool			multicast;
	const char		*source;
};

/* Return: the i-th accelerator, NULL past the last one. */
const struct suo_nccl_gpu *suo_nccl_gpu_get(unsigned int i);

/* Return: the accelerator of that name, NULL if there is none. */
const struct suo_nccl_gpu *suo_nccl_gpu_find(const char *name);

/**
 * struct suo_nccl_system - the hardware a collective runs on
 * @gpu: accelerator
 * @ranks: accelerators that take part
 * @domain: of them in a scale-up domain; divides @ranks
 * @nics: NICs of a domain that they use; 0 if there is one domain
 * @nic_GBps: rate of a NIC
 * @transport: between domains
 * @protocols: bits of enum suo_nccl_protocol that may be used
 * @algorithms: bits of enum suo_nccl_algorithm that may be used
 * @version: of the library, 22602 for 2.26.2; 0: the newest that is known
 * @channels: that collectives run on; 0: as the topology search finds
 * @up_GBps: scale-up rate of an accelerator where it differs from the data
 *	sheet's; 0: the data sheet's
 */
struct suo_nccl_system {
	const struct suo_nccl_gpu	*gpu;
	uint32_t			ranks;
	uint32_t			domain;
	uint32_t			nics;
	double				nic_GBps;
	enum suo_nccl_transport		transport;
	unsigned int			protocols;
	unsigned int			algorithms;
	unsigned int			version;
	unsigned int			channels;
	double				up_GBps;
};

#define SUO_NCCL_ALL_PROTOCOLS	((1u << SUO_NCCL_PROTOCOLS) - 1)
#define SUO_NCCL_ALL_ALGORITHMS	((1u << SUO_NCCL_ALGORITHMS) - 1)

/* Constants of a generation, each dimensionless or tied to its clock. */
enum suo_nccl_gen_constant {
	SUO_NCCL_BASE,		/* kilocycles: launch to the first step */
	SUO_NCCL_BASE_SIMPLE,	/* kilocycles: more of it with Simple */
	SUO_NCCL_HOP_LL,	/* kilocycles: a step, by protocol */
	SUO_NCCL_HOP_LL128,
	SUO_NCCL_HOP_SIMPLE,
	SUO_NCCL_CHANNEL_LL,	/* a channel's rate, against the tuner's ceiling */
	SUO_NCCL_CHANNEL_LL128,
	SUO_NCCL_CHANNEL_SIMPLE, /* bytes a cycle that a channel moves */
	SUO_NCCL_LINK_LL,	/* all channels' rate, against the tuner's ceiling */
	SUO_NCCL_LINK_LL128,
	SUO_NCCL_LINK_SIMPLE,	/* share of the links' rate */
	SUO_NCCL_EXPOSED,	/* share of Simple's steps that streaming leaves */
	SUO_NCCL_COPY,		/* copying a rank's own part, against sending it */
	SUO_NCCL_GATHER,	/* a channel's work to gather, against reducing */
	SUO_NCCL_NVLS_BASE,	/* kilocycles */
	SUO_NCCL_NVLS_LOOP,	/* kilocycles: a round of chunks */
	SUO_NCCL_NVLS_LINK,	/* share of the links' rate */
	SUO_NCCL_P2P_BASE,	/* kilocycles */
	SUO_NCCL_P2P_PEER,	/* kilocycles: each doubling of peers */
	SUO_NCCL_P2P_FILL,	/* kilocycles: more of it with Simple */
	SUO_NCCL_P2P_LL,	/* bytes a cycle that a channel moves */
	SUO_NCCL_P2P_SIMPLE,	/* likewise */
	SUO_NCCL_P2P_LINK,	/* share of the links' rate */
	SUO_NCCL_P2P_COPY,	/* copying a rank's own part, against sending it */
	SUO_NCCL_GEN_CONSTANTS,
};

/* Constants of a transport. */
enum suo_nccl_net_constant {
	SUO_NCCL_NET_LL,	/* us: a hop between hosts, by protocol */
	SUO_NCCL_NET_LL128,
	SUO_NCCL_NET_SIMPLE,
	SUO_NCCL_NET_NVLS_TREE,	/* us: likewise, NVLSTree */
	SUO_NCCL_NET_LINK,	/* share of the NICs' rate */
	SUO_NCCL_NET_CONSTANTS,
};

/**
 * struct suo_nccl_constants - the software constants of a collective library
 * @gen: by generation
 * @net: by transport
 * @log_p10: ln of the measured time over the predicted one: 10th percentile
 * @log_p90: 90th percentile
 */
struct suo_nccl_constants {
	double	gen[SUO_NCCL_GENS][SUO_NCCL_GEN_CONSTANTS];
	double	net[SUO_NCCL_TRANSPORTS][SUO_NCCL_NET_CONSTANTS];
	double	log_p10;
	double	log_p90;
};

/* The vendors' constants, as far as they go: what a fit starts from. */
extern const struct suo_nccl_constants suo_nccl_vendor;

/* What was fitted to the tables in tests/data/nccl. */
extern const struct suo_nccl_constants suo_nccl_fitted;

/**
 * struct suo_nccl - a collective library on an accelerator
 * @k: constants
 * @gpu: the accelerator
 * @transport: between domains
 */
struct suo_nccl {
	const struct suo_nccl_constants	*k;
	const struct suo_nccl_gpu	*gpu;
	enum suo_nccl_transport		transport;
};

/* What cluster files can name: fitted to published tables, a generation each. */
extern const struct suo_nccl suo_nccl_a100;
extern const struct suo_nccl suo_nccl_h100;
extern const struct suo_nccl suo_nccl_b200;
extern const struct suo_nccl suo_nccl_mi355x;

/**
 * struct suo_nccl_pick - what is done, and what its time consists of
 * @algorithm: chosen
 * @protocol: chosen
 * @channels: that are used
 * @time_us: all of it
 * @launch_us: up to the first step
 * @step_us: latency of the steps
 * @channel_us: waiting for compute units to move data
 * @up_us: waiting for scale-up links
 * @out_us: waiting for NICs, and latency of hops between hosts
 */
struct suo_nccl_pick {
	enum suo_nccl_algorithm	algorithm;
	enum suo_nccl_protocol	protocol;
	unsigned int		channels;
	double			time_us;
	double			launch_us;
	double			step_us;
	double			channel_us;
	double			up_us;
	double			out_us;
};

/**
 * suo_nccl_choose() - the algorithm and protocol that the tuner takes
 * @sys: hardware
 * @op: collective
 * @bytes: as nccl-tests counts them: the larger of the two buffers of a rank
 * @pick: algorithm and protocol are set
 *
 * Return: the time the tuner expects, us; 0 if nothing is allowed.
 */
double suo_nccl_choose(const struct suo_nccl_system *sys, enum suo_nccl_op op,
		       uint64_t bytes, struct suo_nccl_pick *pick);

/**
 * suo_nccl_tuner_us() - what the vendor's tuner expects of one choice
 *
 * Return: us; 0 if the choice does not exist for that collective and hardware.
 */
double suo_nccl_tuner_us(const struct suo_nccl_system *sys, enum suo_nccl_op op,
			 uint64_t bytes, enum suo_nccl_algorithm a,
			 enum suo_nccl_protocol p);

/**
 * suo_nccl_time_us() - how long a collective takes
 * @sys: hardware
 * @k: software constants
 * @op: collective
 * @bytes: as nccl-tests counts them
 * @pick: what is done and what its time consists of
 *
 * Return: us; 0 if no algorithm is allowed.
 */
double suo_nccl_time_us(const struct suo_nccl_system *sys,
			const struct suo_nccl_constants *k, enum suo_nccl_op op,
			uint64_t bytes, struct suo_nccl_pick *pick);

/* The same for a choice that is given in @pick. */
double suo_nccl_time_of(const struct suo_nccl_system *sys,
			const struct suo_nccl_constants *k, enum suo_nccl_op op,
			uint64_t bytes, struct suo_nccl_pick *pick);

/**
 * suo_nccl_check() - whether a system can be modelled
 *
 * Return: NULL, or what is wrong with it, in words.
 */
const char *suo_nccl_check(const struct suo_nccl_system *sys);

/* Names, as tables and profiles have them. */
const char *suo_nccl_op_name(enum suo_nccl_op op);
const char *suo_nccl_algorithm_name(enum suo_nccl_algorithm a);
const char *suo_nccl_protocol_name(enum suo_nccl_protocol p);
const char *suo_nccl_gen_name(enum suo_nccl_gen gen);
const char *suo_nccl_transport_name(enum suo_nccl_transport t);
const char *suo_nccl_gen_constant_name(enum suo_nccl_gen_constant c);
const char *suo_nccl_net_constant_name(enum suo_nccl_net_constant c);

#endif /* SUO_ANALYTIC_NCCL_H */
