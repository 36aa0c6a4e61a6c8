// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finding and loading the part that is linked with MPI. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/perf/boot.h"

/* Set by Open MPI, by MPICH's hydra, and by whoever speaks PMIx. */
static const char *const started_by[] = {
	"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK",
};

bool boot_mpi_wanted(void)
{
	for (size_t i = 0; i < sizeof(started_by) / sizeof(started_by[0]); i++)
		if (getenv(started_by[i]))
			return true;
	return false;
}

/* The directory that the program is in, with a slash; false if it is not known. */
static bool own_directory(char *dir, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", dir, size - 1);
	char *slash;

	if (len <= 0)
		return false;
	dir[len] = '\0';
	slash = strrchr(dir, '/');
	if (!slash)
		return false;
	slash[1] = '\0';
	return true;
}

/* MPI's own plugins want its symbols: RTLD_GLOBAL. */
static void *load(const char *path)
{
	return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

const struct boot_mpi *boot_mpi_load(char *why, size_t size)
{
	const char *wanted = getenv("SUO_PERF_MPI");
	char dir[3072], path[4096];
	void *lib = NULL;
	const struct boot_mpi *mpi;

	if (wanted) {
		lib = load(wanted);
	} else {
		if (own_directory(dir, sizeof(dir))) {
			snprintf(path, sizeof(path), "%s../lib/%s", dir, BOOT_MPI_FILE);
			lib = load(path);
			if (!lib) {
				snprintf(path, sizeof(path), "%s%s", dir, BOOT_MPI_FILE);
				lib = load(path);
			}
		}
		if (!lib)
			lib = load(BOOT_MPI_FILE);
	}
	if (!lib) {
		snprintf(why, size, "%s cannot be loaded: %s; without it, use --rank, --ranks and --rendezvous, or -g",
			 wanted ? wanted : BOOT_MPI_FILE, dlerror());
		return NULL;
	}
	mpi = dlsym(lib, BOOT_MPI_SYMBOL);
	if (!mpi)
		snprintf(why, size, "%s has no %s", wanted ? wanted : BOOT_MPI_FILE,
			 BOOT_MPI_SYMBOL);
	return mpi;
}
