/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stages that collectives are put together from, on a given cluster. */
#ifndef SUO_ANALYTIC_STAGES_H
#define SUO_ANALYTIC_STAGES_H

#include "model/analytic/engine.h"
#include "model/analytic/forms.h"

/* Resources of a stage. A switch that reduces loads one direction at a time. */
enum {
	SUO_STAGE_UP,
	SUO_STAGE_OUT,
	SUO_STAGE_UP_BACK,
};

/**
 * struct suo_phase - a stage, and what its time goes to
 * @stage: latency and rate
 * @steps: that it has
 * @soft_us: software's part of the latency
 * @loss_us: part of the latency that waits for timeouts
 * @rate_bound: what the rate is that of
 */
struct suo_phase {
	struct suo_stage	stage;
	double			steps;
	double			soft_us;
	double			loss_us;
	enum suo_bound		rate_bound;
};

/**
 * suo_phase_up() - messages over scale-up ports
 * @m: cluster
 * @steps: in a row
 * @messages: that a rank sends in all
 * @bytes: likewise
 * @reduced: bytes that it adds up
 */
struct suo_phase suo_phase_up(const struct suo_machine *m, double steps,
			      double messages, double bytes, double reduced);

/* All domains in a ring, each way round once: AllGather or ReduceScatter of so much. */
struct suo_phase suo_phase_out_ring(const struct suo_machine *m, double bytes,
				    double reduced);

/* The same by halving and doubling; near domains exchange the larger parts. */
struct suo_phase suo_phase_out_halving(const struct suo_machine *m, double bytes,
				       double reduced);

/* The same at once: everybody sends each its part. */
struct suo_phase suo_phase_out_direct(const struct suo_machine *m, double bytes,
				      double reduced);

/* The same number of messages, but each to its peer's domain whole: bytes to each. */
struct suo_phase suo_phase_out_oneshot(const struct suo_machine *m, double bytes,
				       double reduced);

/*
 * To every accelerator outside, so much in all, whichever rail it is on: what is for
 * another rail goes over the spine, however near its leaf is.
 */
struct suo_phase suo_phase_out_flat(const struct suo_machine *m, double bytes,
				    double reduced);

/* AllReduce by the switches of the scale-out network. */
struct suo_phase suo_phase_out_reduce(const struct suo_machine *m, double bytes);

/* One after the other, as a single stage. */
struct suo_phase suo_phase_twice(struct suo_phase phase);

#endif /* SUO_ANALYTIC_STAGES_H */
