/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text that grows. A snapshot of a large network has a hundred thousand numbers, and
 * while they are written no frame is forwarded: printf() and trees of JSON would take
 * ten times as long.
 */
#ifndef SUO_TELEMETRY_TEXT_H
#define SUO_TELEMETRY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "model/core/types.h"

/* Room for any number, and what stands before it. */
#define SUO_TEXT_NUMBER	24

/**
 * struct suo_text - a text; all zero at first
 * @data: it, without a null byte at its end
 * @len: bytes
 * @room: and can be
 * @failed: memory has run out
 */
struct suo_text {
	char	*data;
	size_t	len;
	size_t	room;
	bool	failed;
};

void suo_text_add(struct suo_text *text, const char *bytes, size_t len);
void suo_text_u64(struct suo_text *text, u64 value);

static inline void suo_text_str(struct suo_text *text, const char *str)
{
	suo_text_add(text, str, strlen(str));
}

/* Digits of a number; no null byte. Return: where they end. */
char *suo_put_u64(char *to, u64 value);

/* Take the text, with a null byte at its end. NULL: memory had run out. */
char *suo_text_take(struct suo_text *text, size_t *len);

#endif /* SUO_TELEMETRY_TEXT_H */
