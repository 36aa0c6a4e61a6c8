/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The watch over pauses of the process: storms and deadlocks; a part (parts.c). */
#ifndef SWD_WATCHDOG_WIRE_H
#define SWD_WATCHDOG_WIRE_H

#include "userspace/switch/switchd.h"

int swd_watchdog_start(struct swd *s);
void swd_watchdog_stop(struct swd *s);

#endif /* SWD_WATCHDOG_WIRE_H */
