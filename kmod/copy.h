/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving payload between packets, work requests and memory regions. */
#ifndef SUO_COPY_H
#define SUO_COPY_H

#include <rdma/suo-abi.h>

#include "pkt.h"

/* Does it lie where keys are needed to get at it? */
static inline bool suo_payload_in_regions(const struct suo_payload *pay)
{
	return pay->kind == SUO_PAYLOAD_WQE || pay->kind == SUO_PAYLOAD_MR;
}

struct suo_mr *suo_payload_region(const struct suo_payload *pay, u32 len,
				  u64 *va);
int suo_payload_read(const struct suo_payload *pay, u32 off, void *buf, u32 len);
int suo_payload_copy(const struct suo_payload *pay, u32 off, struct suo_mr *to,
		     u64 to_va, u32 len);
int suo_sges_write(struct suo_dev *dev, struct suo_pd *pd,
		   const struct suo_sge *sge, u32 num_sge, u32 sge_off,
		   const struct suo_payload *pay, u32 pay_off, u32 len);
int suo_sges_check(struct suo_dev *dev, struct suo_pd *pd,
		   const struct suo_sge *sge, u32 num_sge, int access);

#endif /* SUO_COPY_H */
