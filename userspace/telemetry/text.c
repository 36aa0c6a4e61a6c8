// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "userspace/telemetry/text.h"

#define FIRST_ROOM	65536

static bool make_room(struct suo_text *text, size_t more)
{
	size_t room = text->room ? text->room : FIRST_ROOM;
	char *grown;

	if (text->failed)
		return false;
	if (text->room - text->len >= more)
		return true;
	while (room - text->len < more)
		room *= 2;
	grown = realloc(text->data, room);
	if (!grown) {
		text->failed = true;
		return false;
	}
	text->data = grown;
	text->room = room;
	return true;
}

void suo_text_add(struct suo_text *text, const char *bytes, size_t len)
{
	if (!make_room(text, len))
		return;
	memcpy(text->data + text->len, bytes, len);
	text->len += len;
}

char *suo_put_u64(char *to, u64 value)
{
	char digits[20];
	int n = 0;

	do {
		digits[n++] = '0' + value % 10;
		value /= 10;
	} while (value);
	while (n)
		*to++ = digits[--n];
	return to;
}

void suo_text_u64(struct suo_text *text, u64 value)
{
	if (make_room(text, SUO_TEXT_NUMBER))
		text->len = suo_put_u64(text->data + text->len, value) - text->data;
}

char *suo_text_take(struct suo_text *text, size_t *len)
{
	char *data;

	suo_text_add(text, "", 1);
	data = text->data;
	*len = text->len - 1;
	if (text->failed) {
		free(data);
		data = NULL;
	}
	*text = (struct suo_text){ 0 };
	return data;
}
