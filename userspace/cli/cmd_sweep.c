// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo sweep */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/cluster/units.h"
#include "model/plan/line.h"
#include "userspace/cli/sweep.h"

#define MAX_POINTS	(1ull << 40)
/* Points of a file whose results are looked at, spread over the sweep. */
#define LOOKED_AT	64

struct args {
	struct suo_workload_opts	work;
	struct suo_grid			grid;
	const char			*path;
	const char			*output;
	unsigned int			jobs;
	bool				json;
	bool				resume;
};

static const struct argp_option options[] = {
	{ "key", 'k', "KEY=VALUE,...", 0,
	  "Try these values for a key of the file, such as scale_out.rate_gbps=200,400; once for each key", 0 },
	{ "output", 'o', "FILE", 0, "Write to FILE (default standard output)", 0 },
	{ "json", 'j', NULL, 0, "Print a JSON object a line, not CSV", 0 },
	{ "jobs", 'J', "N", 0, "Processes (default one for each CPU)", 0 },
	{ "resume", 'r', NULL, 0,
	  "Go on after the points that FILE has, if it is of the same sweep", 0 },
	{ 0 }
};

static void add_key(struct argp_state *state, struct args *args, const char *text)
{
	char why[256] = "not enough memory";

	if (suo_grid_add(&args->grid, text, why, sizeof(why)))
		argp_error(state, "--key: %s", why);
}

static unsigned int job_count(struct argp_state *state, const char *text)
{
	const struct suo_quantity what = { SUO_NUMBER, NULL, 1, 256 };

	return suo_option_quantity(state, "jobs", text, &what);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->work;
		return 0;
	case 'k':
		add_key(state, args, arg);
		return 0;
	case 'o':
		args->output = arg;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case 'J':
		args->jobs = job_count(state, arg);
		return 0;
	case 'r':
		args->resume = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->path)
			argp_error(state, "one cluster file only");
		args->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which cluster file?");
		return 0;
	case ARGP_KEY_END:
		if (args->resume && !args->output)
			argp_error(state, "--resume: needs --output");
		if (suo_grid_points(&args->grid) > MAX_POINTS)
			argp_error(state, "--key: more than %llu points", MAX_POINTS);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* A number that a launcher of MPI programs leaves in the environment. */
static bool launched(const char *name, uint64_t max, uint64_t *value)
{
	const struct suo_quantity what = { SUO_NUMBER, NULL, 0, max };
	const char *text = getenv(name);
	char why[256];

	return text && !suo_quantity_parse(text, &what, value, why, sizeof(why));
}

/* Which part of the grid is ours, if several of us were started. */
static void find_part(struct sweep *sweep)
{
	static const char *const names[][2] = {
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
		{ "PMI_RANK", "PMI_SIZE" },
	};
	uint64_t all = suo_grid_points(&sweep->grid), rank = 0, size = 1;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (launched(names[i][1], 1 << 20, &size) && size > 1 &&
		    launched(names[i][0], size - 1, &rank))
			break;
		else
			size = 1;
	sweep->first = rank;
	sweep->step = size;
	sweep->points = rank < all ? (all - rank + size - 1) / size : 0;
}

/* FILE, or FILE.RANK where others write theirs. */
static char *output_name(const struct sweep *sweep, const char *path)
{
	char *name;
	size_t size;
	FILE *out;

	if (sweep->step == 1)
		return strdup(path);
	out = open_memstream(&name, &size);
	if (!out)
		return NULL;
	fprintf(out, "%s.%" PRIu64, path, sweep->first);
	return fclose(out) ? NULL : name;
}

/* The line that begins with what a point's lines begin with? */
static bool is_of_point(const struct sweep *sweep, uint64_t n, const char *line)
{
	char *prefix = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&prefix, &size);
	bool same;

	if (!out)
		return false;
	sweep_put_prefix(sweep, n, out);
	same = !fclose(out) && !strncmp(line, prefix, size);
	free(prefix);
	return same;
}

/* What the file has of a point that is looked at. */
struct expected {
	char		*text;
	const char	*at;	/* the next line; NULL for any */
};

/* What is not possible is not looked at: the reason names the file, however it was given. */
static void expect_point(struct expected *e, const struct sweep *sweep, uint64_t n)
{
	size_t size = 0;
	FILE *out;
	bool good;

	free(e->text);
	*e = (struct expected){ 0 };
	if (n >= sweep->points || n % (sweep->points / LOOKED_AT + 1))
		return;
	out = open_memstream(&e->text, &size);
	if (!out)
		return;
	good = sweep_put_point(sweep, n, out);
	if (!fclose(out) && good)
		e->at = e->text;
}

static bool is_expected(struct expected *e, const char *line)
{
	size_t len;

	if (!e->at)
		return true;
	len = strcspn(e->at, "\n") + 1;
	if (strncmp(line, e->at, len))
		return false;
	e->at += len;
	return true;
}

static bool is_header(const struct sweep *sweep, const char *line)
{
	char *header = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&header, &size);
	bool same;

	if (!out)
		return false;
	sweep_put_header(sweep, out);
	fputc('\n', out);
	same = !fclose(out) && !strcmp(line, header);
	free(header);
	return same;
}

