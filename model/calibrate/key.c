// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/calibrate/key.h"

/* More accelerators than any table will have. */
#define MAX_RANKS	1000000u
#define MAX_NICS	1024u

bool suo_cal_number(const char *text, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	return end != text && !*end && !errno && isfinite(*value) && *value > 0;
}

bool suo_cal_count(const char *text, uint64_t most, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !*end && !errno && *value && *value <= most;
}

bool suo_cal_version(const char *text, unsigned int *value)
{
	unsigned int a, b, c;
	char more;

	if (sscanf(text, "%u.%u.%u%c", &a, &b, &c, &more) != 3 || a > 99 ||
	    b > 99 || c > 99)
		return false;
	*value = a * 10000 + b * 100 + c;
	return true;
}

int suo_cal_op(const char *name)
{
	for (int i = 0; i < SUO_NCCL_OPS; i++)
		if (!strcmp(name, suo_nccl_op_name(i)))
			return i;
	return -1;
}

static const char *protocol_of(unsigned int i)
{
	return i < SUO_NCCL_PROTOCOLS ? suo_nccl_protocol_name(i) : NULL;
}

static const char *algorithm_of(unsigned int i)
{
	return i < SUO_NCCL_ALGORITHMS ? suo_nccl_algorithm_name(i) : NULL;
}

static const char *transport_of(unsigned int i)
{
	return i < SUO_NCCL_TRANSPORTS ? suo_nccl_transport_name(i) : NULL;
}

static int index_of(const char *name, const char *(*name_of)(unsigned int))
{
	const char *known;

	for (unsigned int i = 0; (known = name_of(i)); i++)
		if (!strcmp(name, known))
			return i;
	return -1;
}

static bool bits_of(char *list, const char *(*name_of)(unsigned int),
		    unsigned int *bits)
{
	char *save, *name;

	*bits = 0;
	for (name = strtok_r(list, ",", &save); name;
	     name = strtok_r(NULL, ",", &save)) {
		int i = index_of(name, name_of);

		if (i < 0)
			return false;
		*bits |= 1u << i;
	}
	return *bits;
}

static bool take(struct suo_cal_head *head, const char *key, char *value,
		 bool *known)
{
	struct suo_nccl_system *sys = &head->sys;
	uint64_t count = 0;
	bool good = false;
	int i;

	*known = true;
	if (!strcmp(key, "cluster")) {
		good = strlen(value) < sizeof(head->cluster);
		if (good)
			strcpy(head->cluster, value);
	} else if (!strcmp(key, "gpu")) {
		sys->gpu = suo_nccl_gpu_find(value);
		good = sys->gpu;
	} else if (!strcmp(key, "op")) {
		i = suo_cal_op(value);
		good = i >= 0;
		head->has_op = good;
		head->op = good ? i : 0;
	} else if (!strcmp(key, "ranks")) {
		good = suo_cal_count(value, MAX_RANKS, &count);
		sys->ranks = count;
	} else if (!strcmp(key, "domain")) {
		good = suo_cal_count(value, MAX_RANKS, &count);
		sys->domain = count;
	} else if (!strcmp(key, "nics")) {
		good = suo_cal_count(value, MAX_NICS, &count);
		sys->nics = count;
	} else if (!strcmp(key, "nic_gbps")) {
		good = suo_cal_number(value, &sys->nic_GBps);
		sys->nic_GBps /= 8;
	} else if (!strcmp(key, "transport")) {
		i = index_of(value, transport_of);
		good = i >= 0;
		sys->transport = good ? i : 0;
	} else if (!strcmp(key, "version")) {
		good = suo_cal_version(value, &sys->version);
	} else if (!strcmp(key, "protocols")) {
		good = bits_of(value, protocol_of, &sys->protocols);
	} else if (!strcmp(key, "algorithms")) {
		good = bits_of(value, algorithm_of, &sys->algorithms);
	} else if (!strcmp(key, "up_gbytes")) {
		good = suo_cal_number(value, &sys->up_GBps);
	} else {
		*known = false;
	}
	return good;
}

int suo_cal_key(struct suo_cal_head *head, char *text, char *err, size_t len)
{
	char *save, *key, *value, whole[64];
	bool known;

	key = strtok_r(text, " \t", &save);
	value = key ? strtok_r(NULL, " \t", &save) : NULL;
	if (!key || !value || strtok_r(NULL, " \t", &save)) {
		snprintf(err, len, "not '#: key value'");
		return -EINVAL;
	}
	/* A list is taken apart. */
	snprintf(whole, sizeof(whole), "%s", value);
	if (take(head, key, value, &known))
		return 0;
	if (known)
		snprintf(err, len, "%s: '%s' is not allowed", key, whole);
	else
		snprintf(err, len, "unknown key '%s'", key);
	return -EINVAL;
}
