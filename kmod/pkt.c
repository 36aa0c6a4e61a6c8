// SPDX-License-Identifier: GPL-2.0-only
#include <linux/percpu.h>
#include <linux/slab.h>

#include "pkt.h"
#include "qp.h"
#include "shm.h"

static struct kmem_cache *pkt_cache;
/* Each processor keeps one: most packets are gone before the next is made. */
static DEFINE_PER_CPU(struct suo_pkt *, cpu_pkt);

struct suo_pkt *suo_pkt_alloc(struct suo_qp *qp)
{
	struct suo_pkt *pkt = this_cpu_xchg(cpu_pkt, NULL);

	if (!pkt)
		pkt = kmem_cache_alloc(pkt_cache, GFP_ATOMIC);
	if (!pkt)
		return NULL;
	memset(pkt, 0, sizeof(*pkt));
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
	if (pkt->shm)
		suo_shm_pkt_done(pkt);
	kfree_skb(pkt->skb);
	if (this_cpu_cmpxchg(cpu_pkt, NULL, pkt))
		kmem_cache_free(pkt_cache, pkt);
}

int suo_pkt_cache_init(void)
{
	pkt_cache = KMEM_CACHE(suo_pkt, SLAB_HWCACHE_ALIGN);
	return pkt_cache ? 0 : -ENOMEM;
}

void suo_pkt_cache_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (per_cpu(cpu_pkt, cpu))
			kmem_cache_free(pkt_cache, per_cpu(cpu_pkt, cpu));
		per_cpu(cpu_pkt, cpu) = NULL;
	}
	kmem_cache_destroy(pkt_cache);
}