/*
 * How many whole points a file has; it is cut after them. An unfinished last line or
 * point is done again.
 */
static int find_done(const struct sweep *sweep, FILE *file, const char *path,
		     uint64_t *done)
{
	uint64_t lines = 0, per_point = sweep_lines(sweep);
	struct expected expected = { 0 };
	long keep = 0;
	char *line = NULL;
	size_t cap = 0;
	bool header = !sweep->json;
	int status = SUO_OK, len = 0;

	while (!status && (len = suo_line_get(file, &line, &cap)) > 0) {
		if (line[len - 1] != '\n')
			break;
		if (!header && lines % per_point == 0)
			expect_point(&expected, sweep, lines / per_point);
		if (header ? !is_header(sweep, line) :
			     lines / per_point >= sweep->points ||
			     !is_of_point(sweep, lines / per_point, line) ||
			     !is_expected(&expected, line)) {
			status = suo_error(SUO_USAGE, "%s: is not of this sweep, see line %" PRIu64,
					   path, lines + 1 + (!header && !sweep->json));
			break;
		}
		if (header)
			header = false;
		else
			lines++;
		if (lines % per_point == 0)
			keep = ftell(file);
	}
	free(line);
	free(expected.text);
	*done = lines / per_point;
	if (len < 0)
		status = suo_error(SUO_USAGE, "%s: is not of this sweep: %s", path,
				   suo_line_fault(len));
	if (!status && (fflush(file) || fseek(file, keep, SEEK_SET) ||
			ftruncate(fileno(file), keep)))
		status = suo_error(SUO_FAILED, "%s: %s", path, strerror(errno));
	if (!status && header && !keep)
		*done = 0;
	return status;
}

/*
 * Open a file that no other sweep is writing, and keep others from it; it is emptied
 * only then. A file system that has no locks does without.
 */
static int open_locked(const char *name, bool resume, FILE **out)
{
	int fd = open(name, (resume ? O_RDWR : O_WRONLY) | O_CREAT | O_CLOEXEC, 0666);
	struct stat st;

	if (fd < 0)
		goto err;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
			close(fd);
			return suo_error(SUO_FAILED, "%s: another sweep is writing it",
					 name);
		}
		if (!resume && ftruncate(fd, 0))
			goto err_open;
	}
	*out = fdopen(fd, resume ? "r+" : "w");
	if (*out)
		return SUO_OK;
err_open:
	close(fd);
err:
	return suo_error(SUO_FAILED, "%s: %s", name, strerror(errno));
}

static int open_output(const struct sweep *sweep, const struct args *args,
		       const char *name, FILE **out, uint64_t *done)
{
	int status = open_locked(name, args->resume, out);

	*done = 0;
	if (status)
		return status;
	if (args->resume)
		status = find_done(sweep, *out, name, done);
	if (!status && !ftell(*out) && !sweep->json) {
		sweep_put_header(sweep, *out);
		fputc('\n', *out);
	}
	if (status)
		fclose(*out);
	return status;
}

static int run(const struct sweep *sweep, const struct args *args)
{
	uint64_t done = 0, refused = 0;
	FILE *out = stdout;
	char *name = NULL;
	int status, closed;

	if (args->output) {
		name = output_name(sweep, args->output);
		if (!name)
			return suo_error(SUO_FAILED, "not enough memory");
		status = open_output(sweep, args, name, &out, &done);
		if (status)
			goto err_open;
	} else if (!sweep->json) {
		sweep_put_header(sweep, out);
		fputc('\n', out);
	}
	status = sweep_run(sweep, done, args->jobs, out, &refused);
	if (args->output) {
		closed = suo_close(out, name);
		status = status ? status : closed;
	}
	if (refused)
		fprintf(stderr, "%" PRIu64 " of %" PRIu64 " points are not possible; see column fault\n",
			refused, sweep->points - done);
	if (!status && refused && refused == sweep->points)
		status = SUO_USAGE;
err_open:
	free(name);
	return status;
}

int suo_cmd_sweep(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &suo_workload_argp },
		{ 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "CLUSTER.yaml",
		.doc = "Predict all combinations of some values of some keys, by closed"
		       " forms, in several processes. Lines come in the order of the"
		       " grid, the last key changing first; an interrupted file is a"
		       " beginning of the whole, and --resume goes on with it. Started"
		       " by mpirun, each process does its share of the points and"
		       " writes FILE.RANK.",
		.children = children,
	};
	struct args args = { .jobs = sysconf(_SC_NPROCESSORS_ONLN) };
	struct sweep sweep = { 0 };
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	suo_workload_defaults(&args.work);
	status = suo_base_read(args.path, &sweep.base);
	if (!status) {
		sweep.grid = args.grid;
		sweep.work = args.work;
		sweep.json = args.json;
		find_part(&sweep);
		if (sweep.step > 1 && !args.output)
			status = suo_error(SUO_USAGE, "several processes of a sweep need --output");
		else
			status = run(&sweep, &args);
		suo_base_free(&sweep.base);
	}
	suo_grid_free(&args.grid);
	return status;
}
