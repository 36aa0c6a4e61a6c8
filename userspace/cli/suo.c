// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The one command people type: suo OBJECT COMMAND [ARGS]. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/calibrate/profile.h"
#include "model/cluster/software_file.h"
#include "userspace/cli/cli.h"

static int cmd_help(int argc, char **argv);
static int cmd_version(int argc, char **argv);

static const struct suo_command commands[] = {
	{ "predict", NULL, "what a cluster's collectives will show",
	  suo_cmd_predict },
	{ "compare", NULL, "two clusters side by side, and what would turn the answer",
	  suo_cmd_compare },
	{ "sweep", NULL, "predict a grid of variants of a cluster",
	  suo_cmd_sweep },
	{ "simulate", NULL, "a network under load, packet by packet",
	  suo_cmd_simulate },
	{ "show", NULL, "counters and watermarks of a running suo-switch",
	  suo_cmd_show },
	{ "clear", NULL, "let them count from now on", suo_cmd_clear },
	{ "report", NULL, "plot measured and predicted bandwidth",
	  suo_cmd_report },
	{ "calibrate", NULL, "fit what a collective library costs to tables",
	  suo_cmd_calibrate },
	{ "doctor", NULL, "what is missing on this machine, and how to fix it",
	  suo_cmd_doctor },
	{ "cluster", "check", "check a cluster file", suo_cmd_cluster_check },
	{ "cluster", "env", "a cluster file as shell assignments",
	  suo_cmd_cluster_env },
	{ "diagnose", NULL, "what is wrong with a network, by the telemetry of a run",
	  suo_cmd_diagnose },
	{ "fault", "list", "what goes wrong on the links of a suo-switch",
	  suo_cmd_fault_list },
	{ "fault", "add", "have something go wrong on a link", suo_cmd_fault_add },
	{ "fault", "remove", "put it right again", suo_cmd_fault_remove },
	{ "plan", "list", "names of the collective algorithms",
	  suo_cmd_plan_list },
	{ "plan", "show", "the steps of a collective", suo_cmd_plan_show },
	{ "plan", "check", "prove that a plan does what it should",
	  suo_cmd_plan_check },
	{ "profile", "list", "the link generations in the catalogue",
	  suo_cmd_profile_list },
	{ "profile", "show", "one link generation, with the source of each figure",
	  suo_cmd_profile_show },
	{ "help", NULL, "this list", cmd_help },
	{ "version", NULL, "the version of suo", cmd_version },
};

#define NUM_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static void print_commands(FILE *out)
{
	fputs("Usage: suo OBJECT [COMMAND] [ARGS]\n\n"
	      "Scale-up and scale-out networks of AI clusters: model and lab.\n"
	      "Words can be abbreviated. 'suo OBJECT COMMAND --help' tells more.\n\n",
	      out);
	for (size_t i = 0; i < NUM_COMMANDS; i++) {
		char words[64];

		snprintf(words, sizeof(words), "%s %s", commands[i].object,
			 commands[i].command ? commands[i].command : "");
		fprintf(out, "  suo %-16s %s\n", words, commands[i].summary);
	}
	fputs("\nExit status: 0 all right, 1 failed, 2 wrong usage or input.\n",
	      out);
}

static int cmd_help(int argc, char **argv)
{
	print_commands(stdout);
	return SUO_OK;
}

static int cmd_version(int argc, char **argv)
{
	puts("suo " SUO_VERSION);
	return SUO_OK;
}

/* How well a word fits a name: 0 not, 1 as an abbreviation, 2 exactly. */
static int fit(const char *word, const char *name)
{
	if (!strcmp(word, name))
		return 2;
	return *word && !strncmp(word, name, strlen(word));
}

/*
 * The object that a word names. Return: NULL if there is none, or more than
 * one that it abbreviates.
 */
static const char *find_object(const char *word)
{
	const char *found = NULL;

	for (size_t i = 0; i < NUM_COMMANDS; i++) {
		int how = fit(word, commands[i].object);

		if (how == 2)
			return commands[i].object;
		if (how && found && strcmp(found, commands[i].object))
			return NULL;
		if (how)
			found = commands[i].object;
	}
	return found;
}

static const struct suo_command *find_command(const char *object,
					      const char *word)
{
	const struct suo_command *found = NULL;

	for (size_t i = 0; i < NUM_COMMANDS; i++) {
		int how;

		if (strcmp(commands[i].object, object))
			continue;
		if (!commands[i].command)
			return &commands[i];
		how = word ? fit(word, commands[i].command) : 0;
		if (how == 2)
			return &commands[i];
		if (how && found)
			return NULL;
		if (how)
			found = &commands[i];
	}
	return found;
}

static void print_choices(const char *object, FILE *out)
{
	fprintf(out, "Usage: suo %s COMMAND\n\n", object);
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		if (!strcmp(commands[i].object, object))
			fprintf(out, "  suo %s %-8s %s\n", object,
				commands[i].command, commands[i].summary);
}

/* What could not be printed was not done. */
static int finish(int status)
{
	if (fflush(stdout) || ferror(stdout))
		return suo_error(SUO_FAILED, "cannot write the output: %s",
				 strerror(errno));
	return status;
}

int main(int argc, char **argv)
{
	const struct suo_command *command;
	const char *object, *word = argc > 2 ? argv[2] : NULL;
	char name[64];
	int used = 1;

	argp_err_exit_status = SUO_USAGE;
	suo_software_set_reader(suo_cal_load);

	if (argc < 2) {
		print_commands(stderr);
		return SUO_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return finish(cmd_help(argc, argv));
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return finish(cmd_version(argc, argv));

	object = find_object(argv[1]);
	if (!object)
		return suo_error(SUO_USAGE, "no such command as '%s'; see: suo help",
				 argv[1]);

	command = find_command(object, word);
	if (!command && word && !strcmp(word, "--help")) {
		print_choices(object, stdout);
		return finish(SUO_OK);
	}
	if (!command) {
		print_choices(object, stderr);
		return SUO_USAGE;
	}

	snprintf(name, sizeof(name), "suo %s", object);
	if (command->command) {
		snprintf(name, sizeof(name), "suo %s %s", object,
			 command->command);
		used = 2;
	}
	argv[used] = name;
	return finish(command->run(argc - used, argv + used));
}
