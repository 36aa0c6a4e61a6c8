/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libcyaml fills structures by a schema but says little about where a file is
 * wrong. This walks the file along the same schema first, so that each fault is
 * told with its line and key, and remembers where each key stands.
 */
#ifndef SUO_CLUSTER_LINT_H
#define SUO_CLUSTER_LINT_H

#include <cyaml/cyaml.h>

#include "model/cluster/report.h"

/**
 * struct suo_marks - on which line each key stands
 * @mark: array of n: a dotted path ("" is the file itself) and its line
 * @n: entries used
 * @cap: entries allocated
 */
struct suo_marks {
	struct suo_mark {
		char	*path;
		size_t	line;
	} *mark;
	size_t	n;
	size_t	cap;
};

/**
 * suo_lint() - compare a YAML text with a schema
 * @text: the text
 * @size: its bytes
 * @schema: mappings, sequences and strings only
 * @report: told about unknown, missing and repeated keys, wrong kinds of value
 *	and bad YAML
 * @marks: filled in; free with suo_marks_free(), also after an error
 *
 * Return: 0, -EINVAL when there were faults, -ENOMEM.
 */
int suo_lint(const char *text, size_t size, const cyaml_schema_value_t *schema,
	     struct suo_report *report, struct suo_marks *marks);

/* Return: the line of a key; that of the nearest mapping it is missing in; or 0. */
size_t suo_marks_line(const struct suo_marks *marks, const char *path);

void suo_marks_free(struct suo_marks *marks);

#endif /* SUO_CLUSTER_LINT_H */
