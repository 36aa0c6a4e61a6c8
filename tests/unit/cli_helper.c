// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/unit/cli_helper.h"

static char dir[] = "/tmp/suo-cli-XXXXXX";

int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

int remove_dir(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

const char *get_dir(void)
{
	return dir;
}

void put_file(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

int run(char *output, const char *command)
{
	char line[1024];
	size_t len;
	FILE *pipe;
	int status;

	snprintf(line, sizeof(line), "D=%s; { %s; } 2>&1", dir, command);
	pipe = popen(line, "r");
	assert_non_null(pipe);
	len = fread(output, 1, OUTPUT_SIZE - 1, pipe);
	output[len] = '\0';
	status = pclose(pipe);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

void expect(const char *command, int status, const char *part)
{
	char *output = malloc(OUTPUT_SIZE);
	int got;

	assert_non_null(output);
	got = run(output, command);
	if (got != status || !strstr(output, part))
		fail_msg("%s: status %d, expected %d with \"%s\", output:\n%.4000s",
			 command, got, status, part, output);
	free(output);
}

json_t *get_json(const char *command)
{
	char *output = malloc(OUTPUT_SIZE);
	json_error_t error;
	json_t *root;

	assert_non_null(output);
	assert_int_equal(run(output, command), 0);
	root = json_loads(output, 0, &error);
	if (!root)
		fail_msg("%s: %s in:\n%.4000s", command, error.text, output);
	free(output);
	return root;
}

double number(const json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	assert_true(json_is_number(value));
	return json_number_value(value);
}
