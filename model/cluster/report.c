// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/cluster/report.h"

#define MAX_REASON	640
#define MAX_NAME	40	/* longer names get no suggestion */

/* A file's own bytes must not reach a terminal as control sequences. */
static void put_safely(const char *text, FILE *out)
{
	for (; *text; text++) {
		unsigned char c = *text;

		fputc(c < 0x20 || c == 0x7f ? '?' : c, out);
	}
}

void suo_report_vfault(struct suo_report *report, size_t line, const char *key,
		       const char *fmt, va_list ap)
{
	char reason[MAX_REASON];

	report->faults++;
	if (!report->out)
		return;
	vsnprintf(reason, sizeof(reason), fmt, ap);
	fputs(report->file, report->out);
	if (line)
		fprintf(report->out, ":%zu", line);
	fputs(": ", report->out);
	if (key) {
		fputs("key '", report->out);
		put_safely(key, report->out);
		fputs("': ", report->out);
	}
	put_safely(reason, report->out);
	fputc('\n', report->out);
}

void suo_report_fault(struct suo_report *report, size_t line, const char *key,
		      const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	suo_report_vfault(report, line, key, fmt, ap);
	va_end(ap);
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Damerau's distance, neighbouring letters swapped at most once. */
static unsigned int edits(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);
	unsigned int d[MAX_NAME + 1][MAX_NAME + 1];

	if (na > MAX_NAME || nb > MAX_NAME)
		return UINT32_MAX;

	for (size_t i = 0; i <= na; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= nb; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		for (size_t j = 1; j <= nb; j++) {
			d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
					least(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[na][nb];
}

const char *suo_nearest(const char *name,
			const char *(*candidate)(unsigned int i, const void *arg),
			const void *arg)
{
	/* A third of the letters wrong: then it was meant for something else. */
	unsigned int best = strlen(name) / 3 + 2;
	const char *nearest = NULL;
	const char *other;

	for (unsigned int i = 0; (other = candidate(i, arg)); i++) {
		unsigned int n = edits(name, other);

		if (n < best) {
			best = n;
			nearest = other;
		}
	}
	return nearest;
}
