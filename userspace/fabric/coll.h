/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Collectives. A group is an endpoint's membership in an AV set that it has
 * joined; an operation runs one member's part of a plan (model/plan) over
 * messages of its own, which no receive of the application ever sees. Like
 * everything else they move when somebody reads a completion queue.
 *
 * A message of a plan goes
 *
 *	eagerly, if it is short: DATA, with the payload;
 *	or else where the receiver says. READY tells the sender the place, as soon
 *	as it is free; an RDMA write fills it, and DONE, behind it on the same
 *	queue pair, says so.
 *
 * Both ends know all lengths from the plan, and the limit from the group.
 *
 * All functions here expect the domain's lock held.
 */
#ifndef SUO_FI_COLL_H
#define SUO_FI_COLL_H

#include "coll_net.h"
#include "model/plan/plan.h"
#include "suo_fi.h"
#include "userspace/coll/reduce.h"

#define SUO_COLL_MAX_MEMBERS	SUO_PLAN_MAX_RANKS
/* Elements of a member's part: the sizes of all parts together fit a size_t. */
#define SUO_COLL_MAX_COUNT	(SIZE_MAX / SUO_DTYPE_MAX_SIZE / SUO_COLL_MAX_MEMBERS)
#define SUO_COLL_MAX_ORPHANS	65536
#define SUO_COLL_PLANS		8	/* plans that a group keeps */

_Static_assert(SUO_COLL_ALGO_SIZE == SUO_PLAN_NAME_SIZE, "names of algorithms");

/* A message that came too early, or whose step has to wait. */
struct suo_coll_msg {
	struct suo_list	link;
	struct suo_conn	*conn;
	struct suo_hdr	hdr;
	size_t		size;
	uint8_t		payload[];
};

/**
 * struct suo_coll_step - what one step of a plan is for this member
 * @op: enum suo_plan_op
 * @buf: enum suo_plan_buf
 * @src: of a COPY
 * @peer: member on the other end
 * @index: number of the message among those between the two, in its direction
 * @off: first element in buf
 * @len: elements
 * @src_off: COPY: first element of the source; RECV_REDUCE: of its room in scratch
 *	memory
 * @waits: dependencies
 * @first: those that wait for it: then[first] ...
 * @nthen: how many
 */
struct suo_coll_step {
	uint16_t	op;
	uint8_t		buf;
	uint8_t		src;
	uint32_t	peer;
	uint32_t	index;
	uint64_t	off;
	uint64_t	len;
	uint64_t	src_off;
	uint32_t	waits;
	uint32_t	first;
	uint32_t	nthen;
};

/**
 * struct suo_coll_plan - one member's part of a plan
 * @link: in the group's list, the one used last in front
 * @coll: with @count and @root, what it is for
 * @count: elements of DATA
 * @root: member
 * @elem: bytes of an element that it was chosen for
 * @users: operations that run it
 * @step: the steps
 * @nsteps: how many
 * @then: see struct suo_coll_step
 * @by_peer: for each member m, the steps that take part in its messages are
 *	msg[by_peer[m]] to msg[by_peer[m + 1] - 1], first what is sent to it
 * @nsends: for each member, how many of them are sends
 * @msg: see @by_peer
 * @scratch_len: elements of scratch memory
 */
struct suo_coll_plan {
	struct suo_list		link;
	enum suo_coll		coll;
	uint64_t		count;
	uint32_t		root;
	size_t			elem;
	unsigned int		users;
	struct suo_coll_step	*step;
	uint32_t		nsteps;
	uint32_t		*then;
	uint32_t		*by_peer;
	uint32_t		*nsends;
	uint32_t		*msg;
	uint64_t		scratch_len;
};

/* Memory for scratch or work space, kept for the next operation. */
struct suo_coll_mem {
	uint8_t		*mem;
	size_t		len;
	struct ibv_mr	*mr;
};

