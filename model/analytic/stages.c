// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>

#include "model/analytic/stages.h"

static double wire_us(const struct suo_wire *wire, double messages, double bytes,
		      double rate)
{
	double b = bytes * wire->per_byte + messages * wire->header;
	double least = messages * wire->least;

	return (b > least ? b : least) / rate;
}

/* Adding up goes on beside sending: the slower of the two is seen. */
static void add_reduce(const struct suo_machine *m, struct suo_phase *phase,
		       double reduced)
{
	double us;

	if (!(m->reduce_rate > 0))
		return;
	us = reduced / m->reduce_rate;
	if (us <= phase->stage.rate_us)
		return;
	phase->stage.rate_us = us;
	phase->rate_bound = SUO_BOUND_REDUCE;
}

struct suo_phase suo_phase_up(const struct suo_machine *m, double steps,
			      double messages, double bytes, double reduced)
{
	struct suo_phase phase = {
		.stage = {
			.latency_us	= steps * (m->up.latency_us + m->step_us),
			.rate_us	= wire_us(&m->up, messages, bytes, m->up.rate),
			.resource	= SUO_STAGE_UP,
		},
		.steps		= steps,
		.soft_us	= steps * m->step_us,
		.rate_bound	= SUO_BOUND_UP_RATE,
	};

	add_reduce(m, &phase, reduced);
	return phase;
}

/*
 * By NIC. Of what is sent, fabric_us is what the links between switches take, if
 * they take longer.
 */
static struct suo_phase out_phase(const struct suo_machine *m, double steps,
				  double path_us, double messages, double bytes,
				  double fabric_us, double reduced)
{
	double nic_us = wire_us(&m->out, messages, bytes, m->out.rate);
	double rate_us = fmax(nic_us, messages * m->nic_us);
	double late_us = steps * (m->step_us + m->loss_us);
	struct suo_phase phase = {
		.stage = {
			.latency_us	= path_us + late_us,
			.rate_us	= rate_us,
			.resource	= SUO_STAGE_OUT,
		},
		.steps		= steps,
		.soft_us	= steps * m->step_us,
		.loss_us	= steps * m->loss_us,
		.rate_bound	= SUO_BOUND_OUT_RATE,
	};

	if (fabric_us > rate_us) {
		phase.stage.rate_us = fabric_us;
		phase.rate_bound = SUO_BOUND_FABRIC;
	}
	add_reduce(m, &phase, reduced);
	return phase;
}

struct suo_phase suo_phase_out_ring(const struct suo_machine *m, double bytes,
				    double reduced)
{
	double k = m->domains, steps = k - 1, sent = (k - 1) / k * bytes;
	unsigned int top = suo_machine_level(m, k - 1);

	return out_phase(m, steps, steps * suo_machine_ring_path_us(m), steps, sent,
			 wire_us(&m->out, steps, sent, m->ring_cross[top]), reduced);
}

struct suo_phase suo_phase_out_halving(const struct suo_machine *m, double bytes,
				       double reduced)
{
	double k = m->domains, core = 1, path_us = 0, fabric_us = 0, sent = 0;
	double steps = 0, part = bytes / 2;

	for (; 2 * core <= k; core *= 2, part /= 2) {
		unsigned int level = suo_machine_level(m, core);

		path_us += m->path_us[level];
		fabric_us += wire_us(&m->out, 1, part, m->cross[level]);
		sent += part;
		steps++;
	}
	/* Those beyond a power of two first hand over all that they have. */
	if (core < k) {
		unsigned int level = suo_machine_level(m, core);

		path_us += m->path_us[level];
		fabric_us += wire_us(&m->out, 1, bytes, m->cross[level]);
		sent += bytes;
		steps++;
	}
	return out_phase(m, steps, path_us, steps, sent, fabric_us, reduced);
}

/* Bytes to all others, so much to each; how long the busiest level takes. */
static double spread_us(const struct suo_machine *m, double messages, double bytes)
{
	double k = m->domains, most = 0;

	for (unsigned int i = 1; i < m->levels; i++) {
		double inside = fmin(m->reach[i - 1], k);
		double beyond = (k - inside) / (k - 1);

		if (beyond > 0)
			most = fmax(most, wire_us(&m->out, messages * beyond,
						  bytes * beyond, m->cross[i]));
	}
	/* A torus has one level, which may be slower than its NICs. */
	return fmax(most, m->cross[0] < m->out.rate ?
		    wire_us(&m->out, messages, bytes, m->cross[0]) : 0);
}

static struct suo_phase out_spread(const struct suo_machine *m, double sent,
				   double reduced)
{
	double k = m->domains, path_us = m->path_us[suo_machine_level(m, k - 1)];

	return out_phase(m, 1, path_us, k - 1, sent,
			 spread_us(m, k - 1, sent), reduced);
}

struct suo_phase suo_phase_out_direct(const struct suo_machine *m, double bytes,
				      double reduced)
{
	return out_spread(m, (m->domains - 1) / m->domains * bytes, reduced);
}

struct suo_phase suo_phase_out_oneshot(const struct suo_machine *m, double bytes,
				       double reduced)
{
	return out_spread(m, (m->domains - 1) * bytes, reduced);
}

struct suo_phase suo_phase_out_flat(const struct suo_machine *m, double bytes,
				    double reduced)
{
	double messages = m->ranks - m->domain;
	double path_us = m->path_us[suo_machine_level(m, m->domains - 1)];
	double fabric_us = spread_us(m, messages, bytes);

	if (m->rails > 1 && m->levels > 1) {
		double far = (m->rails - 1) / m->rails * bytes;

		fabric_us = fmax(fabric_us, far * m->out.per_byte / m->cross[1]);
		path_us = fmax(path_us, m->path_us[1]);
	}
	return out_phase(m, 1, path_us, messages, bytes, fabric_us, reduced);
}

struct suo_phase suo_phase_out_reduce(const struct suo_machine *m, double bytes)
{
	double path_us = m->path_us[suo_machine_level(m, m->domains - 1)];

	return out_phase(m, 2, path_us, 1, bytes, 0, 0);
}

struct suo_phase suo_phase_twice(struct suo_phase phase)
{
	phase.stage.latency_us *= 2;
	phase.stage.rate_us *= 2;
	phase.steps *= 2;
	phase.soft_us *= 2;
	phase.loss_us *= 2;
	return phase;
}
