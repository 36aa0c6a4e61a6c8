// SPDX-License-Identifier: GPL-2.0-only
#include <linux/slab.h>

#include "pkt.h"
#include "qp.h"

static struct kmem_cache *pkt_cache;

struct suo_pkt *suo_pkt_alloc(struct suo_qp *qp)
{
	struct suo_pkt *pkt = kmem_cache_zalloc(pkt_cache, GFP_ATOMIC);

	if (!pkt)
		return NULL;
	suo_qp_get(qp);
	pkt->qp = qp;
	pkt->src_qpn = qp->ibqp.qp_num;
	return pkt;
}

/* The sender goes away; the packet goes on. */
void suo_pkt_detach(struct suo_pkt *pkt)
{
	if (pkt->qp)
		suo_qp_put(pkt->qp);
	pkt->qp = NULL;
}

void suo_pkt_free(struct suo_pkt *pkt)
{
	suo_pkt_detach(pkt);
	kfree_skb(pkt->skb);
	kmem_cache_free(pkt_cache, pkt);
}

int suo_pkt_cache_init(void)
{
	pkt_cache = KMEM_CACHE(suo_pkt, SLAB_HWCACHE_ALIGN);
	return pkt_cache ? 0 : -ENOMEM;
}

void suo_pkt_cache_exit(void)
{
	kmem_cache_destroy(pkt_cache);
}
