/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Closed forms of collectives as the literature has them. Each gives what a
 * collective spends on latency and on rate; the engine (engine.h) puts in what a
 * cluster has. The exact forms of the plans that the lab runs are elsewhere
 * (cost.h): those know packets and rounding, these know neither.
 *
 * Times are microseconds, bytes are bytes, rates bytes a microsecond (MB/s of 10^6
 * bytes; 1000 of them are a GB/s). N ranks, g of them in a scale-up domain,
 * k = N / g domains, alpha a step's latency.
 *
 * [T] Thakur, Rabenseifner, Gropp: Optimization of collective communication
 *     operations in MPICH, 2005
 * [P] Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of
 *     workstations, 2009
 * [S] Sanders, Speck, Traeff: Two-tree algorithms for full bandwidth broadcast,
 *     reduction and scan, 2009
 * [N] NCCL, src/graph/tuning.cc
 * [A] Alexandrov, Ionescu, Schauser, Scheiman: LogGP, 1997; Hoefler, Schneider,
 *     Lumsdaine: LogGOPSim, 2010
 */
#ifndef SUO_ANALYTIC_FORMS_H
#define SUO_ANALYTIC_FORMS_H

#include <stdint.h>

/**
 * struct suo_form - what a collective spends
 * @steps: steps in a row, each of one latency
 * @bytes: bytes that a rank sends, one after another
 */
struct suo_form {
	double	steps;
	double	bytes;
};

/* Microseconds of a form, at a latency and a rate. */
static inline double suo_form_us(struct suo_form form, double alpha_us, double rate)
{
	return form.steps * alpha_us + form.bytes / rate;
}

/* Ring AllReduce: 2 (N - 1) alpha + 2 (N - 1) / N S / B. [T, P] */
struct suo_form suo_form_ring_allreduce(double n, double bytes);

/* AllGather or ReduceScatter of S bytes in all: half of it. [T, P] */
struct suo_form suo_form_ring_gather(double n, double bytes);

/*
 * Recursive halving and doubling: 2 log2 N alpha + 2 (N - 1) / N S / B. Where N is
 * no power of two, the ranks beyond one first give their vector to another one and
 * get the result in the end: two steps and 2 S more. [T]
 */
struct suo_form suo_form_rhd_allreduce(double n, double bytes);

/* Everything to everybody at once, over a switch: 2 steps, as many bytes as a ring. */
struct suo_form suo_form_direct_allreduce(double n, double bytes);

/* Each rank's whole vector to everybody: one step, (N - 1) S. */
struct suo_form suo_form_oneshot_allreduce(double n, double bytes);

/*
 * Two trees, each with half of the vector, in C parts: reduction and broadcast, of
 * 2 h + C - 1 steps each, h = ceil(log2 (N + 1)), each step S / C long. [S]
 */
struct suo_form suo_form_two_trees(double n, double bytes, double parts);

/* The number of parts of that which takes the least time: sqrt((2 h - 1) S / (B alpha)). */
double suo_form_two_trees_parts(double n, double bytes, double alpha_us, double rate);

/*
 * Reduction by the switch: each accelerator sends its vector once and gets one
 * back, at the same time: S / (eta B), with eta in @bytes. Two crossings. [N]
 */
struct suo_form suo_form_in_network(double bytes, double eta);

/**
 * struct suo_stage - a part of a collective that comes after others
 * @latency_us: of its steps
 * @rate_us: for its bytes
 * @resource: those that share a resource take turns; 0 to SUO_MAX_RESOURCES - 1
 */
struct suo_stage {
	double		latency_us;
	double		rate_us;
	unsigned int	resource;
};

#define SUO_MAX_RESOURCES	4

/**
 * suo_form_pipelined() - stages in a row, each working on one part after another
 * @stage: of the whole vector, in parts of 1
 * @n: number of stages
 * @parts: C
 * @busiest: where the resource that decides goes, or NULL
 *
 * Return: sum_i t_i(S / C) + (C - 1) max_r sum_{i on r} t_i(S / C), microseconds,
 * t_i(S / C) = latency + rate / C. With C = 1 the sum of all stages; as C grows, the
 * busiest resource's rate and C times its latency.
 */
double suo_form_pipelined(const struct suo_stage *stage, unsigned int n,
			  double parts, unsigned int *busiest);

/**
 * suo_form_best_parts() - in how many parts stages should work
 * @stage: as above
 * @n: number of stages
 *
 * Return: the power of two from 1 to 2^20 with the least time. The time is a
 * maximum of functions a + b C + c / C, so it is convex and going downhill from
 * sqrt((sum of rates - the busiest one's) / its latency) finds it.
 */
double suo_form_best_parts(const struct suo_stage *stage, unsigned int n);

/*
 * Usable rate of a domain's NICs: that of its channels, or of all NICs if less. [N]
 */
double suo_form_nic_rate(double channels, double channel_rate, double nics,
			 double nic_rate);

/**
 * struct suo_alltoall - bytes of a rank in an All-to-All
 * @up_bytes: within the domain
 * @out_bytes: by its NIC
 * @forward_bytes: first over the domain to the accelerator on the peer's rail
 */
struct suo_alltoall {
	double	up_bytes;
	double	out_bytes;
	double	forward_bytes;
};

/*
 * S bytes a rank, the same to each of N: (g - 1) / N S up, (N - g) / N S out; of the
 * latter (r - 1) / r are for another rail, if the network has r > 1 of them and the
 * domain forwards.
 */
struct suo_alltoall suo_form_alltoall(double n, double g, double rails, double bytes);

/**
 * suo_form_moe_bytes() - what a rank dispatches to experts
 * @tokens: of the rank
 * @topk: experts of a token
 * @limit: nodes that a token may be sent to; 0: no limit
 * @hidden: length of a token
 * @elem_bytes: of an element
 * @imbalance: of the most loaded rank, over the mean
 *
 * Return: tokens min(topk, limit) hidden elem_bytes imbalance: a token goes once to
 * a node, and is spread there.
 */
double suo_form_moe_bytes(double tokens, double topk, double limit,
			  double hidden, double elem_bytes, double imbalance);

/**
 * suo_form_loggops_us() - one message
 * @send_us: o_s, the sender's overhead
 * @latency_us: L
 * @gap_us: G, a byte's
 * @recv_us: o_r
 * @bytes: S
 * @eager_bytes: longer messages first ask (rendezvous): 2 L more
 *
 * Return: o_s + L + (S - 1) G + o_r. [A]
 */
double suo_form_loggops_us(double send_us, double latency_us, double gap_us,
			   double recv_us, double bytes, double eager_bytes);

#endif /* SUO_ANALYTIC_FORMS_H */
