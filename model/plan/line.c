// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan/line.h"

static int grow(char **line, size_t *cap)
{
	size_t more = *cap ? 2 * *cap : 256;
	char *grown = realloc(*line, more);

	if (!grown)
		return -ENOMEM;
	*line = grown;
	*cap = more;
	return 0;
}

int suo_line_get(FILE *in, char **line, size_t *cap)
{
	size_t len = 0;
	int c = 0;

	while (c != '\n') {
		if (len + 1 >= *cap && grow(line, cap))
			return -ENOMEM;
		c = getc(in);
		if (c == EOF)
			break;
		if (!c)
			return -EILSEQ;
		if (len == SUO_MAX_LINE)
			return -EFBIG;
		(*line)[len++] = c;
	}
	if (c == EOF && ferror(in))
		return -EIO;
	(*line)[len] = '\0';
	return len;
}

const char *suo_line_fault(int err)
{
	switch (err) {
	case -EILSEQ:
		return "has a null byte";
	case -EFBIG:
		return "the line is too long";
	case -ENOMEM:
		return "not enough memory";
	default:
		return "cannot be read";
	}
}
