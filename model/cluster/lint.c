// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "model/cluster/lint.h"

struct lint {
	yaml_document_t		doc;
	struct suo_report	*report;
	struct suo_marks	*marks;
	const yaml_node_t	*before;	/* the last node, as the file has them */
	bool			no_memory;
};

static size_t line_of(const yaml_node_t *node)
{
	return node->start_mark.line + 1;
}

/* What an alias stands for is the last node again, or one before it. */
static bool is_alias(struct lint *lint, const yaml_node_t *node, const char *path)
{
	const yaml_node_t *before = lint->before;

	if (!before || (node != before &&
			node->start_mark.index >= before->start_mark.index)) {
		lint->before = node;
		return false;
	}
	suo_report_fault(lint->report, line_of(before), *path ? path : NULL,
			 "aliases (*name) are not supported");
	return true;
}

static void add_mark(struct lint *lint, const char *path, size_t line)
{
	struct suo_marks *marks = lint->marks;
	char *copy;

	if (marks->n == marks->cap) {
		size_t cap = marks->cap ? 2 * marks->cap : 16;
		struct suo_mark *grown;

		grown = reallocarray(marks->mark, cap, sizeof(*grown));
		if (!grown) {
			lint->no_memory = true;
			return;
		}
		marks->mark = grown;
		marks->cap = cap;
	}
	copy = strdup(path);
	if (!copy) {
		lint->no_memory = true;
		return;
	}
	marks->mark[marks->n++] = (struct suo_mark){ copy, line };
}

static const struct suo_mark *find_mark(const struct suo_marks *marks,
					const char *path, size_t len)
{
	for (size_t i = 0; i < marks->n; i++)
		if (strlen(marks->mark[i].path) == len &&
		    !memcmp(marks->mark[i].path, path, len))
			return &marks->mark[i];
	return NULL;
}

size_t suo_marks_line(const struct suo_marks *marks, const char *path)
{
	const struct suo_mark *mark;
	size_t len = strlen(path);

	for (;;) {
		mark = find_mark(marks, path, len);
		if (mark || !len)
			return mark ? mark->line : 0;
		do
			len--;
		while (len && path[len] != '.');
	}
}

void suo_marks_free(struct suo_marks *marks)
{
	for (size_t i = 0; i < marks->n; i++)
		free(marks->mark[i].path);
	free(marks->mark);
	memset(marks, 0, sizeof(*marks));
}

static const char *field_candidate(unsigned int i, const void *arg)
{
	const cyaml_schema_field_t *fields = arg;

	return fields[i].key;
}

static const cyaml_schema_field_t *find_field(const cyaml_schema_value_t *schema,
					      const char *key)
{
	const cyaml_schema_field_t *field;

	for (field = schema->mapping.fields; field->key; field++)
		if (!strcmp(field->key, key))
			return field;
	return NULL;
}

/* Return: the path of a key of a mapping, NULL when there is no memory. */
static char *join(struct lint *lint, const char *path, const char *key)
{
	char *joined;

	if (asprintf(&joined, "%s%s%s", path, *path ? "." : "", key) < 0) {
		lint->no_memory = true;
		return NULL;
	}
	return joined;
}

static void unknown_key(struct lint *lint, const cyaml_schema_value_t *schema,
			const char *path, const char *key, size_t line)
{
	const cyaml_schema_field_t *fields = schema->mapping.fields;
	const char *meant = suo_nearest(key, field_candidate, fields);
	char known[512] = "";

	if (meant) {
		suo_report_fault(lint->report, line, path,
				 "unknown key; did you mean '%s'?", meant);
		return;
	}
	for (size_t used = 0; fields->key && used < sizeof(known); fields++)
		used += snprintf(known + used, sizeof(known) - used, "%s%s",
				 used ? ", " : "", fields->key);
	suo_report_fault(lint->report, line, path, "unknown key; known are %s",
			 known);
}

static void lint_value(struct lint *lint, const yaml_node_t *node,
		       const cyaml_schema_value_t *schema, const char *path);

static void lint_pair(struct lint *lint, const yaml_node_pair_t *pair,
		      const cyaml_schema_value_t *schema, const char *path)
{
	const yaml_node_t *key = yaml_document_get_node(&lint->doc, pair->key);
	const yaml_node_t *value = yaml_document_get_node(&lint->doc, pair->value);
	const cyaml_schema_field_t *field;
	const struct suo_mark *first;
	const char *name;
	char *below;

	if (is_alias(lint, key, path))
		return;
	if (key->type != YAML_SCALAR_NODE) {
		suo_report_fault(lint->report, line_of(key), *path ? path : NULL,
				 "a key must be a word");
		return;
	}

	name = (const char *)key->data.scalar.value;
	below = join(lint, path, name);
	if (!below)
		return;

	field = find_field(schema, name);
	first = find_mark(lint->marks, below, strlen(below));
	if (!field) {
		unknown_key(lint, schema, below, name, line_of(key));
	} else if (first) {
		suo_report_fault(lint->report, line_of(key), below,
				 "given before, on line %zu", first->line);
	} else {
		add_mark(lint, below, line_of(key));
		lint_value(lint, value, &field->value, below);
	}
	free(below);
}

