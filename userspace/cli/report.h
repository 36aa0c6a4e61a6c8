/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* suo report: what its kinds of plots share. */
#ifndef SUO_CLI_REPORT_H
#define SUO_CLI_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SUO_REPORT_QUEUES	12

/**
 * struct suo_report_args - what was asked for
 * @table: the file to plot
 * @svg: where to
 * @title: or NULL
 * @queue: series: "SWITCH:PORT:PRIORITY"
 * @queues: how many of them; 0: those that were the longest
 */
struct suo_report_args {
	const char	*table;
	const char	*svg;
	const char	*title;
	const char	*queue[SUO_REPORT_QUEUES];
	size_t		queues;
};

/* A string of gnuplot in single quotes, where only the quote is special. */
void suo_report_quote(const char *text, FILE *out);

/* Colours of lines, in turn. */
const char *suo_report_color(size_t n);

/**
 * suo_report_plot() - write a script beside the plot, and run it
 * @args: where the plot goes
 * @put: writes the script
 * @data: for @put
 *
 * Return: a status.
 */
int suo_report_plot(const struct suo_report_args *args,
		    void (*put)(const void *data, const struct suo_report_args *args,
				FILE *gp),
		    const void *data);

/* Is the file a time series of suo-switch? */
bool suo_report_is_series(const char *path);

/* Plot one. Return: a status. */
int suo_report_series(const struct suo_report_args *args);

#endif /* SUO_CLI_REPORT_H */
