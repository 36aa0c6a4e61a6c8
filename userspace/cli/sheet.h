/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A table that is printed as text or as JSON: {"title", "note", "columns": [...],
 * "rows": [[...], ...]}.
 */
#ifndef SUO_CLI_SHEET_H
#define SUO_CLI_SHEET_H

#include <stdio.h>

#include <jansson.h>

/* A sheet without rows; columns are names with '|' between. */
json_t *suo_sheet_new(const char *title, const char *note, const char *columns);

/* One more row, as json_pack() packs an array: "[s, f, f]". */
void suo_sheet_add(json_t *sheet, const char *format, ...);

void suo_sheet_print(const json_t *sheet, FILE *out);

#endif /* SUO_CLI_SHEET_H */
