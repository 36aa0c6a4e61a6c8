// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>

#include "tap.h"

static int tap_run, tap_failed;

bool check(bool good, const char *fmt, ...)
{
	va_list ap;

	tap_run++;
	if (!good)
		tap_failed++;
	printf("%sok %d - ", good ? "" : "not ", tap_run);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	return good;
}

void skip(const char *what, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_run, what, why);
	fflush(stdout);
}

int tap_done(void)
{
	printf("1..%d\n", tap_run);
	return tap_failed ? 1 : 0;
}
