// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libfabric's collectives, as a program calls them: every operation, sizes around
 * the limits of what is sent eagerly, types and reductions, groups that overlap,
 * several operations at once, and what happens when a member dies.
 *
 * Usage: coll_fi RANK RANKS DEVICE RENDEZVOUS short|types|big|die|SCALE
 *
 * One process a rank, rank 0 prints TAP. "die": the last rank kills itself in the
 * middle of an operation. SCALE, a time scale: fi_allreduce is timed, and rank 0
 * prints rows for tests/bench_predict.c.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rdma/fi_cm.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#include "userspace/perf/boot.h"
#include "userspace/perf/collective.h"

#define MAX_RANKS	16
#define NAME_SIZE	64
#define STALE		0x5a

static struct boot boot;
static uint32_t rank, ranks;
static unsigned int tests, failures;

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_av *av;
static struct fid_cq *cq;
static struct fid_eq *eq;
static struct fid_ep *ep;
static fi_addr_t addrs[MAX_RANKS];

static void die(const char *what, int err)
{
	fprintf(stderr, "rank %u: %s: %s\n", rank, what, fi_strerror(-err));
	exit(1);
}

#define must(call)						\
	do {							\
		int must_err = (call);				\
								\
		if (must_err)					\
			die(#call, must_err);			\
	} while (0)

/* All ranks say how many things are wrong; rank 0 tells. */
static void report(uint64_t wrong, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void report(uint64_t wrong, const char *fmt, ...)
{
	uint64_t all[MAX_RANKS], sum = 0;
	va_list ap;

	if (boot_allgather(&boot, &wrong, all, sizeof(wrong)))
		die(boot.why, -FI_EIO);
	for (uint32_t r = 0; r < ranks; r++)
		sum += all[r];
	tests++;
	failures += sum != 0;
	if (rank)
		return;
	printf("%sok %u - ", sum ? "not " : "", tests);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	if (sum)
		printf("# %llu wrong\n", (unsigned long long)sum);
	fflush(stdout);
}

static void open_endpoint(const char *device)
{
	struct fi_info *hints = fi_allocinfo();
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_CONTEXT, .wait_obj = FI_WAIT_FD };
	struct fi_eq_attr eq_attr = { .wait_obj = FI_WAIT_UNSPEC };
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE };
	char name[NAME_SIZE] = "", all[MAX_RANKS][NAME_SIZE];
	size_t len = sizeof(name);

	hints->caps = FI_MSG | FI_COLLECTIVE;
	hints->ep_attr->type = FI_EP_RDM;
	hints->mode = FI_CONTEXT;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED |
				      FI_MR_PROV_KEY;
	hints->domain_attr->name = strdup(device);
	hints->fabric_attr->prov_name = strdup("suo");
	must(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
	fi_freeinfo(hints);
	must(fi_fabric(info->fabric_attr, &fabric, NULL));
	must(fi_domain(fabric, info, &domain, NULL));
	must(fi_eq_open(fabric, &eq_attr, &eq, NULL));
	must(fi_cq_open(domain, &cq_attr, &cq, NULL));
	must(fi_av_open(domain, &av_attr, &av, NULL));
	must(fi_endpoint(domain, info, &ep, NULL));
	must(fi_ep_bind(ep, &av->fid, 0));
	must(fi_ep_bind(ep, &eq->fid, 0));
	must(fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
	must(fi_enable(ep));
	must(fi_getname(&ep->fid, name, &len));
	if (boot_allgather(&boot, name, all, sizeof(name)))
		die(boot.why, -FI_EIO);
	for (uint32_t r = 0; r < ranks; r++)
		if (fi_av_insert(av, all[r], 1, &addrs[r], 0, NULL) != 1)
			die("fi_av_insert", -FI_EINVAL);
}

static void close_endpoint(void)
{
	must(fi_close(&ep->fid));
	must(fi_close(&av->fid));
	must(fi_close(&cq->fid));
	must(fi_close(&eq->fid));
	must(fi_close(&domain->fid));
	must(fi_close(&fabric->fid));
	fi_freeinfo(info);
}

static struct fid_mc *join(struct fid_av_set *set)
{
	struct fi_eq_entry entry;
	struct fid_mc *mc;
	uint32_t event;
	fi_addr_t addr;
	ssize_t ret;

	must(fi_av_set_addr(set, &addr));
	must(fi_join_collective(ep, addr, set, 0, &mc, &mc));
	ret = fi_eq_sread(eq, &event, &entry, sizeof(entry), -1, 0);
	if (ret == -FI_EAVAIL) {
		struct fi_eq_err_entry e = { 0 };

		fi_eq_readerr(eq, &e, 0);
		die("join", -e.err);
	}
	if (ret != sizeof(entry) || event != FI_JOIN_COMPLETE || entry.fid != &mc->fid)
		die("the event of the join", ret < 0 ? (int)ret : -FI_EINVAL);
	return mc;
}

/* Members in this order; duplicates are none of our business. */
static struct fid_av_set *new_set(const uint32_t *member, uint32_t n)
{
	struct fi_av_set_attr attr = {
		.count = ranks, .start_addr = FI_ADDR_NOTAVAIL, .end_addr = FI_ADDR_NOTAVAIL,
	};
	struct fid_av_set *set;

	must(fi_av_set(av, &attr, &set, NULL));
	for (uint32_t i = 0; i < n; i++)
		must(fi_av_set_insert(set, addrs[member[i]]));
	return set;
}

/* Waits for one completion. Return: its context; NULL and *err for a failed one. */
static void *wait_one(int *err)
{
	struct fi_cq_entry e;
	struct fi_cq_err_entry failed = { 0 };
	ssize_t ret;

	*err = 0;
	do {
		ret = fi_cq_sread(cq, &e, 1, NULL, -1);
	} while (ret == -FI_EAGAIN || ret == -FI_EINTR);
	if (ret == 1)
		return e.op_context;
	if (ret != -FI_EAVAIL)
		die("fi_cq_sread", ret);
	fi_cq_readerr(cq, &failed, 0);
	*err = failed.err ? failed.err : FI_EOTHER;
	return NULL;
}

static const enum fi_datatype fi_types[] = {
	FI_INT8, FI_UINT8, FI_INT16, FI_UINT16, FI_INT32, FI_UINT32, FI_INT64, FI_UINT64,
	FI_INT128, FI_UINT128, -1, -1, FI_FLOAT, FI_DOUBLE, FI_LONG_DOUBLE,
	FI_FLOAT_COMPLEX, FI_DOUBLE_COMPLEX, FI_LONG_DOUBLE_COMPLEX,
};

static const enum fi_op fi_ops[] = {
	FI_SUM, FI_PROD, FI_MIN, FI_MAX, -1, FI_LOR, FI_LAND, FI_LXOR, FI_BOR, FI_BAND, FI_BXOR,
};

/* Calls the collective of a case. */
static ssize_t call(const struct collective_case *c, fi_addr_t group, fi_addr_t root,
		    void *in, void *out, void *context)
{
	enum fi_datatype type = fi_types[c->type];
	enum fi_op op = fi_ops[c->op];

	switch (c->coll) {
	case COLL_ALLREDUCE:
		return fi_allreduce(ep, in, c->count, NULL, out, NULL, group, type, op, 0, context);
	case COLL_REDUCE_SCATTER:
		return fi_reduce_scatter(ep, in, c->count, NULL, out, NULL, group, type, op, 0,
					 context);
	case COLL_ALL_GATHER:
		return fi_allgather(ep, in, c->count, NULL, out, NULL, group, type, 0, context);
	case COLL_ALLTOALL:
		return fi_alltoall(ep, in, c->count, NULL, out, NULL, group, type, 0, context);
	case COLL_BROADCAST:
		return fi_broadcast(ep, out, c->count, NULL, group, root, type, 0, context);
	case COLL_REDUCE:
		return fi_reduce(ep, in, c->count, NULL, c->rank == c->root ? out : NULL, NULL,
				 group, root, type, op, 0, context);
	case COLL_GATHER:
		return fi_gather(ep, in, c->count, NULL, c->rank == c->root ? out : NULL, NULL,
				 group, root, type, 0, context);
	default:
		return fi_scatter(ep, c->rank == c->root ? in : NULL, c->count, NULL, out, NULL,
				  group, root, type, 0, context);
	}
}

/**
 * struct run - a collective under way
 * @c: what it is
 * @in: input
 * @out: output, with a guard behind it
 * @len: bytes of output
 */
struct run {
	struct collective_case	c;
	uint8_t			*in;
	uint8_t			*out;
	size_t			len;
};

static void start(struct run *run, fi_addr_t group, fi_addr_t root)
{
	size_t elem = suo_dtype_size(run->c.type);
	size_t all = collective_total(run->c.coll, run->c.count, run->c.nranks) * elem;
	ssize_t ret;

	run->len = collective_out(&run->c) * elem;
	run->in = malloc(all + 1);
	run->out = malloc(all + 64);
	if (!run->in || !run->out)
		die("memory", -FI_ENOMEM);
	memset(run->out, STALE, all + 64);
	collective_fill(&run->c, run->in);
	if (run->c.coll == COLL_BROADCAST && run->c.rank == run->c.root)
		memcpy(run->out, run->in, all);
	ret = call(&run->c, group, root, run->in, run->out, run);
	if (ret)
		die(collective_name(run->c.coll), ret);
}

/* Return: wrong elements, and bytes written behind the output. */
static uint64_t finish(struct run *run)
{
	uint64_t wrong = collective_check(&run->c, run->out);

	for (int i = 0; i < 64; i++)
		wrong += run->out[run->len + i] != STALE;
	free(run->in);
	free(run->out);
	return wrong;
}

static uint64_t one(struct collective_case *c, fi_addr_t group, fi_addr_t root)
{
	struct run run = { .c = *c };
	int err;

	start(&run, group, root);
	if (wait_one(&err) != &run || err)
		die("completion", -err);
	return finish(&run);
}

static void all_operations(fi_addr_t group)
{
	static const size_t sizes[] = { 0, 1, 100, 4096, 16384, 16385, 200000 };

	for (int coll = 0; coll < COLL_SENDRECV; coll++) {
		uint64_t wrong = 0;

		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			struct collective_case c = {
				.coll = coll, .type = SUO_UINT8, .rank = rank, .nranks = ranks,
				.count = sizes[s], .root = s % ranks,
			};

			wrong += one(&c, group, addrs[c.root]);
		}
		report(wrong, "%s, 0 to 200000 bytes", collective_name(coll));
	}
}

static void all_types(fi_addr_t group)
{
	static const enum collective colls[] = { COLL_ALLREDUCE, COLL_REDUCE_SCATTER, COLL_REDUCE };

	for (int type = 0; type < SUO_NUM_DTYPES; type++) {
		uint64_t wrong = 0;

		if ((int)fi_types[type] < 0)
			continue;
		for (int op = 0; op < SUO_NUM_REDOPS; op++) {
			struct fi_collective_attr attr = {
				.op = fi_ops[op], .datatype = fi_types[type],
			};
			int err;

			if ((int)fi_ops[op] < 0)
				continue;
			err = fi_query_collective(domain, FI_ALLREDUCE, &attr, 0);
			wrong += !err != suo_reduce_valid(type, op);
			if (err)
				continue;
			wrong += attr.datatype_attr.size != suo_dtype_size(type);
			for (int k = 0; k < 3; k++) {
				struct collective_case c = {
					.coll = colls[k], .type = type, .op = op, .rank = rank,
					.nranks = ranks, .count = 1111 + 3000 * k,
					.root = ranks - 1,
				};

				wrong += one(&c, group, addrs[c.root]);
			}
		}
		report(wrong, "all reductions of %s", suo_dtype_name(type));
	}
}

static void queries(void)
{
	struct fi_collective_attr barrier = { .op = FI_NOOP, .datatype = FI_VOID };
	struct fi_collective_attr bits = { .op = FI_BXOR, .datatype = FI_FLOAT };
	struct fi_collective_attr swap = { .op = FI_CSWAP, .datatype = FI_INT32 };
	struct fi_collective_attr gather = { .op = FI_NOOP, .datatype = FI_LONG_DOUBLE };
	uint64_t wrong = 0;

	wrong += fi_query_collective(domain, FI_BARRIER, &barrier, 0) != 0;
	wrong += fi_query_collective(domain, FI_ALLREDUCE, &bits, 0) != -FI_EOPNOTSUPP;
	wrong += fi_query_collective(domain, FI_REDUCE, &swap, 0) != -FI_EOPNOTSUPP;
	wrong += fi_query_collective(domain, FI_GATHER, &gather, 0) != 0;
	wrong += gather.datatype_attr.size != sizeof(long double);
	wrong += gather.max_members < 64;
	report(wrong, "fi_query_collective tells what there is");
}

/* Operations of one group that overlap: they need not be waited for in turn. */
static void several_at_once(fi_addr_t group)
{
	static struct run run[24];
	uint64_t wrong = 0;
	int err;

	for (int i = 0; i < 24; i++) {
		run[i].c = (struct collective_case){
			.coll = i % COLL_SENDRECV, .type = SUO_INT32, .rank = rank,
			.nranks = ranks, .count = 10 + 997 * i, .root = i % ranks,
		};
		start(&run[i], group, addrs[i % ranks]);
	}
	for (int i = 0; i < 24; i++)
		if (!wait_one(&err))
			die("completion", -err);
	for (int i = 0; i < 24; i++)
		wrong += finish(&run[i]);
	report(wrong, "24 operations of one group at once");
}

/* Sets by arithmetic; even ranks and odd ranks; and a group in backward order. */
static void groups(struct fid_mc *world)
{
	uint32_t backward[MAX_RANKS], half[MAX_RANKS], n = 0;
	struct fid_av_set *set, *other;
	struct fid_mc *mine, *back;
	struct run run[2] = { 0 };
	uint64_t wrong = 0;
	int err;

	for (uint32_t r = 0; r < ranks; r++) {
		backward[r] = ranks - 1 - r;
		if (r % 2 == rank % 2)
			half[n++] = r;
	}
	/* everybody, without the others: what is left is our half */
	set = new_set(backward, ranks);
	other = new_set(half, n);
	must(fi_av_set_intersect(set, other));
	must(fi_av_set_diff(set, other));
	must(fi_av_set_union(set, other));
	wrong += fi_av_set_insert(set, addrs[rank]) != -FI_EINVAL;
	must(fi_av_set_remove(set, addrs[rank]));
	wrong += fi_av_set_remove(set, addrs[rank]) != -FI_EINVAL;
	must(fi_close(&set->fid));
	mine = join(other);
	must(fi_close(&other->fid));
	set = new_set(backward, ranks);
	back = join(set);
	must(fi_close(&set->fid));

	/* both at the same time, and the world in between */
	run[0].c = (struct collective_case){
		.coll = COLL_ALL_GATHER, .type = SUO_INT64, .rank = rank / 2, .nranks = n,
		.count = 5000,
	};
	run[1].c = (struct collective_case){
		.coll = COLL_ALLTOALL, .type = SUO_INT64, .rank = ranks - 1 - rank,
		.nranks = ranks, .count = 3000,
	};
	start(&run[0], fi_mc_addr(mine), FI_ADDR_UNSPEC);
	start(&run[1], fi_mc_addr(back), FI_ADDR_UNSPEC);
	must(fi_barrier(ep, fi_mc_addr(world), &run));
	for (int i = 0; i < 3; i++)
		if (!wait_one(&err))
			die("completion", -err);
	wrong += finish(&run[0]);
	wrong += finish(&run[1]);
	report(wrong, "groups that overlap");

	wrong = 0;
	for (int coll = 0; coll < COLL_SENDRECV; coll++) {
		struct collective_case c = {
			.coll = coll, .type = SUO_INT32, .rank = ranks - 1 - rank,
			.nranks = ranks, .count = 5001, .root = 1,
		};

		wrong += one(&c, fi_mc_addr(back), addrs[ranks - 2]);
	}
	report(wrong, "all operations of a group in backward order");
	must(fi_close(&mine->fid));
	must(fi_close(&back->fid));
}

static void mistakes(fi_addr_t group)
{
	uint32_t in = 1, out;
	uint64_t wrong = 0;

	wrong += fi_allreduce(ep, &in, 1, NULL, &out, NULL, FI_ADDR_NOTAVAIL, FI_INT32, FI_SUM, 0,
			      NULL) != -FI_EINVAL;
	wrong += fi_allreduce(ep, &in, 1, NULL, &out, NULL, group, FI_FLOAT, FI_BOR, 0,
			      NULL) != -FI_EOPNOTSUPP;
	wrong += fi_allreduce(ep, &in, 1, NULL, &out, NULL, group, FI_INT32, FI_MSWAP, 0,
			      NULL) != -FI_EOPNOTSUPP;
	wrong += fi_broadcast(ep, &in, 1, NULL, group, 12345, FI_INT32, 0, NULL) != -FI_EINVAL;
	report(wrong, "mistakes are refused");
}

/* A barrier is over for nobody before all have begun it. */
static void barriers(fi_addr_t group)
{
	uint64_t wrong = 0;
	int err;

	for (int i = 0; i < 20; i++) {
		must(fi_barrier(ep, group, &err));
		wrong += wait_one(&err) != &err;
	}
	report(wrong, "20 barriers");
}

static void big(fi_addr_t group)
{
	struct collective_case c = {
		.coll = COLL_ALLREDUCE, .type = SUO_FLOAT32, .rank = rank, .nranks = ranks,
		.count = 64 << 18,
	};

	report(one(&c, group, 0), "fi_allreduce of 64 MiB");
	c.type = SUO_UINT8;
	c.count = 16385;
	report(one(&c, group, 0), "fi_allreduce of 16385 bytes");
}

/* The last rank dies in the middle: the others must get an error, and no hang. */
static void death(fi_addr_t group)
{
	struct run run = { .c = {
		.coll = COLL_ALLREDUCE, .type = SUO_FLOAT32, .rank = rank, .nranks = ranks,
		.count = 1 << 18,
	} };
	int err = 0;

	for (int i = 0; !err; i++) {
		ssize_t ret;

		if (rank == ranks - 1 && i == 2)
			kill(getpid(), SIGKILL);
		if (!run.in) {
			start(&run, group, 0);
			ret = 0;
		} else {
			ret = call(&run.c, group, 0, run.in, run.out, &run);
		}
		if (ret)
			err = -ret;
		else if (wait_one(&err) == &run)
			continue;
	}
	printf("ok 1 - rank %u got an error: %s\n", rank, fi_strerror(err));
	/* and nothing else can be done with the group */
	if (!fi_barrier(ep, group, NULL))
		printf("not ");
	printf("ok 2 - rank %u cannot go on\n1..2\n", rank);
	fflush(stdout);
	_exit(0);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* From when the last rank begins until the last one has its result. */
static double time_one(struct run *run, fi_addr_t group)
{
	uint64_t when[2] = { 0 }, all[MAX_RANKS][2], first = 0, last = 0;
	int err;

	if (boot_allgather(&boot, when, all, sizeof(when)))
		die(boot.why, -FI_EIO);
	when[0] = now_ns();
	must(call(&run->c, group, 0, run->in, run->out, run));
	if (wait_one(&err) != run || err)
		die("completion", -err);
	when[1] = now_ns();
	if (boot_allgather(&boot, when, all, sizeof(when)))
		die(boot.why, -FI_EIO);
	for (uint32_t r = 0; r < ranks; r++) {
		first = all[r][0] > first ? all[r][0] : first;
		last = all[r][1] > last ? all[r][1] : last;
	}
	return (last - first) / 1000.0;
}

static void measure(fi_addr_t group, double scale)
{
	for (uint64_t size = 4096; size <= 4 << 20; size *= 4) {
		struct run run = { .c = {
			.coll = COLL_ALLREDUCE, .type = SUO_FLOAT32, .rank = rank,
			.nranks = ranks, .count = size / 4,
		} };
		int err;
		double us;

		start(&run, group, 0);
		if (wait_one(&err) != &run || err)
			die("completion", -err);
		us = time_one(&run, group) / scale;
		if (finish(&run))
			die("result", -FI_EIO);
		if (!rank)
			printf("allreduce,%llu,%u,fi_allreduce,%.3f,%.3f\n",
			       (unsigned long long)size, ranks, us,
			       size / us / 1000 * 2 * (ranks - 1) / ranks);
	}
}

int main(int argc, char **argv)
{
	uint32_t everybody[MAX_RANKS];
	struct fid_av_set *set;
	struct fid_mc *world;
	fi_addr_t group;

	if (argc != 6) {
		fprintf(stderr, "Usage: coll_fi RANK RANKS DEVICE RENDEZVOUS short|types|big|die|SCALE\n");
		return 2;
	}
	rank = atoi(argv[1]);
	ranks = atoi(argv[2]);
	if (ranks > MAX_RANKS)
		return 2;
	if (boot_open(&boot, &(struct boot_attr){ .where = argv[4], .rank = rank,
						  .nranks = ranks }))
		die(boot.why, -FI_EIO);
	open_endpoint(argv[3]);
	for (uint32_t r = 0; r < ranks; r++)
		everybody[r] = r;
	set = new_set(everybody, ranks);
	world = join(set);
	must(fi_close(&set->fid));
	group = fi_mc_addr(world);

	if (!strcmp(argv[5], "die"))
		death(group);
	if (atof(argv[5]) > 0)
		measure(group, atof(argv[5]));
	if (!strcmp(argv[5], "big"))
		big(group);
	if (!strcmp(argv[5], "types"))
		all_types(group);
	if (!strcmp(argv[5], "short")) {
		queries();
		barriers(group);
		all_operations(group);
		several_at_once(group);
		groups(world);
		mistakes(group);
	}
	must(fi_close(&world->fid));
	report(0, "the end");
	close_endpoint();
	boot_close(&boot);
	if (!rank)
		printf("1..%u\n", tests);
	return failures != 0;
}
