// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What has been found. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/cli/diagnose.h"

static struct dx_finding *next_finding(struct dx_report *report)
{
	if (report->n == report->room) {
		u32 room = report->room ? 2 * report->room : 16;
		void *grown = reallocarray(report->finding, room, sizeof(report->finding[0]));

		if (!grown) {
			report->failed = true;
			json_decref(report->spare.evidence);
			return &report->spare;
		}
		report->finding = grown;
		report->room = room;
	}
	return &report->finding[report->n++];
}

struct dx_finding *dx_find(struct dx_report *report, const char *fault, const char *where,
			   double score)
{
	struct dx_finding *f = next_finding(report);

	*f = (struct dx_finding){
		.fault = fault,
		.score = score,
		.evidence = json_array(),
	};
	snprintf(f->where, sizeof(f->where), "%s", where);
	return f;
}

void dx_say(struct dx_finding *finding, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(finding->what, sizeof(finding->what), fmt, ap);
	va_end(ap);
}

void dx_evidence(struct dx_finding *finding, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	json_array_append_new(finding->evidence, json_string(line));
}

bool dx_has(const struct dx_report *report, const char *fault)
{
	for (u32 i = 0; i < report->n; i++)
		if (!strcmp(report->finding[i].fault, fault))
			return true;
	return false;
}

static int by_score(const void *a, const void *b)
{
	const struct dx_finding *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return strcmp(x->where, y->where);
}

void dx_report_sort(struct dx_report *report)
{
	if (report->n)
		qsort(report->finding, report->n, sizeof(report->finding[0]), by_score);
}

void dx_report_free(struct dx_report *report)
{
	for (u32 i = 0; i < report->n; i++)
		json_decref(report->finding[i].evidence);
	json_decref(report->spare.evidence);
	free(report->finding);
	*report = (struct dx_report){ 0 };
}
