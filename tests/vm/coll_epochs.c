// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The executor's promise that plans may follow each other without a word in
 * between: many runs of changing algorithms and lengths, ranks dawdling here
 * and there, so that fast ones run into the next epoch while slow ones have not
 * begun this one; every result is compared.
 *
 * Usage: coll_epochs RANK RANKS DOMAIN-SIZE PROVIDER DEVICE RENDEZVOUS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/plan/plan_build.h"
#include "userspace/coll/exec.h"
#include "userspace/perf/boot.h"
#include "userspace/perf/data.h"

#define RUNS		300
#define MAX_COUNT	20000u

static const uint64_t counts[] = { 0, 1, 3, 100, 1021, 4096, MAX_COUNT };

#define NCOUNTS		(sizeof(counts) / sizeof(counts[0]))
#define NLAYOUTS	256

struct job {
	struct suo_layout	*layout[NLAYOUTS];
	uint64_t		count[NLAYOUTS];
	unsigned int		n;
	uint64_t		scratch_len;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static void take(struct job *job, struct suo_plan *plan, uint32_t rank, uint64_t count)
{
	struct suo_layout **layout = &job->layout[job->n];
	char why[128] = "too many";

	if (job->n == NLAYOUTS)
		die("plans", why);
	if (suo_plan_check(plan, why, sizeof(why)) ||
	    suo_layout_create(plan, rank, 0, layout, why, sizeof(why)))
		die("plan", why);
	suo_plan_free(plan);
	if ((*layout)->scratch_len > job->scratch_len)
		job->scratch_len = (*layout)->scratch_len;
	job->count[job->n++] = count;
}

/*
 * Recursive doubling: in each round, ranks whose numbers differ in one bit swap
 * their vectors. Whoever has ended the last round knows nothing of its partner's
 * end of it: only two halves of scratch memory keep the next run's message from
 * what the partner has yet to take in.
 */
static struct suo_plan *doubling(uint32_t ranks, uint64_t count)
{
	const struct suo_plan_shape shape = {
		.nranks = ranks, .domain_size = ranks, .count = count,
	};
	struct suo_plan *plan = suo_plan_alloc(SUO_COLL_ALLREDUCE, "doubling", &shape);

	for (uint32_t r = 0; plan && r < ranks; r++) {
		uint32_t got = SUO_PLAN_NO_DEP, sent;

		for (uint32_t bit = 1; bit < ranks; bit <<= 1) {
			struct suo_plan_step step = {
				.op = SUO_PLAN_SEND, .peer = r ^ bit, .len = count,
				.dep = { got, SUO_PLAN_NO_DEP },
			};

			if (suo_plan_add(plan, r, &step, &sent))
				die("plan", "no memory");
			step.op = SUO_PLAN_RECV_REDUCE;
			step.dep[0] = sent;
			if (suo_plan_add(plan, r, &step, &got))
				die("plan", "no memory");
		}
	}
	if (!plan)
		die("plan", "no memory");
	return plan;
}

static void plan_all(struct job *job, uint32_t rank, uint32_t ranks, uint32_t domain_size)
{
	for (size_t c = 0; c < NCOUNTS; c++) {
		const struct suo_plan_shape shape = {
			.nranks = ranks, .domain_size = domain_size, .count = counts[c],
		};
		struct suo_plan *plan;

		if (!(ranks & (ranks - 1)))
			take(job, doubling(ranks, counts[c]), rank, counts[c]);
		for (unsigned int a = 0; suo_plan_algorithm(a); a++)
			if (!suo_plan_allreduce(suo_plan_algorithm(a), &shape, &plan))
				take(job, plan, rank, counts[c]);
	}
}

/* The same sequence at all ranks; the delays are each rank's own. */
static uint32_t roll(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (*state >> 33) % n;
}

static uint64_t run_all(struct suo_comm *comm, struct suo_exec *exec, const struct job *job,
			float *vector, uint32_t rank, uint32_t ranks)
{
	static struct data_table input, sum;
	uint64_t plan_dice = 1, delay_dice = 1000 + rank, wrong = 0;

	data_input(&input, SUO_FLOAT32, SUO_SUM, rank, ranks);
	data_reduced(&sum, SUO_FLOAT32, SUO_SUM, ranks);
	for (int i = 0; i < RUNS; i++) {
		unsigned int which = roll(&plan_dice, job->n);
		const struct timespec delay = { .tv_nsec = roll(&delay_dice, 3000000) };

		data_fill(&input, 0, vector, job->count[which]);
		if (!roll(&delay_dice, 4))
			nanosleep(&delay, NULL);
		if (suo_exec_run(exec, job->layout[which], SUO_FLOAT32, SUO_SUM))
			die("run", comm->why);
		/* Before a look at the result, too, when peers may be far ahead. */
		if (!roll(&delay_dice, 4))
			nanosleep(&delay, NULL);
		wrong += data_check(&sum, 0, vector, job->count[which]);
	}
	return wrong;
}

int main(int argc, char **argv)
{
	static struct job job;
	struct boot boot;
	struct suo_comm *comm;
	struct suo_exec *exec;
	uint64_t wrong, all[DATA_MAX_RANKS];
	uint32_t rank, ranks;
	float *vector;

	if (argc != 7) {
		fprintf(stderr, "Usage: coll_epochs RANK RANKS DOMAIN-SIZE PROVIDER DEVICE RENDEZVOUS\n");
		return 2;
	}
	rank = atoi(argv[1]);
	ranks = atoi(argv[2]);
	plan_all(&job, rank, ranks, atoi(argv[3]));
	vector = calloc(MAX_COUNT, sizeof(*vector));
	if (boot_open(&boot, &(struct boot_attr){ argv[6], rank, ranks, 0, NULL }))
		die("rendezvous", boot.why);
	if (suo_comm_create(&(struct suo_comm_attr){ argv[4], argv[5], rank, ranks,
			    { boot_allgather, &boot, boot.abort_fd } }, &comm) ||
	    suo_exec_create(comm, &(struct suo_exec_mem){
			.data = vector, .data_len = MAX_COUNT * sizeof(*vector),
			.scratch_len = job.scratch_len * sizeof(*vector) }, &exec))
		die("set-up", comm->why);

	wrong = run_all(comm, exec, &job, vector, rank, ranks);
	if (boot_allgather(&boot, &wrong, all, sizeof(wrong)))
		die("end", boot.why);
	suo_exec_stop(exec);
	suo_comm_free(comm);
	suo_exec_free(exec);
	boot_close(&boot);
	for (unsigned int i = 0; i < job.n; i++)
		suo_layout_free(job.layout[i]);
	free(vector);
	for (uint32_t r = 0; r < ranks; r++)
		if (all[r])
			die("result", "wrong elements");
	return 0;
}
