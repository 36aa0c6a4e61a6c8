// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Many to one, for some time: what each flow gets of a port that they share.
 *
 * Usage: verbs_incast TO FLOWS SKIP_US MEASURE_US
 *
 * suo0 to suo(FLOWS - 1) write to suoTO, each with UNDER_WAY messages of MESSAGE bytes
 * under way, until so many modelled microseconds have passed. Prints "flow N GBPS" for each:
 * what was acknowledged after the first SKIP_US, a second of MEASURE_US; and then "sum
 * GBPS jain INDEX", of Jain, Chiu and Hawe, DEC-TR-301, 1984: (sum x)^2 / (n sum x^2).
 * All data is compared at the end. The program waits for events, so that nothing of it
 * runs meanwhile.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "verbs_lab.h"

#define MAX_FLOWS	16
#define MESSAGE		65536
#define SLOT		(BUF_SIZE / MAX_FLOWS)
#define UNDER_WAY	12

/**
 * struct flow - a sender
 * @dev: its device
 * @from: its end of the connection
 * @to: the receiver's
 * @number: of the flow
 * @under_way: messages
 * @counted: messages that were acknowledged while it was measured
 */
struct flow {
	struct dev	dev;
	struct end	from;
	struct end	to;
	unsigned int	number;
	unsigned int	under_way;
	unsigned long	counted;
};

static struct flow flow[MAX_FLOWS];
static struct dev receiver;
static unsigned int num_flows;

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "verbs_incast: %s\n", what);
	exit(1);
}

static double to_number(const char *arg)
{
	char *end;
	double val = strtod(arg, &end);

	if (*end || end == arg || !(val >= 0 && val < 1e9))
		die("usage: verbs_incast TO FLOWS SKIP_US MEASURE_US");
	return val;
}

static void post(struct flow *f)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };

	remote(&wr, &f->to, f->number * SLOT);
	if (post_send(&f->from, &wr, 0, MESSAGE))
		die("no request posted");
	f->under_way++;
}

/* What has completed; while @more, something else is sent instead. */
static void reap(struct flow *f, bool counts, bool more)
{
	struct ibv_wc wc;
	int n;

	while ((n = ibv_poll_cq(f->from.cq, 1, &wc)) > 0) {
		if (wc.status)
			die(ibv_wc_status_str(wc.status));
		f->under_way--;
		f->counted += counts;
		if (more)
			post(f);
	}
	if (n < 0)
		die("cannot poll");
}

static void take_event(struct flow *f)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(f->from.channel, &cq, &context))
		die("no event");
	ibv_ack_cq_events(cq, 1);
	if (ibv_req_notify_cq(cq, 0))
		die("no notification");
}

static unsigned int all_under_way(void)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < num_flows; i++)
		sum += flow[i].under_way;
	return sum;
}

/* @count, @end: when it is counted from, and until; microseconds of the guest */
static void run(double count, double end)
{
	struct pollfd fds[MAX_FLOWS];

	for (unsigned int i = 0; i < num_flows; i++) {
		fds[i] = (struct pollfd){ .fd = flow[i].from.channel->fd,
					  .events = POLLIN };
		if (ibv_req_notify_cq(flow[i].from.cq, 0))
			die("no notification");
		while (flow[i].under_way < UNDER_WAY)
			post(&flow[i]);
	}
	while (all_under_way()) {
		double now;

		if (poll(fds, num_flows, -1) < 0)
			die("poll");
		now = now_us();
		for (unsigned int i = 0; i < num_flows; i++) {
			if (!fds[i].revents)
				continue;
			take_event(&flow[i]);
			reap(&flow[i], now >= count && now < end, now < end);
		}
	}
}

static void open_flows(const char *to)
{
	char name[16];

	snprintf(name, sizeof(name), "suo%d", (int)to_number(to));
	dev_open(&receiver, name);
	for (unsigned int i = 0; i < num_flows; i++) {
		struct flow *f = &flow[i];

		f->number = i;
		snprintf(name, sizeof(name), "suo%u", i);
		dev_open(&f->dev, name);
		pattern(&f->dev, 0, MESSAGE, i);
		ends_open(&f->from, &f->dev, &f->to, &receiver, &rc_link);
	}
}

/* @seconds: modelled */
static void report(double seconds)
{
	double sum = 0, squares = 0;

	for (unsigned int i = 0; i < num_flows; i++) {
		double gbps = 8e-9 * MESSAGE * flow[i].counted / seconds;

		printf("flow %u %.3f\n", i, gbps);
		sum += gbps;
		squares += gbps * gbps;
		if (!matches(&receiver, i * SLOT, MESSAGE, i))
			die("wrong data");
	}
	printf("sum %.3f jain %.4f\n", sum,
	       squares > 0 ? sum * sum / (num_flows * squares) : 0);
}

int main(int argc, char **argv)
{
	double scale, skip, measure, begin;

	if (argc != 5)
		die("usage: verbs_incast TO FLOWS SKIP_US MEASURE_US");
	num_flows = to_number(argv[2]);
	skip = to_number(argv[3]);
	measure = to_number(argv[4]);
	if (!num_flows || num_flows > MAX_FLOWS || measure <= 0)
		die("1 to 16 flows, and some time");
	scale = time_scale();
	open_flows(argv[1]);
	begin = now_us();
	run(begin + skip * scale, begin + (skip + measure) * scale);
	report(measure * 1e-6);
	return 0;
}
