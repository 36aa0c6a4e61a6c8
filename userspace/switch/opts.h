/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SWD_OPTS_H
#define SWD_OPTS_H

#include "userspace/switch/switchd.h"

#define SWD_EXIT_USAGE	2

/* Read the options; faults end the program. Free with swd_opts_free(). */
void swd_opts_parse(struct swd_opts *opts, int argc, char **argv);
void swd_opts_free(struct swd_opts *opts);

#endif /* SWD_OPTS_H */
