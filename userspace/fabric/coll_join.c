// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Joining a group. Every member tells member 0 what it must know to plan for
 * all; member 0 answers with a table, the same for all, from which each makes the
 * same choices from then on:
 *
 *	member m to 0:	struct info
 *	0 to member m:	struct table and a rank for each member, in pieces; a
 *			message's number is 1 + the offset of its piece
 */
#include <arpa/inet.h>

#include "coll.h"

/* In network order. */
struct info {
	uint64_t	domain;		/* the same for members of one domain; 0: of none */
	uint32_t	eager;		/* longest payload that fits a receive buffer */
	uint32_t	reserved;
};

struct table {
	uint32_t	eager;
	uint32_t	domain_size;
	uint64_t	figure[SUO_COLL_NUM_FIGURES];
	char		algo[SUO_COLL_ALGO_SIZE];
};

static size_t table_size(const struct suo_coll_group *group)
{
	return sizeof(struct table) + group->n * sizeof(uint32_t);
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Ranks are numbered domain by domain, domains in the order of their first
 * members. All domains of a plan have one size: the largest that divides those of
 * all of them; a larger one counts as several.
 */
static uint32_t number_ranks(const struct info *info, uint32_t n, uint32_t *rank_of)
{
	uint32_t next = 0, size = 0;

	for (uint32_t m = 0; m < n; m++)
		rank_of[m] = UINT32_MAX;
	for (uint32_t m = 0; m < n; m++) {
		uint32_t first = next;

		if (rank_of[m] != UINT32_MAX)
			continue;
		rank_of[m] = next++;
		for (uint32_t k = m + 1; k < n && info[m].domain; k++)
			if (info[k].domain == info[m].domain)
				rank_of[k] = next++;
		size = gcd(next - first, size);
	}
	return size;
}

static void fill_table(struct suo_coll_group *group, struct table *table)
{
	const struct info *info = (const struct info *)group->info;
	uint32_t *rank = (uint32_t *)(table + 1);
	const struct suo_coll_ep *coll = &group->ep->coll;
	size_t eager = suo_rx_room();
	struct suo_coll_net net;

	for (uint32_t m = 0; m < group->n; m++)
		if (ntohl(info[m].eager) < eager)
			eager = ntohl(info[m].eager);
	if (suo_coll_net_read(group->ep->domain->dev.name, suo_tune.cluster, &net))
		suo_warn(CORE, "FI_SUO_CLUSTER: %s is not what \"suo cluster env\" prints\n",
			 suo_tune.cluster);
	if (!net.figure[SUO_COLL_OUT_MTU_BYTES])
		net.figure[SUO_COLL_OUT_MTU_BYTES] =
			128u << group->ep->domain->dev.port.active_mtu;
	table->eager = htonl(eager);
	table->domain_size = number_ranks(info, group->n, rank);
	/* A cluster file knows where the kernel has nothing to say. */
	if (table->domain_size == 1 && net.domain_size && !(group->n % net.domain_size))
		table->domain_size = net.domain_size;
	table->domain_size = htonl(table->domain_size);
	for (int i = 0; i < SUO_COLL_NUM_FIGURES; i++)
		table->figure[i] = htobe64(net.figure[i]);
	if (coll->algo[0])
		memcpy(table->algo, coll->algo, sizeof(table->algo));
	else if (suo_tune.coll_algo)
		strncpy(table->algo, suo_tune.coll_algo, sizeof(table->algo) - 1);
	for (uint32_t m = 0; m < group->n; m++)
		rank[m] = htonl(rank[m]);
}

/* What the table says, checked: a rank for each, and each rank once. */
static int use_table(struct suo_coll_group *group, const struct table *table)
{
	const uint32_t *rank = (const uint32_t *)(table + 1);

	group->eager = ntohl(table->eager);
	group->net.domain_size = ntohl(table->domain_size);
	for (int i = 0; i < SUO_COLL_NUM_FIGURES; i++)
		group->net.figure[i] = be64toh(table->figure[i]);
	memcpy(group->algo, table->algo, sizeof(group->algo));
	group->algo[sizeof(group->algo) - 1] = '\0';
	if (group->eager < SUO_INJECT_SIZE || group->eager > suo_rx_room() ||
	    !group->net.domain_size || group->n % group->net.domain_size)
		return -FI_EIO;
	for (uint32_t m = 0; m < group->n; m++)
		group->member_of[m] = UINT32_MAX;
	group->straight = true;
	for (uint32_t m = 0; m < group->n; m++) {
		uint32_t r = ntohl(rank[m]);

		if (r >= group->n || group->member_of[r] != UINT32_MAX)
			return -FI_EIO;
		group->rank_of[m] = r;
		group->member_of[r] = m;
		group->straight &= r == m;
	}
	return 0;
}

static void has_come(struct suo_coll_group *group, uint32_t member)
{
	if (group->owes[member])
		group->conn[member]->owed--;
	group->owes[member] = false;
}

void suo_coll_join_end(struct suo_coll_group *group, int err)
{
	struct fi_eq_entry entry = {
		.fid		= &group->fid.fid,
		.context	= group->fid.fid.context,
	};

	if (group->joined)
		return;
	group->joined = true;
	for (uint32_t m = 0; m < group->n; m++)
		has_come(group, m);
	free(group->info);
	group->info = NULL;
	if (group->closed)
		return;
	if (err)
		suo_eq_post_err(group->eq, &group->fid.fid, group->fid.fid.context, err);
	else
		suo_eq_post(group->eq, FI_JOIN_COMPLETE, &entry, sizeof(entry));
}

/* Member 0 has all infos. */
static int answer_all(struct suo_coll_group *group)
{
	size_t size = table_size(group), piece = 0;
	struct table *table = calloc(1, size);
	int err;

	if (!table)
		return -FI_ENOMEM;
	fill_table(group, table);
	err = use_table(group, table);
	for (size_t off = 0; off < size && !err; off += piece) {
		piece = size - off < group->eager ? size - off : group->eager;
		for (uint32_t m = 1; m < group->n && !err; m++)
			err = suo_coll_control(group, m, SUO_OP_COLL_DATA, 0, 1 + off,
					       (const uint8_t *)table + off, piece);
	}
	free(table);
	if (!err && !group->err)
		suo_coll_join_end(group, 0);
	return err;
}

static int take_info(struct suo_coll_group *group, const struct suo_hdr *hdr,
		     const uint8_t *payload, size_t size)
{
	struct info *info = (struct info *)group->info + hdr->data;

	/* Its eager limit is never 0 in an info that has come. */
	if (size != sizeof(*info) || (uint32_t)hdr->id || info->eager)
		return -FI_EIO;
	memcpy(info, payload, sizeof(*info));
	has_come(group, hdr->data);
	if (ntohl(info->eager) < SUO_INJECT_SIZE)
		return -FI_EIO;
	return ++group->got == group->n ? answer_all(group) : 0;
}

static int take_piece(struct suo_coll_group *group, const struct suo_hdr *hdr,
		      const uint8_t *payload, size_t size)
{
	size_t off = (uint32_t)hdr->id - 1;
	int err;

	/* They come in order, from one queue pair. */
	if (hdr->data || off != group->got || !size || size > group->info_len - off)
		return -FI_EIO;
	memcpy(group->info + off, payload, size);
	group->got += size;
	if (group->got < group->info_len)
		return 0;
	err = use_table(group, (const struct table *)group->info);
	if (!err)
		suo_coll_join_end(group, 0);
	return err;
}

void suo_coll_join_message(struct suo_coll_group *group, const struct suo_hdr *hdr,
			   const uint8_t *payload, size_t size)
{
	int err = -FI_EIO;

	if (!group->joined && hdr->op == SUO_OP_COLL_DATA)
		err = group->self ? take_piece(group, hdr, payload, size) :
				    take_info(group, hdr, payload, size);
	if (err)
		suo_coll_fail(group, -err, true);
}

int suo_coll_join_start(struct suo_coll_group *group)
{
	struct info info = {
		.domain = htobe64(suo_coll_domain_id(group->ep->domain->dev.name)),
		.eager = htonl(suo_rx_room()),
	};
	int err = 0;

	group->info_len = group->self ? table_size(group) : group->n * sizeof(info);
	group->info = calloc(1, group->info_len);
	if (!group->info)
		return -FI_ENOMEM;
	if (group->self) {
		err = suo_coll_expect(group, 0, &group->owes[0]);
		if (err)
			return err;
		return suo_coll_control(group, 0, SUO_OP_COLL_DATA, 0, 0, &info, sizeof(info));
	}
	memcpy(group->info, &info, sizeof(info));
	group->got = 1;
	for (uint32_t m = 1; m < group->n && !err; m++)
		err = suo_coll_expect(group, m, &group->owes[m]);
	if (!err && group->n == 1)
		err = answer_all(group);
	return err;
}
