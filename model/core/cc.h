/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Congestion control of one flow at its sender, behind one table of functions. An
 * algorithm sets a rate, a window, or both; a sender obeys both.
 */
#ifndef SUO_CORE_CC_H
#define SUO_CORE_CC_H

#include "dcqcn.h"
#include "nscc.h"

/* The parameters of all algorithms, which flows share. */
struct suo_cc_law {
	struct suo_dcqcn_law	dcqcn;
	struct suo_nscc_law	nscc;
};

struct suo_cc;

/**
 * struct suo_cc_ops - an algorithm; what it does not care for is NULL
 * @name: as users spell it
 * @init: a new flow; rate_kbps holds the line rate
 * @ack: bytes were acknowledged by a packet whose round trip was rtt_ps
 * @cnp: a congestion notification packet has come
 * @sent: bytes were sent
 * @lost: bytes were lost or trimmed
 */
struct suo_cc_ops {
	const char	*name;
	void		(*init)(struct suo_cc *cc, u64 base_rtt_ps, u64 now_ps);
	void		(*ack)(struct suo_cc *cc, u64 bytes, u64 rtt_ps, bool marked,
			       u64 now_ps);
	void		(*cnp)(struct suo_cc *cc, u64 now_ps);
	void		(*sent)(struct suo_cc *cc, u64 bytes, u64 now_ps);
	void		(*lost)(struct suo_cc *cc, u64 bytes, u64 now_ps);
};

/**
 * struct suo_cc - the state of one flow
 * @ops: the algorithm
 * @law: its parameters
 * @rate_kbps: it sends no faster
 * @window_bytes: it has no more than this on the way; U64_MAX: no limit
 * @dcqcn: state of "dcqcn"
 * @nscc: state of "nscc"
 */
struct suo_cc {
	const struct suo_cc_ops	*ops;
	const struct suo_cc_law	*law;
	u64			rate_kbps;
	u64			window_bytes;
	union {
		struct suo_dcqcn_rp	dcqcn;
		struct suo_nscc		nscc;
	};
};

extern const struct suo_cc_ops suo_cc_none;
extern const struct suo_cc_ops suo_cc_dcqcn;
extern const struct suo_cc_ops suo_cc_nscc;

/* Return: the i-th algorithm, or NULL past the last one. */
const struct suo_cc_ops *suo_cc_algorithm(u32 i);

/* ConnectX's DCQCN, and NSCC's defaults. */
void suo_cc_default(struct suo_cc_law *law);

/* A new flow. */
void suo_cc_init(struct suo_cc *cc, const struct suo_cc_ops *ops,
		 const struct suo_cc_law *law, u64 line_kbps, u64 base_rtt_ps,
		 u64 now_ps);

#endif /* SUO_CORE_CC_H */
