// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "model/cluster/schema.h"
#include "model/cluster/upfield.h"

#define MAX_FRAMING	(1 << 12)
#define MAX_PAYLOAD	(1 << 20)
/* What the reader of numbers takes. */
#define MAX_SEED	999999999999999999ull

static const char *const retry_words[] = {
	[SUO_LINK_NONE]		= "none",
	[SUO_LINK_LLR]		= "llr",
	[SUO_LINK_GBN]		= "gbn",
	[SUO_LINK_RETRIES]	= NULL,
};

#define FIELD_AS(field, file_key, dimension, unit, min, max)		\
	.name		= #field,					\
	.key		= #file_key,					\
	.what		= { dimension, unit, min, max },		\
	.law		= offsetof(struct suo_link_law, field),		\
	.law_size	= sizeof(((struct suo_link_law *)NULL)->field),	\
	.raw		= offsetof(struct suo_raw_up, file_key)

#define FIELD(field, file_key, dimension, unit, min, max)		\
	FIELD_AS(field, file_key, dimension, unit, min, max),		\
	.figure		= offsetof(struct suo_profile, field)

#define LATENCY(part)							\
	{								\
		FIELD(part##_ps, part##_ns, SUO_TIME, "ns", 0,		\
		      SUO_LINK_MAX_LATENCY_PS),				\
		.is_latency = true,					\
	}

#define BYTES(field, min, max)						\
	FIELD(field##_bytes, field##_bytes, SUO_BYTES, "B", min, max)

static const struct suo_up_field fields[] = {
	LATENCY(endpoint),
	{
		FIELD(stages, stages, SUO_NUMBER, NULL, 0, SUO_LINK_MAX_STAGES),
		.is_latency = true,
	},
	LATENCY(switch),
	LATENCY(fec),
	LATENCY(propagation),
	{ BYTES(max_payload, 1, MAX_PAYLOAD) },
	{ BYTES(header, 0, MAX_FRAMING) },
	{ BYTES(flit, 1, MAX_FRAMING) },
	{ BYTES(min_packet, 0, MAX_FRAMING) },
	{ BYTES(frame, 0, SUO_LINK_MAX_FRAME_BYTES) },
	{ BYTES(frame_payload, 0, SUO_LINK_MAX_FRAME_BYTES) },
	{ BYTES(buffer, 0, SUO_LINK_MAX_BUFFER_BYTES), .per_link = true },
	{ BYTES(credit, 0, SUO_LINK_MAX_CREDIT_BYTES), .per_link = true },
	{
		FIELD(credit_rtt_ps, credit_rtt_ns, SUO_TIME, "ns", 0,
		      SUO_LINK_MAX_RTT_PS),
	},
	{
		FIELD(errors_per_pbit, bit_error_rate, SUO_SHARE, "", 0,
		      SUO_LINK_MAX_ERRORS_PER_PBIT),
	},
	{
		FIELD(retry, retry, SUO_NUMBER, NULL, 0, SUO_LINK_RETRIES - 1),
		.words = retry_words,
	},
	{ FIELD(retry_ps, retry_ns, SUO_TIME, "ns", 0, SUO_LINK_MAX_RTT_PS) },
	{ FIELD_AS(seed, seed, SUO_NUMBER, NULL, 0, MAX_SEED) },
};

const struct suo_up_field *suo_up_field(unsigned int i)
{
	return i < sizeof(fields) / sizeof(fields[0]) ? &fields[i] : NULL;
}

const struct suo_figure *suo_up_figure(const struct suo_up_field *field,
				       const struct suo_profile *profile)
{
	if (!field->figure)
		return NULL;
	return (const void *)((const char *)profile + field->figure);
}

uint64_t suo_up_get(const struct suo_up_field *field,
		    const struct suo_link_law *law)
{
	const char *at = (const char *)law + field->law;
	uint64_t wide;
	uint32_t narrow;

	if (field->law_size == sizeof(narrow)) {
		memcpy(&narrow, at, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, at, sizeof(wide));
	return wide;
}

void suo_up_set(const struct suo_up_field *field, struct suo_link_law *law,
		uint64_t value)
{
	char *at = (char *)law + field->law;
	uint32_t narrow = value;

	if (field->law_size == sizeof(narrow))
		memcpy(at, &narrow, sizeof(narrow));
	else
		memcpy(at, &value, sizeof(value));
}

void suo_up_law(const struct suo_profile *profile, struct suo_link_law *law)
{
	memset(law, 0, sizeof(*law));
	law->rate_mbps = profile->links.value * suo_profile_link_mbps(profile);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct suo_figure *f = suo_up_figure(&fields[i], profile);

		if (f)
			suo_up_set(&fields[i], law, fields[i].per_link ?
				   f->value * profile->links.value : f->value);
	}
}
