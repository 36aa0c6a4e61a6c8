/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verbs_faults: what its parts share, two devices and the ends of a connection
 * between them.
 */
#ifndef VERBS_FAULTS_H
#define VERBS_FAULTS_H

#include "verbs_lab.h"

/* A message, and where b has it */
#define LEN	20000u
#define AT_B	(1u << 20)

extern struct dev dev_a, dev_b;
extern struct end a, b;
extern unsigned int seed;

int ended(const void *made);
bool open_ends(void);
bool close_ends(void);
bool passes(void);
bool works(void);

void fault_objects(void);
void fault_queue_pairs(void);
void fault_windows(void);

#endif /* VERBS_FAULTS_H */
