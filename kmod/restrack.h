/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SUO_RESTRACK_H
#define SUO_RESTRACK_H

#include <rdma/ib_verbs.h>

int suo_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp);
int suo_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ibcq);
int suo_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr);

#endif /* SUO_RESTRACK_H */
