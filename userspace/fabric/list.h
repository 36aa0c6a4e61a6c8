/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An intrusive doubly linked list; a head is a node that links to itself. */
#ifndef SUO_FI_LIST_H
#define SUO_FI_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct suo_list {
	struct suo_list	*next;
	struct suo_list	*prev;
};

#define suo_entry(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#define suo_list_for_each(pos, head) \
	for ((pos) = (head)->next; (pos) != (head); (pos) = (pos)->next)

#define suo_list_for_each_safe(pos, tmp, head) \
	for ((pos) = (head)->next, (tmp) = (pos)->next; (pos) != (head); \
	     (pos) = (tmp), (tmp) = (pos)->next)

static inline void suo_list_init(struct suo_list *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool suo_list_empty(const struct suo_list *head)
{
	return head->next == head;
}

static inline void suo_list_add_tail(struct suo_list *node, struct suo_list *head)
{
	node->prev = head->prev;
	node->next = head;
	head->prev->next = node;
	head->prev = node;
}

/* The node is left linking to itself, so that deleting it twice is harmless. */
static inline void suo_list_del(struct suo_list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	suo_list_init(node);
}

static inline struct suo_list *suo_list_pop(struct suo_list *head)
{
	struct suo_list *node = head->next;

	if (node == head)
		return NULL;
	suo_list_del(node);
	return node;
}

#endif /* SUO_FI_LIST_H */
