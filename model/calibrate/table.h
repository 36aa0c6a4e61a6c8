/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of measured collectives, to calibrate on.
 *
 * A table says of itself what was measured, in lines "#: key value":
 *
 *	cluster NAME		what it is told apart by; one hardware, one software
 *	gpu NAME		accelerator (nccl_names.c)
 *	op NAME			all_reduce, all_gather, reduce_scatter, alltoall,
 *				broadcast, reduce
 *	ranks N			accelerators that took part
 *	domain N		of them in a scale-up domain; default: all
 *	nics N			NICs of a domain
 *	nic_gbps R		rate of a NIC, Gb/s
 *	transport NAME		verbs, tcpxo, rccl_verbs; default: verbs
 *	version A.B.C		of the library
 *	protocols A,B		those allowed: ll, ll128, simple
 *	algorithms A,B		those allowed: ring, tree, nvls, nvls_tree, p2p
 *	up_gbytes R		scale-up rate, GB/s, where it is not the data sheet's
 *
 * Other lines that start with '#' are comments. What follows is either the output
 * of nccl-tests as it is, or comma-separated with a heading. Columns are found by
 * name: size_bytes; oop_time_us and ip_time_us, time_us or latency_us; system,
 * nccl, op and gpus, where a table has several clusters of one domain each, named
 * as their accelerator. Of two times of a row the smaller one counts: the larger
 * one is where a measurement was disturbed.
 */
#ifndef SUO_CALIBRATE_TABLE_H
#define SUO_CALIBRATE_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "model/analytic/nccl.h"

#define SUO_CAL_NAME_LEN	48

/* Shorter vectors are not read: what they measure is the host. */
#define SUO_CAL_MIN_BYTES	1024

/**
 * struct suo_cal_row - a measurement
 * @cluster: index of the cluster
 * @sys: hardware
 * @op: collective
 * @bytes: as nccl-tests counts them
 * @us: measured
 * @line_number: in the file, from 1
 */
struct suo_cal_row {
	size_t			cluster;
	struct suo_nccl_system	sys;
	enum suo_nccl_op	op;
	uint64_t		bytes;
	double			us;
	size_t			line_number;
};

/**
 * struct suo_cal_data - all tables that were read
 * @cluster: names of clusters
 * @nclusters: of them
 * @row: measurements
 * @nrows: of them
 */
struct suo_cal_data {
	char			(*cluster)[SUO_CAL_NAME_LEN];
	size_t			nclusters;
	struct suo_cal_row	*row;
	size_t			nrows;
};

/**
 * suo_cal_read() - add a table
 * @data: what it is added to; zeroed before the first table
 * @path: the file
 * @err: where a fault is told: "FILE:LINE: what"
 * @len: size of @err
 *
 * Return: 0, -EINVAL for a faulty file, -ENOMEM, or why it could not be read.
 */
int suo_cal_read(struct suo_cal_data *data, const char *path, char *err,
		 size_t len);

/* Return: the index of a cluster, or nclusters. */
size_t suo_cal_find(const struct suo_cal_data *data, const char *cluster);

/* Is a cluster one of a list? */
bool suo_cal_listed(size_t cluster, const size_t *list, size_t n);

void suo_cal_free(struct suo_cal_data *data);

/**
 * suo_cal_spike() - whether a row was disturbed
 *
 * Return: true if a larger vector of the same collective on the same hardware took
 * less than four fifths of its time. No model in which more bytes take longer can
 * be right about both.
 */
bool suo_cal_spike(const struct suo_cal_data *data, size_t row);

#endif /* SUO_CALIBRATE_TABLE_H */
