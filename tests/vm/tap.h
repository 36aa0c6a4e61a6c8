/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* TAP, of programs that run in the guest; tap.inc takes it over. */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

bool check(bool good, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void skip(const char *what, const char *why);
int tap_done(void);

#endif /* TAP_H */
