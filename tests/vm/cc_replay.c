// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the kernel do what the law of DCQCN says? Reads the trace of events suo_cc,
 * plays what happened to each flow (packets sent, notifications) to the law as
 * compiled here, and compares each rate.
 *
 * Usage: cc_replay LINE-MBPS [PARAMETER=VALUE...] < TRACE
 *
 * Parameters as files of nics/DEV/cc_params/: those that the test sets. Prints
 * "EVENTS CNPS LOWEST-KBPS LAST-KBPS FLOWS"; exit status 1 if a rate differs, or if
 * there is no event.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/core/cc.h"

#define MAX_FLOWS	16
#define US		1000000ull

struct flow {
	char dev[64];
	unsigned int qpn;
	struct suo_cc cc;
};

static struct flow flows[MAX_FLOWS];
static unsigned int num_flows;
static struct suo_cc_law law;
static uint64_t line_kbps;

static const struct {
	const char *name;
	uint64_t *field;
	uint64_t unit;
} params[] = {
	{ "rp_time_reset", &law.dcqcn.rp_time_reset_ps, US },
	{ "rp_byte_reset", &law.dcqcn.rp_byte_reset_bytes, 1 },
	{ "rp_ai_rate", &law.dcqcn.rp_ai_rate_kbps, 1000 },
	{ "rp_hai_rate", &law.dcqcn.rp_hai_rate_kbps, 1000 },
	{ "rp_min_rate", &law.dcqcn.rp_min_rate_kbps, 1000 },
	{ "rp_dce_tcp_rtt", &law.dcqcn.rp_dce_tcp_rtt_ps, US },
	{ "rp_rate_reduce_monitor_period", &law.dcqcn.rp_reduce_period_ps, US },
};

static void die(const char *what, const char *text)
{
	fprintf(stderr, "cc_replay: %s: %s\n", what, text);
	exit(2);
}

static void set_param(const char *arg)
{
	unsigned int i;

	for (i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		size_t len = strlen(params[i].name);

		if (!strncmp(arg, params[i].name, len) && arg[len] == '=') {
			*params[i].field = strtoull(arg + len + 1, NULL, 10) *
					   params[i].unit;
			return;
		}
	}
	die("no such parameter", arg);
}

static struct flow *flow_of(const char *dev, unsigned int qpn)
{
	struct flow *f;

	for (f = flows; f < flows + num_flows; f++)
		if (f->qpn == qpn && !strcmp(f->dev, dev))
			return f;
	if (num_flows == MAX_FLOWS)
		die("too many flows", dev);
	f = &flows[num_flows++];
	f->qpn = qpn;
	snprintf(f->dev, sizeof(f->dev), "%s", dev);
	return f;
}

int main(int argc, char **argv)
{
	uint64_t events = 0, cnps = 0, lowest = UINT64_MAX, last = 0;
	char line[512];
	int i;

	if (argc < 2)
		die("usage", "cc_replay LINE-MBPS [PARAMETER=VALUE...]");
	line_kbps = strtoull(argv[1], NULL, 10) * 1000;
	suo_cc_default(&law);
	for (i = 2; i < argc; i++)
		set_param(argv[i]);
	while (fgets(line, sizeof(line), stdin)) {
		char *at = strstr(line, "suo_cc: "), dev[64], event[16];
		uint64_t bytes, rate, window, ps;
		unsigned int qpn;
		struct flow *f;

		if (!at)
			continue;
		if (sscanf(at, "suo_cc: dev=%63s qpn=%u event=%15s bytes=%" SCNu64
			   " rate_kbps=%" SCNu64 " window_bytes=%" SCNu64
			   " at_ps=%" SCNu64, dev, &qpn, event, &bytes, &rate,
			   &window, &ps) != 7)
			die("what is this", line);
		f = flow_of(dev, qpn);
		if (!strcmp(event, "new"))
			suo_cc_init(&f->cc, &suo_cc_dcqcn, &law, line_kbps, 0, ps);
		else if (!f->cc.ops)
			continue;
		else if (!strcmp(event, "sent"))
			f->cc.ops->sent(&f->cc, bytes, ps);
		else if (!strcmp(event, "cnp"))
			f->cc.ops->cnp(&f->cc, ps);
		events++;
		cnps += !strcmp(event, "cnp");
		if (f->cc.rate_kbps != rate) {
			fprintf(stderr, "cc_replay: event %" PRIu64 ", the law says %" PRIu64 " kb/s: %s",
				events, (uint64_t)f->cc.rate_kbps, line);
			return 1;
		}
		lowest = rate < lowest ? rate : lowest;
		last = rate;
	}
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u\n", events, cnps, lowest,
	       last, num_flows);
	return events ? 0 : 1;
}
