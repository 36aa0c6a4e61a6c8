/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Faults as people write them: "link=leaf0:spine1 loss=0.1% from=1ms to=2ms", in the
 * cluster file's faults:, in a fault script and in `suo fault add`. suo-fault(1) has
 * the words.
 */
#ifndef SUO_SWITCH_FAULT_SCRIPT_H
#define SUO_SWITCH_FAULT_SCRIPT_H

#include <stdio.h>

#include <jansson.h>

#include "userspace/switch/fault.h"

#define SWD_FAULT_WHY	256u

/**
 * swd_fault_parse() - read a fault
 * @text: one line
 * @ends: the links that there are; NULL: none is known, and any name will do
 * @links: of them
 * @fault: filled in; without @ends, its link is 0
 * @why: what is wrong with it, SWD_FAULT_WHY bytes
 *
 * Return: 0 or -EINVAL.
 */
int swd_fault_parse(const char *text, const struct swd_fault_ends *ends, u32 links,
		    struct swd_fault *fault, char *why);

/**
 * swd_fault_add_line() - read a fault and add it
 * @faults: where
 * @text: one line
 * @start_ps: its times count from then
 * @why: what is wrong, SWD_FAULT_WHY bytes
 *
 * Return: its id; -EINVAL, -ENOSPC or -ENOMEM with a reason.
 */
int swd_fault_add_line(struct swd_faults *faults, const char *text, u64 start_ps,
		       char *why);

/**
 * swd_fault_script() - read a file of faults: one a line, '#' begins a comment
 * @faults: they are added here
 * @file: open for reading
 * @name: of the file, for messages
 * @errors: a line for each that is wrong: "FILE:LINE: reason"
 *
 * Return: 0, -EINVAL when one was wrong, -errno.
 */
int swd_fault_script(struct swd_faults *faults, FILE *file, const char *name,
		     FILE *errors);

/**
 * swd_faults_request() - {"cmd": "fault"} of the control protocol
 * @faults: all faults
 * @request: with "add", an object of the words or a line of them, or "remove", a
 *	number; or with none of them, which asks for the list. Times of what is added
 *	count from now on.
 * @now_ps: the time
 *
 * Return: the answer, {"id": n}, {"faults": [...]} or {"error": "reason"}; NULL without
 * memory.
 */
json_t *swd_faults_request(struct swd_faults *faults, const json_t *request, u64 now_ps);

#endif /* SUO_SWITCH_FAULT_SCRIPT_H */
