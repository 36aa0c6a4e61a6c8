// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo doctor: what is missing on this machine, and how to fix it. */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "userspace/cli/cli.h"

enum area {
	LAB	= 1 << 0,	/* measuring in QEMU */
	MODULE	= 1 << 1,	/* using the module in this kernel */
};

struct args {
	struct suo_json_opts	json;
	unsigned int		areas;
};

struct check {
	struct args	*args;
	json_t		*list;
	unsigned int	missing;
};

/* Tools by the package that has them. */
static const struct tool {
	unsigned int	area;
	const char	*program;
	const char	*package;
} tools[] = {
	{ LAB,		"qemu-system-x86_64",	"qemu-system-x86" },
	{ LAB,		"cpio",			"cpio" },
	{ LAB,		"xz",			"xz-utils" },
	{ LAB,		"gnuplot",		"gnuplot-nox" },
	{ LAB | MODULE,	"make",			"make" },
	{ LAB | MODULE,	"gcc",			"gcc" },
	{ LAB | MODULE,	"modprobe",		"kmod" },
	{ LAB | MODULE,	"rdma",			"iproute2" },
	{ LAB | MODULE,	"ibv_devinfo",		"ibverbs-utils" },
	{ LAB | MODULE,	"ib_send_lat",		"perftest" },
	{ LAB | MODULE,	"fi_pingpong",		"libfabric-bin" },
};

static void result(struct check *check, bool ok, const char *what,
		   const char *found, const char *fix)
{
	if (!ok)
		check->missing++;
	if (check->args->json.json)
		json_array_append_new(check->list,
			json_pack("{s:s, s:b, s:s, s:s}", "what", what, "ok", ok,
				  "found", found, "fix", ok ? "" : fix));
	else if (ok)
		printf("ok       %-28s %s\n", what, found);
	else
		printf("MISSING  %-28s %s\n", what, fix);
}

/* Return: the path of a program, to be freed; NULL if there is none. */
static char *find_program(const char *program)
{
	/* What an administrator runs is not in everybody's PATH. */
	static const char extra[] = ":/usr/sbin:/sbin";
	const char *path = getenv("PATH");
	char *dirs, *rest, *dir, *file = NULL;

	if (asprintf(&dirs, "%s%s", path ? path : "/usr/bin:/bin", extra) < 0)
		return NULL;
	rest = dirs;
	while ((dir = strsep(&rest, ":"))) {
		if (asprintf(&file, "%s/%s", *dir ? dir : ".", program) < 0) {
			file = NULL;
			break;
		}
		if (!access(file, X_OK))
			break;
		free(file);
		file = NULL;
	}
	free(dirs);
	return file;
}

static void check_tools(struct check *check)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		char *path, fix[96];

		if (!(tools[i].area & check->args->areas))
			continue;
		path = find_program(tools[i].program);
		snprintf(fix, sizeof(fix), "apt-get install %s", tools[i].package);
		result(check, path, tools[i].program, path ? path : "", fix);
		free(path);
	}
}

/* Return: whether a file fits the pattern; the last one is stored. */
static bool find_file(const char *pattern, char *found, size_t size)
{
	glob_t g;
	bool ok;

	*found = '\0';
	if (glob(pattern, 0, NULL, &g))
		return false;
	ok = g.gl_pathc > 0;
	if (ok)
		snprintf(found, size, "%s", g.gl_pathv[g.gl_pathc - 1]);
	globfree(&g);
	return ok;
}

static void check_file(struct check *check, const char *what,
		       const char *pattern, const char *fix)
{
	char found[256];
	bool ok = find_file(pattern, found, sizeof(found));

	result(check, ok, what, found, fix);
}

static void check_lab(struct check *check)
{
	check_file(check, "a kernel for the guest", "/boot/vmlinuz-*",
		   "apt-get install linux-image-amd64");
	check_file(check, "headers of a kernel", "/lib/modules/*/build/Makefile",
		   "apt-get install linux-headers-amd64");
	check_file(check, "a static busybox", "/bin/busybox",
		   "apt-get install busybox-static");
}

/* Is there a line in the modules' index that names the module? */
static bool is_installed(const char *release)
{
	char path[256], line[512];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", release);
	file = fopen(path, "r");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, "/suo.ko");
	fclose(file);
	return found;
}

static void check_module(struct check *check)
{
	bool loaded = !access("/sys/module/suo", F_OK);
	char path[256], fix[256];
	struct utsname uts;

	if (uname(&uts)) {
		result(check, false, "the running kernel", "", strerror(errno));
		return;
	}

	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile",
		 uts.release);
	snprintf(fix, sizeof(fix), "apt-get install linux-headers-%s (the running kernel's)",
		 uts.release);
	check_file(check, "headers of this kernel", path, fix);

	snprintf(fix, sizeof(fix), "make kmod, then insmod the suo.ko it has built for %s",
		 uts.release);
	result(check, loaded || is_installed(uts.release), "module suo",
	       loaded ? "loaded" : "installed, not loaded: modprobe suo", fix);
	if (loaded)
		check_file(check, "configfs", "/sys/kernel/config/suo",
			   "mount -t configfs none /sys/kernel/config");
	check_file(check, "RDMA in this kernel", "/sys/class/infiniband*",
		   "modprobe ib_uverbs");
	check_file(check, "the verbs provider is known",
		   "/etc/libibverbs.d/suo.driver", "make install");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->json;
		return 0;
	case ARGP_KEY_ARG:
		if (!strcmp(arg, "lab"))
			args->areas |= LAB;
		else if (!strcmp(arg, "module"))
			args->areas |= MODULE;
		else
			argp_error(state, "'%s' is neither lab nor module", arg);
		return 0;
	case ARGP_KEY_END:
		if (!args->areas)
			args->areas = LAB | MODULE;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int suo_cmd_doctor(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "[lab] [module]",
		.doc = "Say what is missing on this machine to measure in the lab"
		       " (QEMU) and to use the module in this kernel, and how to"
		       " fix it. Exit status 1 if something is missing.",
		.children = suo_json_children,
	};
	struct args args = { 0 };
	struct check check = { .args = &args };
	int status = SUO_OK;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (args.json.json)
		check.list = json_array();

	check_tools(&check);
	if (args.areas & LAB)
		check_lab(&check);
	if (args.areas & MODULE)
		check_module(&check);

	if (args.json.json)
		status = suo_json_print(&args.json, check.list);
	else
		printf("%u missing\n", check.missing);
	return status ? status : check.missing ? SUO_FAILED : SUO_OK;
}
