/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The captures that --capture asks for; a part (parts.c). */
#ifndef SWD_CAPTURE_WIRE_H
#define SWD_CAPTURE_WIRE_H

#include "userspace/switch/switchd.h"

int swd_capture_start(struct swd *s);
void swd_capture_stop(struct swd *s);

#endif /* SWD_CAPTURE_WIRE_H */
