/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests of commands share. */
#ifndef TESTS_UNIT_CLI_HELPER_H
#define TESTS_UNIT_CLI_HELPER_H

#include <jansson.h>

/* Room for what a command prints, the end included. */
#define OUTPUT_SIZE	(1 << 20)

/* Set up and tear down a group: a directory of its own, which commands know as $D. */
int make_dir(void **state);
int remove_dir(void **state);

/* That directory. */
const char *get_dir(void);

/* A file in that directory. */
void put_file(const char *name, const char *text);

/*
 * Run a shell command; both its outputs are stored, cut to OUTPUT_SIZE. Return: its
 * exit status.
 */
int run(char *output, const char *command);

/* Run one that has to have this status and to print this. */
void expect(const char *command, int status, const char *part);

/* What one that has to be successful prints. */
json_t *get_json(const char *command);

/* A member that has to be there. */
double number(const json_t *object, const char *key);

#endif /* TESTS_UNIT_CLI_HELPER_H */
