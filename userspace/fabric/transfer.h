/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is under way: requests, buffers, receives, and the connections they use. */
#ifndef SUO_FI_TRANSFER_H
#define SUO_FI_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include <infiniband/verbs.h>
#include <rdma/fabric.h>

#include "addr.h"
#include "handshake.h"
#include "list.h"
#include "match.h"
#include "wire.h"

struct suo_buf;
struct suo_conn;
struct suo_ep;
struct suo_rxreq;
struct suo_coll_op;

#define SUO_INJECT_SIZE	256	/* copied into the request itself */

/**
 * struct suo_txreq - one send work request, or several reads of a rendezvous
 * @link: in the endpoint's free list, or one of the connection's lists
 * @conn: where it goes
 * @wr: the work request
 * @sge: its pieces
 * @area: registered room for the header and data up to SUO_INJECT_SIZE
 * @area_lkey: its key
 * @user: counts against the endpoint's SUO_TX_SIZE
 * @comp: writes a completion when done
 * @rts: the request is done by the peer's answer, not by its work completion
 * @sent: the work completion of such a request has come
 * @finished: the peer's answer to it has come
 * @err: what the answer said, a positive error number or 0
 * @rma: the peer's device does it, in its own time
 * @amo: the peer's processor does it; counted in conn->amos once @counted
 * @counted: see @amo
 * @flags: of the completion
 * @context: of the completion
 * @id: names an RTS
 * @bounce: eager buffer in use, or NULL
 * @rx: rendezvous read: the receive that it is for
 * @coll: write of a collective: the operation that it is for
 * @coll_step: and the step
 * @result: atomic: where what stood in the peer's memory goes
 * @nresult: entries of @result
 * @heap: payload that is freed with the request
 * @tmp: registrations that end with the request
 * @ntmp: entries of @tmp
 */
struct suo_txreq {
	struct suo_list		link;
	struct suo_conn		*conn;
	struct ibv_send_wr	wr;
	struct ibv_sge		sge[SUO_IOV_MAX + 1];
	uint8_t			*area;
	uint32_t		area_lkey;
	bool			user;
	bool			comp;
	bool			rts;
	bool			sent;
	bool			finished;
	bool			rma;
	bool			amo;
	bool			counted;
	int			err;
	uint64_t		flags;
	void			*context;
	uint64_t		id;
	struct suo_buf		*bounce;
	struct suo_rxreq	*rx;
	struct suo_coll_op	*coll;
	uint32_t		coll_step;
	struct iovec		result[SUO_IOV_MAX];
	unsigned int		nresult;
	void			*heap;
	struct ibv_mr		*tmp[SUO_IOV_MAX];
	unsigned int		ntmp;
};

#define SUO_AREA_SIZE	(SUO_HDR_MAX + SUO_INJECT_SIZE)

/* A buffer out of a registered slab; data is behind a UD buffer's GRH, too. */
struct suo_buf {
	struct suo_list		link;
	uint8_t			*data;
	uint32_t		lkey;
	struct suo_ep		*ep;
};

/**
 * struct suo_slab - equal buffers, registered together
 * @mem: the memory
 * @mr: its registration
 * @buf: the buffers
 * @free: those that nobody uses
 */
struct suo_slab {
	uint8_t		*mem;
	struct ibv_mr	*mr;
	struct suo_buf	*buf;
	struct suo_list	free;
};

/**
 * struct suo_rxreq - a receive that the application posted
 * @match: for matching
 * @tagged: which queue it is in
 * @comp: writes a completion when done
 * @context: of the completion
 * @iov: where the message goes
 * @lkey: keys of @iov; valid only if @has_desc
 * @iov_count: entries
 * @has_desc: the application registered the memory
 * @conn: rendezvous: the sender
 * @link: rendezvous: in conn->reads
 * @reads: rendezvous: reads that are not done
 * @err: rendezvous: first error, a positive libfabric error number
 * @prov_errno: its enum ibv_wc_status
 * @hdr: rendezvous: the RTS in host order
 * @parent: the buffer for several messages that this receive is a part of
 * @multi: it is such a buffer
 * @full: such a buffer takes no further message
 * @used: bytes of it that are taken
 * @children: messages that are still on their way into it
 * @tmp: registrations that end with the request
 * @ntmp: entries of @tmp
 */