/**
 * struct suo_coll_group - an endpoint in a set of endpoints
 * @link: in suo_coll_ep.groups
 * @ep: the endpoint
 * @eq: told when it has joined
 * @key: names the group on the wire; the same at all members
 * @n: members
 * @self: which one this is
 * @addr: their addresses, in the order of the AV set
 * @conn: to each of them, once used
 * @fi_addr: of each of them, for roots
 * @rank_of: member to rank of plans
 * @member_of: rank to member
 * @owes: joining: the member has yet to say something
 * @straight: each member's rank is its number
 * @joined: the join is complete
 * @got: joining: infos (member 0) or bytes (others) that have come
 * @info: joining: what the members (member 0), or the table (others), sent
 * @info_len: bytes of @info
 * @err: why the group is broken, a positive error number
 * @closed: fi_close() was called, after a failure
 * @eager: longest message in bytes that goes eagerly
 * @net: for the choice among plans
 * @chooser: knows @net; made when it is first asked
 * @algo: algorithm that was asked for; empty: none
 * @next_seq: of the next operation; 0 is the join
 * @ops: under way
 * @early: messages of operations that have not begun here
 * @plans: plans that were used last
 * @nplans: how many
 * @spare: memory that no operation uses now
 */
struct suo_coll_group {
	struct fid_mc		fid;
	struct suo_list		link;
	struct suo_ep		*ep;
	struct suo_eq		*eq;
	uint64_t		key;
	uint32_t		n;
	uint32_t		self;
	struct suo_addr		*addr;
	struct suo_conn		**conn;
	fi_addr_t		*fi_addr;
	uint32_t		*rank_of;
	uint32_t		*member_of;
	bool			*owes;
	bool			straight;
	bool			joined;
	size_t			got;
	uint8_t			*info;
	size_t			info_len;
	int			err;
	bool			closed;
	size_t			eager;
	struct suo_coll_net	net;
	struct suo_chooser	*chooser;
	char			algo[SUO_COLL_ALGO_SIZE];
	uint32_t		next_seq;
	struct suo_list		ops;
	struct suo_list		early;
	struct suo_list		plans;
	unsigned int		nplans;
	struct suo_coll_mem	spare;
};

/* Where a step is. */
struct suo_coll_state {
	uint32_t		waits;		/* dependencies that are left */
	bool			done;
	bool			started;	/* SEND: the writes are made */
	bool			owed;		/* receive: counted in conn->owed */
	uint32_t		writes;		/* SEND: writes under way */
	bool			told;		/* SEND: READY has come; receive: it was sent */
	bool			came;		/* receive: the message has */
	struct suo_seg		place;		/* SEND: what READY said */
	struct suo_coll_msg	*msg;		/* receive: payload that has to wait */
};

/**
 * struct suo_coll_args - a collective as the application calls it
 * @coll: which
 * @buf: what goes in; Broadcast: and out
 * @result: what comes out
 * @count: elements of the vector; of one member's part, where members have parts
 * @root: member, of those that have one
 * @datatype: of the elements
 * @op: the reduction, of those that reduce
 * @flags: of the call
 * @context: of the completion
 */
struct suo_coll_args {
	enum suo_coll		coll;
	const void		*buf;
	void			*result;
	size_t			count;
	uint32_t		root;
	enum fi_datatype	datatype;
	enum fi_op		op;
	uint64_t		flags;
	void			*context;
};

/**
 * struct suo_coll_op - a collective under way
 * @link: in group->ops
 * @stall: in suo_coll_ep.stalled
 * @group: the group
 * @seq: which of the group's operations
 * @plan: what it does
 * @type: of the elements
 * @op: the reduction
 * @elem: bytes of an element
 * @base: first byte of each buffer's element 0; may lie outside what is owned
 * @mr: registrations of what is owned of them, or NULL
 * @scratch: scratch memory
 * @work: DATA, where it is not the application's memory
 * @work_in: INPUT, in the order of ranks
 * @state: of each step
 * @queue: steps that can go on
 * @head: of @queue
 * @tail: of @queue
 * @left: steps that are not done
 * @inflight: requests that use its memory
 * @busy: somebody is in the middle of it
 * @err: why it fails, a positive error number
 * @comp: it ends with a completion
 * @args: what the application called
 */
