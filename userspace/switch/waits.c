// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cycles of a graph. */
#include <errno.h>
#include <stdlib.h>

#include "userspace/switch/deadlock.h"

#define UNSEEN	0u

int swd_waits_init(struct swd_waits *waits, u32 nodes)
{
	size_t n = nodes + 1;

	*waits = (struct swd_waits){ .nodes = nodes };
	waits->first = calloc(n, sizeof(u32));
	waits->order = calloc(n, sizeof(u32));
	waits->low = calloc(n, sizeof(u32));
	waits->stack = calloc(n, sizeof(u32));
	waits->call = calloc(n, sizeof(u32));
	waits->at = calloc(n, sizeof(u32));
	waits->part = calloc(n, sizeof(u32));
	return waits->first && waits->order && waits->low && waits->stack &&
	       waits->call && waits->at && waits->part ? 0 : -ENOMEM;
}

void swd_waits_free(struct swd_waits *waits)
{
	free(waits->first);
	free(waits->edge);
	free(waits->order);
	free(waits->low);
	free(waits->stack);
	free(waits->call);
	free(waits->at);
	free(waits->part);
	*waits = (struct swd_waits){ 0 };
}

void swd_waits_node(struct swd_waits *waits, u32 node)
{
	if (!node)
		waits->edges = 0;
	waits->first[node] = waits->edges;
	waits->first[waits->nodes] = waits->edges;
}

int swd_waits_add(struct swd_waits *waits, u32 on)
{
	if (waits->edges == waits->cap) {
		u32 cap = waits->cap ? 2 * waits->cap : 64;
		u32 *edge = realloc(waits->edge, cap * sizeof(*edge));

		if (!edge)
			return -ENOMEM;
		waits->edge = edge;
		waits->cap = cap;
	}
	waits->edge[waits->edges++] = on;
	waits->first[waits->nodes] = waits->edges;
	return 0;
}

/*
 * Number the sets of nodes that reach each other, from 1 on, in part[]. Tarjan,
 * "Depth-first search and linear graph algorithms", 1972, without recursion.
 */
static u32 find_parts(struct swd_waits *w)
{
	u32 seen = 0, parts = 0, on_stack = 0, depth;

	for (u32 v = 0; v < w->nodes; v++) {
		w->order[v] = UNSEEN;
		w->part[v] = 0;
	}
	for (u32 root = 0; root < w->nodes; root++) {
		if (w->order[root] != UNSEEN)
			continue;
		depth = 0;
		w->call[depth] = root;
		w->order[root] = ++seen;
		w->low[root] = seen;
		w->at[root] = w->first[root];
		w->stack[on_stack++] = root;
		while (true) {
			u32 v = w->call[depth], to;

			if (w->at[v] < w->first[v + 1]) {
				to = w->edge[w->at[v]++];
				if (w->order[to] == UNSEEN) {
					w->order[to] = ++seen;
					w->low[to] = seen;
					w->at[to] = w->first[to];
					w->stack[on_stack++] = to;
					w->call[++depth] = to;
				} else if (!w->part[to] && w->order[to] < w->low[v]) {
					w->low[v] = w->order[to];
				}
				continue;
			}
			if (w->low[v] == w->order[v]) {
				parts++;
				do {
					to = w->stack[--on_stack];
					w->part[to] = parts;
				} while (to != v);
			}
			if (!depth)
				break;
			to = v;
			v = w->call[--depth];
			if (w->low[to] < w->low[v])
				w->low[v] = w->low[to];
		}
	}
	return parts;
}

/*
 * A shortest way from a node back to it, breadth first inside its part. at[] becomes who
 * was come from. Return: its length; 0: there is none.
 */
static u32 find_way(struct swd_waits *w, u32 start, u32 *cycle)
{
	u32 head = 0, tail = 0, n = 0, v;

	for (v = 0; v < w->nodes; v++)
		w->order[v] = UNSEEN;
	w->stack[tail++] = start;
	while (head < tail) {
		v = w->stack[head++];
		for (u32 e = w->first[v]; e < w->first[v + 1]; e++) {
			u32 to = w->edge[e];

			if (to == start) {
				/* Backwards to the start, then turned round */
				for (u32 back = v; back != start; back = w->at[back])
					cycle[++n] = back;
				cycle[0] = start;
				for (u32 i = 1, j = n; i < j; i++, j--) {
					u32 other = cycle[i];

					cycle[i] = cycle[j];
					cycle[j] = other;
				}
				return n + 1;
			}
			if (w->part[to] == w->part[start] && w->order[to] == UNSEEN) {
				w->order[to] = 1;
				w->at[to] = v;
				w->stack[tail++] = to;
			}
		}
	}
	return 0;
}

void swd_waits_cycles(struct swd_waits *w, u32 *cycle,
		      void (*found)(void *arg, const u32 *cycle, u32 n), void *arg)
{
	u32 parts = find_parts(w);

	for (u32 i = 0; i <= parts && i <= w->nodes; i++)
		w->call[i] = 0;
	for (u32 v = 0; v < w->nodes; v++) {
		u32 n;

		/* The lowest of each part */
		if (w->call[w->part[v]])
			continue;
		w->call[w->part[v]] = 1;
		n = find_way(w, v, cycle);
		if (n)
			found(arg, cycle, n);
	}
}
