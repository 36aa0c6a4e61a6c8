/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the commands of `suo` share. */
#ifndef SUO_CLI_H
#define SUO_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "model/cluster/cluster.h"

#define SUO_VERSION	"0.1"

/* Exit statuses of every command. */
enum {
	SUO_OK		= 0,
	SUO_FAILED	= 1,
	SUO_USAGE	= 2,	/* wrong arguments or input */
};

/**
 * struct suo_command - one command
 * @object: first word
 * @command: second word, or NULL
 * @summary: a line for `suo help`
 * @run: argv[0] is the command as typed, for messages
 */
struct suo_command {
	const char	*object;
	const char	*command;
	const char	*summary;
	int		(*run)(int argc, char **argv);
};

int suo_cmd_calibrate(int argc, char **argv);
int suo_cmd_cluster_check(int argc, char **argv);
int suo_cmd_cluster_env(int argc, char **argv);
int suo_cmd_doctor(int argc, char **argv);
int suo_cmd_diagnose(int argc, char **argv);
int suo_cmd_fault_add(int argc, char **argv);
int suo_cmd_fault_list(int argc, char **argv);
int suo_cmd_fault_remove(int argc, char **argv);
int suo_cmd_plan_check(int argc, char **argv);
int suo_cmd_plan_list(int argc, char **argv);
int suo_cmd_plan_show(int argc, char **argv);
int suo_cmd_predict(int argc, char **argv);
int suo_cmd_profile_list(int argc, char **argv);
int suo_cmd_profile_show(int argc, char **argv);
int suo_cmd_sweep(int argc, char **argv);
int suo_cmd_compare(int argc, char **argv);
int suo_cmd_report(int argc, char **argv);
int suo_cmd_show(int argc, char **argv);
int suo_cmd_clear(int argc, char **argv);
int suo_cmd_simulate(int argc, char **argv);

/* "Error: ..." on stderr. Return: status, for the caller to pass on. */
int suo_error(int status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * struct suo_json_opts - -j and -p, to be an argp child of every command
 * @json: print JSON
 * @pretty: print it indented
 */
struct suo_json_opts {
	bool	json;
	bool	pretty;
};

extern const struct argp suo_json_argp;

/* The children of a command that has no others. */
extern const struct argp_child suo_json_children[];

struct suo_quantity;

/* The value of --OPTION; what is wrong with it ends the program, as with argp. */
uint64_t suo_option_quantity(struct argp_state *state, const char *option,
			     const char *text, const struct suo_quantity *what);

/* Print and free a JSON value; NULL stands for no memory. Return: a status. */
int suo_json_print(const struct suo_json_opts *opts, json_t *value);

/* Load a cluster file, faults on stderr. Return: a status. */
int suo_load_cluster(const char *path, struct suo_cluster **cluster);

/* Close a file that was written. Return: a status, with a message. */
int suo_close(FILE *file, const char *path);

/* Payload rate of whole link packets, GB/s. */
double suo_payload_GBps(const struct suo_link_law *law);

#endif /* SUO_CLI_H */
