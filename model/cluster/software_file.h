/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Software profiles in files of their own, as suo calibrate writes them. What reads one
 * needs libraries that a provider must not (GSL, jansson): so it is a function that a
 * program hands over, and where none did, such a profile is refused.
 */
#ifndef SUO_CLUSTER_SOFTWARE_FILE_H
#define SUO_CLUSTER_SOFTWARE_FILE_H

#include <stddef.h>

#include "model/analytic/nccl.h"

/**
 * typedef suo_software_reader - read a profile
 * @path: the file
 * @k: where its constants go
 * @err: where a fault is told, with the file's name
 * @len: size of @err
 *
 * Return: 0 or a negative errno. suo_cal_load() is one.
 */
typedef int (*suo_software_reader)(const char *path, struct suo_nccl_constants *k,
				   char *err, size_t len);

/* From now on, profiles that cluster files name are read by this; NULL: by nothing. */
void suo_software_set_reader(suo_software_reader reader);

suo_software_reader suo_software_get_reader(void);

/**
 * struct suo_software_file - a profile that was read
 * @nccl: the library on its accelerator; its constants are @k
 * @k: constants
 * @name: of the file, as the cluster file has it
 */
struct suo_software_file {
	struct suo_nccl			nccl;
	struct suo_nccl_constants	k;
	char				name[];
};

#endif /* SUO_CLUSTER_SOFTWARE_FILE_H */
