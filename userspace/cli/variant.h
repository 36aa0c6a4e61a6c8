/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A cluster file with some of its keys changed. */
#ifndef SUO_CLI_VARIANT_H
#define SUO_CLI_VARIANT_H

#include "userspace/cli/cli.h"

/**
 * struct suo_change - another value for a key
 * @key: dotted path, as in messages: scale_out.rate_gbps
 * @value: as it would stand in the file; a list as [a, b]
 */
struct suo_change {
	const char	*key;
	const char	*value;
};

/**
 * struct suo_base - a cluster file that is changed
 * @path: of the file
 * @text: its bytes
 * @size: how many
 */
struct suo_base {
	const char	*path;
	char		*text;
	size_t		size;
};

/* Read it, and see that it is good as it is. Return: a status, with a message. */
int suo_base_read(const char *path, struct suo_base *base);
void suo_base_free(struct suo_base *base);

/**
 * suo_variant() - the cluster with changes
 * @base: the file
 * @change: array of n
 * @n: changes; those to the same key come one after the other
 * @errors: told what is wrong; the file's name has the changes in it; or NULL
 * @cluster: where it goes
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int suo_variant(const struct suo_base *base, const struct suo_change *change,
		unsigned int n, FILE *errors, struct suo_cluster **cluster);

#endif /* SUO_CLI_VARIANT_H */
