// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "userspace/cli/variant.h"

#define MAX_BYTES	(1u << 16)

int suo_base_read(const char *path, struct suo_base *base)
{
	struct suo_cluster *cluster;
	int status = suo_load_cluster(path, &cluster);
	FILE *file;

	if (status)
		return status;
	suo_cluster_free(cluster);
	*base = (struct suo_base){ .path = path, .text = malloc(MAX_BYTES) };
	file = fopen(path, "r");
	if (!base->text || !file) {
		status = suo_error(SUO_FAILED, "%s: %s", path, strerror(errno));
		goto err_open;
	}
	base->size = fread(base->text, 1, MAX_BYTES, file);
	if (ferror(file) || base->size == MAX_BYTES)
		status = suo_error(SUO_FAILED, "%s: cannot be read", path);
err_open:
	if (file)
		fclose(file);
	if (status)
		suo_base_free(base);
	return status;
}

void suo_base_free(struct suo_base *base)
{
	free(base->text);
	base->text = NULL;
}

static int load(yaml_document_t *doc, const char *text, size_t size)
{
	yaml_parser_t parser;
	int ok;

	if (!yaml_parser_initialize(&parser))
		return -ENOMEM;
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
	ok = yaml_parser_load(&parser, doc);
	yaml_parser_delete(&parser);
	return ok ? 0 : -EINVAL;
}

static int add_scalar(yaml_document_t *doc, const char *text, size_t len)
{
	return yaml_document_add_scalar(doc, NULL, (yaml_char_t *)text, len,
					YAML_ANY_SCALAR_STYLE);
}

/* Take over a value: a scalar, or a list of scalars. Return: the node, 0 if not. */
static int add_value(yaml_document_t *doc, const char *text)
{
	yaml_document_t value;
	yaml_node_t *root;
	int node = 0;

	if (*text != '[')
		return add_scalar(doc, text, strlen(text));
	if (load(&value, text, strlen(text)))
		return 0;
	root = yaml_document_get_root_node(&value);
	if (root && root->type == YAML_SEQUENCE_NODE) {
		node = yaml_document_add_sequence(doc, NULL, YAML_FLOW_SEQUENCE_STYLE);
		for (yaml_node_item_t *item = root->data.sequence.items.start;
		     node && item < root->data.sequence.items.top; item++) {
			yaml_node_t *n = yaml_document_get_node(&value, *item);
			int copy = n->type != YAML_SCALAR_NODE ? 0 :
				   add_scalar(doc, (char *)n->data.scalar.value,
					      n->data.scalar.length);

			if (!copy || !yaml_document_append_sequence_item(doc, node, copy))
				node = 0;
		}
	}
	yaml_document_delete(&value);
	return node;
}

/* The pair of a key in a mapping. Return: NULL if there is none. */
static yaml_node_pair_t *find_pair(yaml_document_t *doc, int mapping,
				   const char *key, size_t len)
{
	yaml_node_t *node = yaml_document_get_node(doc, mapping);
	yaml_node_pair_t *pair;

	for (pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		yaml_node_t *name = yaml_document_get_node(doc, pair->key);

		if (name->type == YAML_SCALAR_NODE &&
		    name->data.scalar.length == len &&
		    !memcmp(name->data.scalar.value, key, len))
			return pair;
	}
	return NULL;
}

/* Put a value where a path leads, and the mappings on the way to it. */
static int set(yaml_document_t *doc, const struct suo_change *change)
{
	const char *key = change->key;
	int mapping = 1;	/* the root: libyaml counts from 1 */

	for (;;) {
		size_t len = strcspn(key, ".");
		yaml_node_pair_t *pair = find_pair(doc, mapping, key, len);
		bool last = !key[len];
		int name, node;

		if (last)
			node = add_value(doc, change->value);
		else if (pair)
			node = pair->value;
		else
			node = yaml_document_add_mapping(doc, NULL,
							 YAML_ANY_MAPPING_STYLE);
		if (!node)
			return -EINVAL;
		/* Adding nodes may have moved them. */
		pair = find_pair(doc, mapping, key, len);
		if (pair) {
			pair->value = node;
		} else {
			name = add_scalar(doc, key, len);
			if (!name || !yaml_document_append_mapping_pair(doc, mapping,
									name, node))
				return -ENOMEM;
		}
		if (last)
			return 0;
		if (yaml_document_get_node(doc, node)->type != YAML_MAPPING_NODE)
			return -EINVAL;
		mapping = node;
		key += len + 1;
	}
}

struct buffer {
	char	*text;
	size_t	size;
};

static int append(void *data, unsigned char *bytes, size_t size)
{
	struct buffer *b = data;
	char *grown = realloc(b->text, b->size + size);

	if (!grown)
		return 0;
	b->text = grown;
	memcpy(grown + b->size, bytes, size);
	b->size += size;
	return 1;
}

/* The document as text; it is used up. */
static int dump(yaml_document_t *doc, struct buffer *b)
{
	yaml_emitter_t emitter;
	int ok;

	if (!yaml_emitter_initialize(&emitter)) {
		yaml_document_delete(doc);
		return -ENOMEM;
	}
	yaml_emitter_set_output(&emitter, append, b);
	yaml_emitter_set_unicode(&emitter, 1);
	yaml_emitter_set_width(&emitter, -1);
	ok = yaml_emitter_dump(&emitter, doc);
	yaml_emitter_delete(&emitter);
	return ok ? 0 : -ENOMEM;
}

/* "FILE with KEY=VALUE, KEY=VALUE" */
static char *describe(const struct suo_base *base, const struct suo_change *change,
		      unsigned int n)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(base->path, out);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "%s%s=%s", i ? ", " : " with ", change[i].key,
			change[i].value);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

int suo_variant(const struct suo_base *base, const struct suo_change *change,
		unsigned int n, FILE *errors, struct suo_cluster **cluster)
{
	struct buffer b = { 0 };
	yaml_document_t doc;
	char *name = describe(base, change, n);
	int ret;

	if (!name)
		return -ENOMEM;
	ret = load(&doc, base->text, base->size);
	for (unsigned int i = 0; !ret && i < n; i++) {
		ret = set(&doc, &change[i]);
		if (!ret)
			continue;
		if (errors)
			fprintf(errors, "%s: key '%s': cannot be set to '%s'\n",
				base->path, change[i].key, change[i].value);
		yaml_document_delete(&doc);
		goto err_set;
	}
	if (!ret)
		ret = dump(&doc, &b);
	if (!ret)
		ret = suo_cluster_parse_beside(base->path, name, b.text, b.size, errors,
					       cluster);
err_set:
	free(b.text);
	free(name);
	return ret;
}