struct suo_rxreq {
	struct suo_match_recv	match;
	bool			tagged;
	bool			comp;
	void			*context;
	struct iovec		iov[SUO_IOV_MAX];
	uint32_t		lkey[SUO_IOV_MAX];
	unsigned int		iov_count;
	bool			has_desc;
	struct suo_conn		*conn;
	struct suo_list		link;
	unsigned int		reads;
	int			err;
	int			prov_errno;
	struct suo_hdr		hdr;
	struct suo_rxreq	*parent;
	bool			multi;
	bool			full;
	size_t			used;
	unsigned int		children;
	struct ibv_mr		*tmp[SUO_IOV_MAX];
	unsigned int		ntmp;
};

/**
 * struct suo_unexp - a message that no receive waits for
 * @match: for matching
 * @conn: the sender; NULL: it is gone, and the data with it
 * @claim: context of the claim
 * @hdr: its header in host order
 * @payload: EAGER: hdr.len bytes; RTS: hdr.nseg struct suo_seg in host order
 */
struct suo_unexp {
	struct suo_match_msg	match;
	struct suo_conn		*conn;
	const void		*claim;
	struct suo_hdr		hdr;
	uint8_t			payload[];
};

/**
 * struct suo_conn - what one endpoint knows of one peer
 * @ep: the endpoint
 * @by_addr: next in ep->by_addr
 * @by_qpn: next in ep->by_qpn
 * @addr: the peer
 * @fi_addr: its index in the AV; FI_ADDR_NOTAVAIL: not known
 * @hs: the handshake
 * @qp: RC queue pair, NULL in SUO_HS_IDLE
 * @ah: for handshake datagrams; NULL: not made yet
 * @psn: first sequence number of @qp
 * @timer: in ep->timers while the handshake is under way or an answer is waited for
 * @deadline_ns: when to send the handshake message again, or to see if the peer is
 *	still there; CLOCK_MONOTONIC
 * @tries: how often that was done
 * @pending: requests that cannot be posted yet
 * @kick: in ep->kicks while ready and @pending is not empty
 * @outstanding: work requests posted to @qp and not completed
 * @rts: requests that wait for the peer's answer
 * @amos: atomics that the peer's processor does, posted and not answered
 * @owed: messages of collectives that the peer has yet to send
 * @reads: receives whose data is being read from the peer
 * @max_inline: bytes that @qp takes inline
 * @dying: @qp is in error; destroyed when @outstanding is 0
 */
struct suo_conn {
	struct suo_ep		*ep;
	struct suo_conn		*by_addr;
	struct suo_conn		*by_qpn;
	struct suo_addr		addr;
	fi_addr_t		fi_addr;
	struct suo_hs		hs;
	struct ibv_qp		*qp;
	struct ibv_ah		*ah;
	uint32_t		psn;
	struct suo_list		timer;
	uint64_t		deadline_ns;
	int			tries;
	struct suo_list		pending;
	struct suo_list		kick;
	unsigned int		outstanding;
	struct suo_list		rts;
	unsigned int		amos;
	struct suo_list		reads;
	unsigned int		owed;
	uint32_t		max_inline;
	bool			dying;
};

/**
 * struct suo_send - a message to send
 * @iov: the data
 * @desc: descriptors of @iov, or NULL
 * @count: entries of @iov
 * @dest: the peer
 * @tagged: it has a tag
 * @tag: the tag
 * @data: remote CQ data, with FI_REMOTE_CQ_DATA
 * @flags: of the operation
 * @comp: it ends with a completion
 * @context: of the completion
 */
struct suo_send {
	const struct iovec	*iov;
	void			**desc;
	size_t			count;
	fi_addr_t		dest;
	bool			tagged;
	uint64_t		tag;
	uint64_t		data;
	uint64_t		flags;
	bool			comp;
	void			*context;
};

#endif /* SUO_FI_TRANSFER_H */
