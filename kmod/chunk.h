/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory for datagrams of many packets, used again and again. */
#ifndef SUO_CHUNK_H
#define SUO_CHUNK_H

#include <linux/mm_types.h>

/* As much as a datagram can hold, so that its packets lie in a row */
#define SUO_CHUNK_ORDER	4
#define SUO_CHUNK_BYTES	(PAGE_SIZE << SUO_CHUNK_ORDER)

struct page *suo_chunk_get(void);
void suo_chunks_exit(void);

#endif /* SUO_CHUNK_H */
