/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SWD_PARTS_H
#define SWD_PARTS_H

#include "userspace/switch/switchd.h"

/* Start all parts of the process. Return: 0, or -errno after a message. */
int swd_parts_start(struct swd *s);

/* Stop them, the last one first; also what has never been started. */
void swd_parts_stop(struct swd *s);

#endif /* SWD_PARTS_H */
