/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines "#: key value" of a table, and numbers and names as tables have them. */
#ifndef SUO_CALIBRATE_KEY_H
#define SUO_CALIBRATE_KEY_H

#include "model/calibrate/table.h"

/* What a table says of itself. */
struct suo_cal_head {
	char			cluster[SUO_CAL_NAME_LEN];
	struct suo_nccl_system	sys;
	bool			has_op;
	enum suo_nccl_op	op;
};

/**
 * suo_cal_key() - take a line "#: key value"
 * @head: where it goes
 * @text: what follows "#:"
 * @err: what is wrong with it, in words
 * @len: size of @err
 *
 * Return: 0 or -EINVAL.
 */
int suo_cal_key(struct suo_cal_head *head, char *text, char *err, size_t len);

/* A number above 0 and all of the text. Return: whether it is one. */
bool suo_cal_number(const char *text, double *value);

/* A whole number from 1 to @most. */
bool suo_cal_count(const char *text, uint64_t most, uint64_t *value);

/* Version A.B.C as ABBCC. */
bool suo_cal_version(const char *text, unsigned int *value);

/* Index of a name, or -1. */
int suo_cal_op(const char *name);

#endif /* SUO_CALIBRATE_KEY_H */
