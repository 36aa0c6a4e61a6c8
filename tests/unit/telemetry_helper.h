/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A process of suo-switch that has no network: one switch, and counters as wanted. */
#ifndef TESTS_UNIT_TELEMETRY_HELPER_H
#define TESTS_UNIT_TELEMETRY_HELPER_H

#include "userspace/switch/snapshot.h"

/*
 * One leaf with Ethernet0 (to h0:nic0) and Ethernet4 (to h1:nic0), two links, two
 * endpoints; priority 3 is lossless. All counters are 0.
 */
struct swd *fake_switch(void);
void fake_switch_free(struct swd *s);

/* The modelled time that there is. */
extern u64 fake_now_ps;

/* What is armed; U64_MAX: nothing. Let it be due. */
u64 fake_timer_at(void);
void fake_timer_run(struct swd *s);

/* Messages of the process, one after the other. */
extern char fake_said[4096];

/* Run its loop in another process, until stop_serving(). Return: the process. */
int start_serving(struct swd *s, int (*start)(struct swd *s), void (*stop)(struct swd *s));
void stop_serving(int pid);

#endif /* TESTS_UNIT_TELEMETRY_HELPER_H */
