// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/cluster/inputs.h"
#include "model/cluster/upfield.h"

struct list {
	struct suo_input	*in;
	unsigned int		n;
};

/* A figure of the catalogue, unless the file has another value. */
static void add(struct list *list, enum suo_input_group group, double weight,
		double value, const struct suo_figure *figure, double catalogue,
		const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));

static void add(struct list *list, enum suo_input_group group, double weight,
		double value, const struct suo_figure *figure, double catalogue,
		const char *fmt, ...)
{
	struct suo_input *in = &list->in[list->n];
	va_list ap;

	if (list->n == SUO_MAX_INPUTS)
		return;
	va_start(ap, fmt);
	vsnprintf(in->key, sizeof(in->key), fmt, ap);
	va_end(ap);
	in->value = value;
	in->group = group;
	in->weight = weight;
	in->given = !figure || value != catalogue;
	in->provenance = in->given ? SUO_SPEC : figure->provenance;
	in->source = in->given ? "the cluster file" : figure->source;
	list->n++;
}

static double up_weight(const struct suo_link_law *law, const char *name)
{
	if (!strcmp(name, "endpoint_ps"))
		return 1;
	if (!strcmp(name, "switch_ps"))
		return law->stages;
	return !strcmp(name, "fec_ps") || !strcmp(name, "propagation_ps") ?
	       law->stages + 1.0 : 0;
}

static void add_up(struct list *list, const struct suo_cluster *c)
{
	const struct suo_profile *p = c->up_profile;
	uint64_t links = p->links.value;
	const struct suo_up_field *field;

	add(list, SUO_INPUT_UP_RATE, 1, c->up.rate_mbps, &p->lane_rate_mbps,
	    links * suo_profile_link_mbps(p), "scale_up.rate_gbps");
	for (unsigned int i = 0; (field = suo_up_field(i)); i++) {
		const struct suo_figure *f = suo_up_figure(field, p);
		uint64_t value = suo_up_get(field, &c->up);
		double weight = up_weight(&c->up, field->name);
		uint64_t wanted;

		if (!f)
			continue;
		if (c->up_switch && !strcmp(field->name, "switch_ps"))
			f = &c->up_switch->latency_ps;
		if (c->up_cable && !strcmp(field->name, "fec_ps"))
			f = &c->up_cable->fec_ps;
		wanted = f->value;
		if (field->per_link)
			wanted = (wanted * c->up.rate_mbps + suo_profile_link_mbps(p) - 1) /
				 suo_profile_link_mbps(p);
		add(list, weight > 0 ? SUO_INPUT_UP_LATENCY : SUO_INPUT_OTHER, weight,
		    value, f, wanted, "scale_up.%s", field->key);
	}
}

static void add_tier(struct list *list, const struct suo_cluster *c, uint32_t i)
{
	const struct suo_profile *p = c->out.profile;
	const struct suo_tier *t = &c->out.fabric.tier[i];
	uint32_t top = c->out.fabric.ntiers - 1;
	const struct suo_figure *f;

	f = t->sw ? &t->sw->latency_ps : &p->switch_ps;
	add(list, SUO_INPUT_OUT_LATENCY, i < top ? 2 : 1, t->switch_ps, f, f->value,
	    "scale_out.%s.switch_ns", t->name);
	f = t->cable ? &t->cable->fec_ps : &p->fec_ps;
	add(list, SUO_INPUT_OUT_LATENCY, 2, t->fec_ps, f, f->value,
	    "scale_out.%s.fec_ns", t->name);
	f = t->cable ? &t->cable->latency_ps : &p->propagation_ps;
	add(list, SUO_INPUT_OUT_LATENCY, 2, t->propagation_ps, f,
	    t->cable ? suo_cable_ps(t->cable, t->length_mm) : f->value,
	    "scale_out.%s.propagation_ns", t->name);
	if (t->sw)
		add(list, SUO_INPUT_OTHER, 0, t->buffer_bytes, &t->sw->buffer_bytes,
		    t->sw->buffer_bytes.value, "scale_out.%s.buffer_bytes", t->name);
}

static void add_out(struct list *list, const struct suo_cluster *c)
{
	const struct suo_cluster_out *out = &c->out;
	const struct suo_profile *p = out->profile;
	const struct suo_figure *f;

	f = out->nic ? &out->nic->rate_mbps : &p->lane_rate_mbps;
	add(list, SUO_INPUT_OUT_RATE, 1, out->rate_mbps, f,
	    out->nic ? f->value : suo_profile_link_mbps(p), "scale_out.rate_gbps");
	if (out->latency_given) {
		add(list, SUO_INPUT_OUT_LATENCY, 1, out->latency_ps, NULL, 0,
		    "scale_out.latency_ns");
	} else {
		f = out->nic ? &out->nic->latency_ps : &p->endpoint_ps;
		add(list, SUO_INPUT_OUT_LATENCY, 1, out->endpoint_ps, f, f->value,
		    "scale_out.endpoint_ns");
		for (uint32_t i = 0; i < out->fabric.ntiers; i++)
			add_tier(list, c, i);
	}
	add(list, SUO_INPUT_OTHER, 0, out->mtu_bytes, &p->mtu_bytes,
	    p->mtu_bytes.value, "scale_out.mtu_bytes");
	if (out->nic) {
		add(list, SUO_INPUT_OTHER, 0, out->nic->host_mbps.value,
		    &out->nic->host_mbps, out->nic->host_mbps.value,
		    "scale_out.nic: host interface, Mb/s");
		add(list, SUO_INPUT_OTHER, 0, out->nic->kmessages.value,
		    &out->nic->kmessages, out->nic->kmessages.value,
		    "scale_out.nic: 1000 messages/s");
	}
}

unsigned int suo_cluster_inputs(const struct suo_cluster *c,
				struct suo_input in[SUO_MAX_INPUTS])
{
	struct list list = { .in = in };

	add_up(&list, c);
	add_out(&list, c);
	return list.n;
}

double suo_input_sigma(const struct suo_input *in)
{
	static const double sigma[] = {
		[SUO_SPEC]	= 0.02,
		[SUO_MEASURED]	= 0.05,
		[SUO_ASSUMED]	= 0.25,
	};

	return in->given ? 0.05 : sigma[in->provenance];
}

const char *suo_input_provenance(const struct suo_input *in)
{
	return in->given ? "file" : suo_provenance_name(in->provenance);
}

double suo_input_group_sigma(const struct suo_input *in, unsigned int n,
			     enum suo_input_group group)
{
	double sum = 0, squares = 0;

	for (unsigned int i = 0; i < n; i++) {
		double value = in[i].weight * in[i].value;

		if (in[i].group != group)
			continue;
		sum += value;
		squares += pow(value * suo_input_sigma(&in[i]), 2);
	}
	return sum > 0 ? sqrt(squares) / sum : 0;
}
