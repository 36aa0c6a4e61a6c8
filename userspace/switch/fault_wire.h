/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Faults on the wires of the process. */
#ifndef SWD_FAULT_WIRE_H
#define SWD_FAULT_WIRE_H

#include <jansson.h>

#include "userspace/switch/fault.h"
#include "userspace/switch/switchd.h"

/* With the faults of the script, or else of the cluster file; a part (parts.c). */
int swd_fault_start(struct swd *s);
void swd_fault_stop(struct swd *s);

/* {"cmd": "fault"} of the control protocol: swd_faults_request(), in effect at once. */
json_t *swd_fault_command(struct swd *s, const json_t *request);

/* Numbers of the faults on a link, at most room of them. Return: how many. */
u32 swd_fault_ids(const struct swd *s, u32 link, u64 id[], u32 room);

#endif /* SWD_FAULT_WIRE_H */
