/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of ompi_check share. */
#ifndef OMPI_CHECK_H
#define OMPI_CHECK_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

extern int me;		/* our rank */
extern int ranks;	/* how many there are */

/* Byte i of message number n from rank r. */
static inline uint8_t byte_of(int r, int n, size_t i)
{
	return (uint8_t)(r * 31 + n * 7 + i + (i >> 8) * 13 + (i >> 16) * 5);
}

void *buffer(size_t size);
void fill(uint8_t *buf, size_t len, int r, int n);
int wrong(const uint8_t *buf, size_t len, int r, int n);

/* All ranks call it: a line of TAP at rank 0, "ok" if no rank found anything wrong. */
void result(long found, const char *what);

void check_messages(void);
void check_collectives(void);
void check_windows(void);

#endif /* OMPI_CHECK_H */
