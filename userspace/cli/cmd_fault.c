// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo fault list, add, remove: what goes wrong on the links of a suo-switch. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/cli/cli.h"
#include "userspace/cli/control.h"
#include "userspace/switch/fault_script.h"

#define MAX_WORDS	16

struct args {
	struct suo_json_opts	json;
	const char		*socket;
	const char		*word[MAX_WORDS];
	int			words;
	const char		*missing;	/* what to say if there is no word */
};

static const struct argp_option options[] = {
	{ "socket", 's', "PATH", 0, SUO_CONTROL_HELP, 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->json;
		return 0;
	case 's':
		args->socket = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (!args->missing)
			argp_error(state, "'%s' is too much", arg);
		if (args->words == MAX_WORDS)
			argp_error(state, "at most %d words are possible", MAX_WORDS);
		args->word[args->words++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (args->missing && !args->words)
			argp_error(state, "%s", args->missing);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static json_t *ask(const struct args *args, json_t *request)
{
	return suo_control_ask(suo_control_path(args->socket), request);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "?";
}

static void print_list(const json_t *faults)
{
	const json_t *fault;
	size_t i;

	if (json_array_size(faults))
		printf("%5s %-8s %12s  %s\n", "ID", "STATE", "HITS", "FAULT");
	json_array_foreach(faults, i, fault)
		printf("%5" JSON_INTEGER_FORMAT " %-8s %12" JSON_INTEGER_FORMAT "  %s\n",
		       json_integer_value(json_object_get(fault, "id")),
		       text_of(fault, "state"),
		       json_integer_value(json_object_get(fault, "hits")),
		       text_of(fault, "fault"));
}

int suo_cmd_fault_list(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "List the faults on the links of a running suo-switch: to come, on or"
		       " over, and how many frames each has met.",
		.children = suo_json_children,
	};
	struct args args = { 0 };
	json_t *answer;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	answer = ask(&args, json_pack("{s:s}", "cmd", "fault"));
	if (!answer)
		return SUO_FAILED;
	if (args.json.json)
		return suo_json_print(&args.json, answer);
	print_list(json_object_get(answer, "faults"));
	json_decref(answer);
	return SUO_OK;
}

/* All words, with blanks between. Return: false if that is too long. */
static bool join(const struct args *args, char *line, size_t size)
{
	size_t len = 0;

	for (int i = 0; i < args->words && len < size; i++)
		len += snprintf(line + len, size - len, "%s%s", i ? " " : "",
				args->word[i]);
	return len < size;
}

int suo_cmd_fault_add(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "link=LINK WHAT=VALUE [KEY=VALUE...]",
		.doc = "Add a fault to a running suo-switch: suo-fault(1) has the keys. Times"
		       " count from now on.",
		.children = suo_json_children,
	};
	struct args args = { .missing = "which fault? such as: link=leaf0:spine1 loss=0.1%" };
	char line[SWD_FAULT_TEXT], why[SWD_FAULT_WHY];
	struct swd_fault fault;
	json_t *answer;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (!join(&args, line, sizeof(line)))
		return suo_error(SUO_USAGE, "a fault has at most %u characters",
				 SWD_FAULT_TEXT - 1);
	/* But for the link's name, all can be said here. */
	if (swd_fault_parse(line, NULL, 0, &fault, why))
		return suo_error(SUO_USAGE, "%s", why);
	answer = ask(&args, json_pack("{s:s, s:s}", "cmd", "fault", "add", line));
	if (!answer)
		return SUO_FAILED;
	if (args.json.json)
		return suo_json_print(&args.json, answer);
	printf("fault %" JSON_INTEGER_FORMAT "\n",
	       json_integer_value(json_object_get(answer, "id")));
	json_decref(answer);
	return SUO_OK;
}

static int remove_one(const struct args *args, const char *word)
{
	json_t *answer;
	char *end;
	long id = strtol(word, &end, 10);

	if (*word < '0' || *word > '9' || *end || id < 1 || id > UINT32_MAX)
		return suo_error(SUO_USAGE, "'%s' is no number of a fault; see: suo fault list",
				 word);
	answer = ask(args, json_pack("{s:s, s:I}", "cmd", "fault", "remove",
				     (json_int_t)id));
	if (!answer)
		return SUO_FAILED;
	if (args->json.json)
		return suo_json_print(&args->json, answer);
	json_decref(answer);
	return SUO_OK;
}

int suo_cmd_fault_remove(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "ID...",
		.doc = "Remove faults from a running suo-switch.",
		.children = suo_json_children,
	};
	struct args args = { .missing = "which fault? see: suo fault list" };
	int status = SUO_OK;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	for (int i = 0; i < args.words && !status; i++)
		status = remove_one(&args, args.word[i]);
	return status;
}