static void lint_mapping(struct lint *lint, const yaml_node_t *node,
			 const cyaml_schema_value_t *schema, const char *path)
{
	const cyaml_schema_field_t *field;
	const yaml_node_pair_t *pair;

	for (pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++)
		lint_pair(lint, pair, schema, path);

	for (field = schema->mapping.fields; field->key; field++) {
		char *below;

		if (field->value.flags & CYAML_FLAG_OPTIONAL)
			continue;
		below = join(lint, path, field->key);
		if (!below)
			return;
		if (!find_mark(lint->marks, below, strlen(below)))
			suo_report_fault(lint->report,
					 suo_marks_line(lint->marks, below),
					 below, "missing");
		free(below);
	}
}

/* Mappings in a list are told apart by their number, from 0. */
static void lint_list(struct lint *lint, const yaml_node_t *node,
		      const cyaml_schema_value_t *entry, const char *path)
{
	const yaml_node_item_t *item = node->data.sequence.items.start;
	unsigned int i = 0;

	if (item == node->data.sequence.items.top)
		suo_report_fault(lint->report, line_of(node), path,
				 "the list is empty");
	for (; item < node->data.sequence.items.top; item++, i++) {
		const yaml_node_t *value;
		char *below;

		value = yaml_document_get_node(&lint->doc, *item);
		if (entry->type != CYAML_MAPPING) {
			lint_value(lint, value, entry, path);
			continue;
		}
		if (asprintf(&below, "%s[%u]", path, i) < 0) {
			lint->no_memory = true;
			return;
		}
		add_mark(lint, below, line_of(value));
		lint_value(lint, value, entry, below);
		free(below);
	}
}

static void lint_value(struct lint *lint, const yaml_node_t *node,
		       const cyaml_schema_value_t *schema, const char *path)
{
	const char *key = *path ? path : NULL;

	if (is_alias(lint, node, path))
		return;
	switch (schema->type) {
	case CYAML_MAPPING:
		if (node->type == YAML_MAPPING_NODE)
			lint_mapping(lint, node, schema, path);
		else
			suo_report_fault(lint->report, line_of(node), key,
					 "keys and values are expected here");
		break;
	case CYAML_SEQUENCE:
		if (node->type != YAML_SEQUENCE_NODE) {
			suo_report_fault(lint->report, line_of(node), key,
					 "a list is expected here, as in [a, b]");
			break;
		}
		lint_list(lint, node, schema->sequence.entry, path);
		break;
	default:
		if (node->type != YAML_SCALAR_NODE)
			suo_report_fault(lint->report, line_of(node), key,
					 "one value is expected here");
		else if (!node->data.scalar.length)
			suo_report_fault(lint->report, line_of(node), key,
					 "has no value");
		else if (strlen((char *)node->data.scalar.value) !=
			 node->data.scalar.length)
			suo_report_fault(lint->report, line_of(node), key,
					 "has a null byte in its value");
	}
}

static void bad_yaml(struct lint *lint, const yaml_parser_t *parser)
{
	size_t line = parser->problem_mark.line + 1;

	if (parser->error == YAML_MEMORY_ERROR)
		lint->no_memory = true;
	else if (parser->error == YAML_READER_ERROR)
		suo_report_fault(lint->report, 0, NULL,
				 "not a text in UTF-8: %s, at byte %zu",
				 parser->problem, parser->problem_offset);
	else
		suo_report_fault(lint->report, line, NULL, "not YAML: %s",
				 parser->problem ? parser->problem : "unknown fault");
}

/* A second document in the file would silently be lost. */
static void lint_rest(struct lint *lint, yaml_parser_t *parser)
{
	yaml_document_t doc;
	yaml_node_t *root;

	if (!yaml_parser_load(parser, &doc)) {
		bad_yaml(lint, parser);
		return;
	}
	root = yaml_document_get_root_node(&doc);
	if (root)
		suo_report_fault(lint->report, line_of(root), NULL,
				 "a second document begins here");
	yaml_document_delete(&doc);
}

int suo_lint(const char *text, size_t size, const cyaml_schema_value_t *schema,
	     struct suo_report *report, struct suo_marks *marks)
{
	struct lint lint = { .report = report, .marks = marks };
	unsigned int faults = report->faults;
	yaml_parser_t parser;
	yaml_node_t *root;

	memset(marks, 0, sizeof(*marks));
	if (!yaml_parser_initialize(&parser))
		return -ENOMEM;
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);

	if (!yaml_parser_load(&parser, &lint.doc)) {
		bad_yaml(&lint, &parser);
		goto err_load;
	}
	root = yaml_document_get_root_node(&lint.doc);
	if (root) {
		add_mark(&lint, "", line_of(root));
		lint_value(&lint, root, schema, "");
		lint_rest(&lint, &parser);
	} else {
		suo_report_fault(report, 0, NULL, "the file is empty");
	}
	yaml_document_delete(&lint.doc);
err_load:
	yaml_parser_delete(&parser);
	if (lint.no_memory)
		return -ENOMEM;
	return report->faults == faults ? 0 : -EINVAL;
}
