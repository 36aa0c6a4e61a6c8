// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Equal buffers in one registered piece of memory. */
#include "suo_fi.h"

#define BUF_ALIGN	64

int suo_slab_create(struct suo_slab *slab, struct suo_ep *ep, unsigned int count,
		    size_t size, int access)
{
	int err;

	size = (size + BUF_ALIGN - 1) & ~(size_t)(BUF_ALIGN - 1);
	suo_list_init(&slab->free);
	slab->buf = calloc(count, sizeof(*slab->buf));
	if (!slab->buf)
		return -FI_ENOMEM;
	if (posix_memalign((void **)&slab->mem, 4096, count * size)) {
		err = -FI_ENOMEM;
		goto mem;
	}
	slab->mr = ibv_reg_mr(ep->domain->pd, slab->mem, count * size, access);
	if (!slab->mr) {
		err = -errno;
		goto mr;
	}
	for (unsigned int i = 0; i < count; i++) {
		slab->buf[i].data = slab->mem + i * size;
		slab->buf[i].lkey = slab->mr->lkey;
		slab->buf[i].ep = ep;
		suo_list_add_tail(&slab->buf[i].link, &slab->free);
	}
	return 0;

mr:
	free(slab->mem);
mem:
	free(slab->buf);
	memset(slab, 0, sizeof(*slab));
	return err;
}

void suo_slab_destroy(struct suo_slab *slab)
{
	if (!slab->mr)
		return;
	ibv_dereg_mr(slab->mr);
	free(slab->mem);
	free(slab->buf);
	memset(slab, 0, sizeof(*slab));
}

struct suo_buf *suo_slab_get(struct suo_slab *slab)
{
	struct suo_list *node = suo_list_pop(&slab->free);

	return node ? suo_entry(node, struct suo_buf, link) : NULL;
}

void suo_slab_put(struct suo_slab *slab, struct suo_buf *buf)
{
	suo_list_add_tail(&buf->link, &slab->free);
}
