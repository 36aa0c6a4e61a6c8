/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that say what is to be predicted: collectives, sizes, ranks. */
#ifndef SUO_CLI_WORKLOAD_H
#define SUO_CLI_WORKLOAD_H

#include <argp.h>
#include <stdint.h>

#include "model/analytic/predict.h"

#define MAX_LISTED	256

/**
 * struct suo_moe - what a rank dispatches to experts
 * @tokens: of a rank; 0: not given
 * @topk: experts of a token
 * @limit: nodes of a token; 0: no limit
 * @hidden: length of a token
 * @elem_bytes: of an element
 * @imbalance: of the most loaded rank, over the mean
 */
struct suo_moe {
	double	tokens;
	double	topk;
	double	limit;
	double	hidden;
	double	elem_bytes;
	double	imbalance;
};

/**
 * struct suo_workload_opts - an argp child's input
 * @work: array of nwork
 * @nwork: 0: not given
 * @size: array of nsize, bytes
 * @nsize: 0: not given
 * @ranks: array of nranks
 * @nranks: 0: not given
 * @moe: for SUO_WORK_MOE
 */
struct suo_workload_opts {
	enum suo_workload	work[SUO_WORKLOADS];
	unsigned int		nwork;
	uint64_t		size[MAX_LISTED];
	unsigned int		nsize;
	uint32_t		ranks[MAX_LISTED];
	unsigned int		nranks;
	struct suo_moe		moe;
};

extern const struct argp suo_workload_argp;

/* AllReduce of 64 KiB, 1 MiB, 64 MiB and 1 GiB, by all ranks, where nothing is given. */
void suo_workload_defaults(struct suo_workload_opts *opts);

/* Bytes that a collective is predicted for: of MoE, by its own options if given. */
double suo_workload_bytes(const struct suo_workload_opts *opts,
			  enum suo_workload work, uint64_t size);

#endif /* SUO_CLI_WORKLOAD_H */