struct suo_coll_op {
	struct suo_list		link;
	struct suo_list		stall;
	struct suo_coll_group	*group;
	uint32_t		seq;
	struct suo_coll_plan	*plan;
	enum suo_dtype		type;
	enum suo_redop		op;
	size_t			elem;
	uint8_t			*base[SUO_PLAN_NUM_BUFS];
	struct ibv_mr		*mr[SUO_PLAN_NUM_BUFS];
	struct suo_coll_mem	scratch;
	struct suo_coll_mem	work;
	uint8_t			*work_in;
	struct suo_coll_state	*state;
	uint32_t		*queue;
	uint32_t		head;
	uint32_t		tail;
	uint32_t		left;
	unsigned int		inflight;
	bool			busy;
	int			err;
	bool			comp;
	struct suo_coll_args	args;
};

/* The members' connections (coll_msg.c) */

struct suo_conn *suo_coll_conn(struct suo_coll_group *group, uint32_t member);

/*
 * The member owes us a message, which conn->owed counts and *owed says: it is
 * watched, and connected to if nothing else does. Return: 0 or -errno.
 */
int suo_coll_expect(struct suo_coll_group *group, uint32_t member, bool *owed);

/**
 * suo_coll_control() - send a message of a few bytes
 * @group: the group
 * @member: to whom
 * @op: enum suo_wire_op
 * @seq: operation
 * @index: message
 * @data: payload, or NULL
 * @len: its bytes, at most group->eager
 *
 * Return: 0 or -errno.
 */
int suo_coll_control(struct suo_coll_group *group, uint32_t member, enum suo_wire_op op,
		     uint32_t seq, uint32_t index, const void *data, size_t len);

/* Sends the payload of a step; @buf stays. Return: 0, -FI_EAGAIN, -errno. */
int suo_coll_eager(struct suo_coll_op *op, uint32_t member, uint32_t index,
		   const void *buf, size_t len);

/* Fills the place that READY named, and says so. Return: 0 or -errno. */
int suo_coll_write(struct suo_coll_op *op, uint32_t step);

/* Messages for operations (coll_run.c) */

void suo_coll_run(struct suo_coll_op *op);
void suo_coll_advance(struct suo_coll_op *op);
void suo_coll_settle_debt(struct suo_coll_op *op, uint32_t step);
void suo_coll_message(struct suo_coll_op *op, struct suo_conn *conn,
		      const struct suo_hdr *hdr, const uint8_t *payload, size_t size);
bool suo_coll_op_settle(struct suo_coll_op *op);

/* Groups (coll_group.c) */

void suo_coll_fail(struct suo_coll_group *group, int err, bool tell);
bool suo_coll_keep(struct suo_list *list, struct suo_conn *conn, const struct suo_hdr *hdr,
		   const uint8_t *payload, size_t size);

/* Joining (coll_join.c) */

int suo_coll_join_start(struct suo_coll_group *group);
void suo_coll_join_message(struct suo_coll_group *group, const struct suo_hdr *hdr,
			   const uint8_t *payload, size_t size);
void suo_coll_join_end(struct suo_coll_group *group, int err);

/* Plans (coll_plan.c) */

int suo_coll_plan_get(struct suo_coll_group *group, enum suo_coll coll, uint64_t count,
		      uint32_t root, size_t elem, struct suo_coll_plan **out);
void suo_coll_plan_put(struct suo_coll_plan *plan);
void suo_coll_plans_free(struct suo_coll_group *group);

/* Buffers (coll_buf.c) */

int suo_coll_buf_prepare(struct suo_coll_op *op);
int suo_coll_buf_register(struct suo_coll_op *op);
void suo_coll_buf_finish(struct suo_coll_op *op);
void suo_coll_buf_release(struct suo_coll_op *op);

/* Names (coll_type.c) */

/* SUO_NUM_COLLS: there is no such collective. */
enum suo_coll suo_coll_plan_of(enum fi_collective_op coll);
bool suo_coll_reduces(enum suo_coll coll);

/* -FI_EOPNOTSUPP: there is no such thing. */
int suo_coll_type(enum fi_datatype datatype);
int suo_coll_redop(enum fi_op op);

#endif /* SUO_FI_COLL_H */
