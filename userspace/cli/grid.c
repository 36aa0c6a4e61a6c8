// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/cli/grid.h"

/* The length of the first value of a list. */
static size_t value_len(const char *text)
{
	int depth = 0;
	size_t i;

	for (i = 0; text[i] && (text[i] != ',' || depth); i++) {
		if (text[i] == '[')
			depth++;
		else if (text[i] == ']' && depth)
			depth--;
	}
	return i;
}

static int add_value(struct suo_axis *axis, const char *text, size_t len)
{
	char **grown = reallocarray(axis->value, axis->n + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	axis->value = grown;
	grown[axis->n] = strndup(text, len);
	if (!grown[axis->n])
		return -ENOMEM;
	axis->n++;
	return 0;
}

static int add_values(struct suo_axis *axis, const char *text, char *why,
		      size_t why_size)
{
	for (;;) {
		size_t len = value_len(text);
		int ret;

		if (!len) {
			snprintf(why, why_size, "'%s' has an empty value", axis->key);
			return -EINVAL;
		}
		/* A line of the output is a point; a value has to fit into it. */
		for (size_t i = 0; i < len; i++) {
			if (text[i] >= ' ' && text[i] != '"')
				continue;
			snprintf(why, why_size, "'%s' has a value with a quote or a control character",
				 axis->key);
			return -EINVAL;
		}
		ret = add_value(axis, text, len);
		if (ret)
			return ret;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

int suo_grid_add(struct suo_grid *grid, const char *text, char *why, size_t why_size)
{
	const char *equals = strchr(text, '=');
	struct suo_axis *axis;
	size_t len;

	if (!equals || equals == text) {
		snprintf(why, why_size, "'%s' is not KEY=VALUE,VALUE,...", text);
		return -EINVAL;
	}
	len = equals - text;
	if (strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_.") != len) {
		snprintf(why, why_size, "'%.*s' is not a key", (int)len, text);
		return -EINVAL;
	}
	for (unsigned int i = 0; i < grid->naxes; i++) {
		if (strlen(grid->axis[i].key) != len ||
		    memcmp(grid->axis[i].key, text, len))
			continue;
		snprintf(why, why_size, "'%s' is given twice", grid->axis[i].key);
		return -EINVAL;
	}
	if (grid->naxes == GRID_MAX_KEYS) {
		snprintf(why, why_size, "more than %d keys", GRID_MAX_KEYS);
		return -EINVAL;
	}
	axis = &grid->axis[grid->naxes++];
	axis->key = strndup(text, len);
	return axis->key ? add_values(axis, equals + 1, why, why_size) : -ENOMEM;
}

void suo_grid_free(struct suo_grid *grid)
{
	for (unsigned int i = 0; i < grid->naxes; i++) {
		struct suo_axis *axis = &grid->axis[i];

		for (size_t v = 0; v < axis->n; v++)
			free(axis->value[v]);
		free(axis->value);
		free(axis->key);
	}
	grid->naxes = 0;
}

uint64_t suo_grid_points(const struct suo_grid *grid)
{
	uint64_t points = 1;

	for (unsigned int i = 0; i < grid->naxes; i++)
		if (__builtin_mul_overflow(points, grid->axis[i].n, &points))
			return UINT64_MAX;
	return points;
}

void suo_grid_point(const struct suo_grid *grid, uint64_t i,
		    struct suo_change change[GRID_MAX_KEYS])
{
	for (unsigned int a = grid->naxes; a-- > 0; i /= grid->axis[a].n) {
		change[a].key = grid->axis[a].key;
		change[a].value = grid->axis[a].value[i % grid->axis[a].n];
	}
}
