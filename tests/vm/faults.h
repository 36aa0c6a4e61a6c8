/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Failing one allocation of the kernel after the other: a step is repeated, with
 * its first, second, third ... allocation failing, until it makes none that has
 * not failed once.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "tap.h"

/**
 * struct fault_step - something that is tried with allocations failing
 * @what: what it is
 * @before: makes what it needs, with memory; may be NULL
 * @call: the step; returns 0 or an errno
 * @after: undoes it, with memory; gets what @call returned, and judges whether
 *	what is there accords with it
 */
struct fault_step {
	const char *what;
	bool (*before)(void);
	int (*call)(void);
	bool (*after)(int err);
};

void faults_open(void);
void faults_through(const struct fault_step *step, bool (*works)(void));
void faults_sampled(const struct fault_step *step, unsigned int each,
		    bool (*works)(void));
void faults_at_exit(const char *what, bool (*child)(void), bool (*works)(void));
unsigned int faults_total(void);

#endif /* FAULTS_H */
