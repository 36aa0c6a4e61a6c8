/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading lines of text that somebody else wrote, or that are none. */
#ifndef SUO_PLAN_LINE_H
#define SUO_PLAN_LINE_H

#include <stdio.h>

#define SUO_MAX_LINE	65536

/**
 * suo_line_get() - the next line of a file
 * @in: the file
 * @line: its text, grown as need be; NULL at first, and to be freed
 * @cap: bytes of room in @line; 0 at first
 *
 * Return: its length, the newline included if it has one; 0 at the end; -EFBIG if it is
 * longer than SUO_MAX_LINE, -EILSEQ if there is a null byte in it, -EIO, -ENOMEM.
 */
int suo_line_get(FILE *in, char **line, size_t *cap);

/* What is wrong with a line, in words, by that error. */
const char *suo_line_fault(int err);

#endif /* SUO_PLAN_LINE_H */
