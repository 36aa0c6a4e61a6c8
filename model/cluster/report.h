/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Telling the user what is wrong with a file, and where. */
#ifndef SUO_CLUSTER_REPORT_H
#define SUO_CLUSTER_REPORT_H

#include <stdarg.h>
#include <stdio.h>

/**
 * struct suo_report - where faults of one file are told
 * @file: the file's name
 * @out: a line a fault goes there; NULL: nowhere
 * @faults: how many there were
 */
struct suo_report {
	const char	*file;
	FILE		*out;
	unsigned int	faults;
};

/**
 * suo_report_fault() - tell one fault as ``FILE:LINE: key 'KEY': reason``
 * @report: the file
 * @line: from 1; 0: unknown
 * @key: dotted path of the key, or NULL if there is none to name
 * @fmt: the reason
 */
void suo_report_fault(struct suo_report *report, size_t line, const char *key,
		      const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

void suo_report_vfault(struct suo_report *report, size_t line, const char *key,
		       const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));

/**
 * suo_nearest() - what a misspelt name may have been meant for
 * @name: the name
 * @candidate: returns the i-th possible name, NULL past the last one
 * @arg: passed to @candidate
 *
 * Return: the candidate that fewest edits (a letter inserted, left out, changed
 * or swapped with its neighbour) lead to, NULL if even that is far off.
 */
const char *suo_nearest(const char *name,
			const char *(*candidate)(unsigned int i, const void *arg),
			const void *arg);

#endif /* SUO_CLUSTER_REPORT_H */
