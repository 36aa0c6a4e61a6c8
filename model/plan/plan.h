/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A collective written out as steps. One plan, three interpreters: the model
 * costs it, the simulator replays it, the executor runs it over libfabric.
 *
 * Buffers. Each rank has up to three; a step names one and a range of elements
 * of it.
 *
 *	DATA	`count` elements: input, work space and output. What is in it
 *		before and after is said at enum suo_coll.
 *	INPUT	`count` elements, only read: All-to-All's input. No other
 *		collective has one.
 *	SCRATCH	suo_plan_rank.scratch_len elements, undefined before and after.
 *		Each element of it is written by one step of the plan at most,
 *		so that a message may land there at any time of a run.
 *
 * What a RECV_REDUCE step takes in lands in scratch memory first, in room of
 * its own (scratch_off), and is then combined into DATA. Other receives land in
 * the buffer that they name.
 *
 * Matching. The n-th send step of rank a towards b, in the order of a's list,
 * meets the n-th receive step of b from a, in the order of b's list. Their
 * lengths must be equal; their buffers and offsets need not be.
 *
 * Order. Steps of a rank may run in any order and at the same time, but a step
 * starts only when each step in dep[] is done. A send is done when its data
 * has been read for good; a receive, when its data is in its buffer; a copy,
 * when it is made; a multicast, when the data is in the DATA of every member; a
 * reduced read, when the result is there. A step that depends on two steps for
 * want of a better one, and does nothing, is a COPY of no elements.
 *
 * Domains. MCAST_WRITE and REDUCED_READ touch the DATA of all members of the
 * rank's scale-up domain, without a step of theirs. Nobody is told: the plan
 * says so by messages (of no elements), and suo_plan_check() proves that it
 * does. Of each such step, and for each member,
 *
 *	- some step of the member comes before it: the member has begun this run
 *	  of the plan, and its DATA is the plan's;
 *	- some step of the member comes after it: the member has not ended;
 *	- each step that touches the same elements comes before or after it,
 *
 * where X comes before Y if Y depends on X, or X is the send that Y receives, or
 * by a chain of these.
 *
 * One run and the next. A rank ends a plan only after every other rank has begun
 * it (some step of the other rank comes before one of its own); so at most two
 * runs are ever under way, and two halves of scratch memory are enough. The
 * plans themselves see to it, by messages of no elements where data alone does
 * not (Broadcast, Reduce, Gather, Scatter): an executor adds none.
 */
#ifndef SUO_PLAN_H
#define SUO_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SUO_PLAN_MAX_RANKS	4096u
#define SUO_PLAN_NO_DEP		UINT32_MAX
#define SUO_PLAN_MAX_DEPS	2
#define SUO_PLAN_MAX_CHUNKS	64u
#define SUO_PLAN_NAME_SIZE	64

/**
 * enum suo_coll - what a plan does
 *
 * `count` is the length of DATA in elements, at every rank. "Block r" is the
 * r-th of nranks nearly equal parts of it, as suo_plan_block() cuts them: count a
 * multiple of nranks gives the equal blocks of MPI and NCCL, where the caller
 * speaks of count / nranks elements a rank.
 *
 *					before		after, at
 * @SUO_COLL_ALLREDUCE:	DATA of all			DATA of all: the sum
 * @SUO_COLL_REDUCE_SCATTER: DATA of all		block r of rank r: the sum
 * @SUO_COLL_ALL_GATHER: block r of rank r		DATA of all: all blocks
 * @SUO_COLL_BROADCAST:	DATA of the root		DATA of all: the root's
 * @SUO_COLL_REDUCE:	DATA of all			DATA of the root: the sum
 * @SUO_COLL_GATHER:	block r of rank r		DATA of the root: all blocks
 * @SUO_COLL_SCATTER:	DATA of the root		block r of rank r
 * @SUO_COLL_BARRIER:	nothing; count is 0		nothing
 * @SUO_COLL_ALLTOALL:	INPUT of all			block s of rank r: block r
 *							of rank s's INPUT
 * @SUO_NUM_COLLS: how many there are
 *
 * All else of DATA is undefined before and after, and may be used as work space,
 * also at ranks that have no output (of a Reduce, say); but in Gather and
 * Scatter a rank other than the root touches its own block only. In All-to-All
 * all blocks must be equal: count is a multiple of nranks.
 */
enum suo_coll {
	SUO_COLL_ALLREDUCE,
	SUO_COLL_REDUCE_SCATTER,
	SUO_COLL_ALL_GATHER,
	SUO_COLL_BROADCAST,
	SUO_COLL_REDUCE,
	SUO_COLL_GATHER,
	SUO_COLL_SCATTER,
	SUO_COLL_BARRIER,
	SUO_COLL_ALLTOALL,
	SUO_NUM_COLLS,
};

/**
 * enum suo_plan_op - what a step does
 * @SUO_PLAN_SEND: read [off, off + len) of buf, for peer
 * @SUO_PLAN_RECV: write [off, off + len) of buf, from peer; DATA or SCRATCH
 * @SUO_PLAN_RECV_REDUCE: add to [off, off + len) of DATA, from peer
 * @SUO_PLAN_COPY: write [off, off + len) of buf, DATA or SCRATCH, from
 *	[src_off, src_off + len) of src; the two must not overlap
 * @SUO_PLAN_MCAST_WRITE: write [off, off + len) of DATA of every member of the
 *	domain, the rank's own too, from [src_off, src_off + len) of src, which is
 *	SCRATCH, or DATA with src_off = off
 * @SUO_PLAN_REDUCED_READ: write [off, off + len) of SCRATCH (buf) with the sum of
 *	[src_off, src_off + len) of DATA (src) of all members of the domain. Not of
 *	DATA: a read that has to be repeated would add up its own result.
 */
enum suo_plan_op {
	SUO_PLAN_SEND,
	SUO_PLAN_RECV,
	SUO_PLAN_RECV_REDUCE,
	SUO_PLAN_COPY,
	SUO_PLAN_MCAST_WRITE,
	SUO_PLAN_REDUCED_READ,
	SUO_PLAN_NUM_OPS,
};

enum suo_plan_buf {
	SUO_PLAN_DATA,
	SUO_PLAN_INPUT,
	SUO_PLAN_SCRATCH,
	SUO_PLAN_NUM_BUFS,
};

/**
 * struct suo_plan_step - one step of one rank
 * @op: enum suo_plan_op
 * @peer: the other rank; COPY: the rank itself; MCAST_WRITE and REDUCED_READ:
 *	another member of the domain, over the connection to which the request
 *	goes to the switch
 * @buf: enum suo_plan_buf
 * @src: enum suo_plan_buf; 0 unless op has a source
 * @off: first element in buf
 * @len: elements; may be 0 (the step still synchronises)
 * @src_off: first element in src; 0 unless op has a source
 * @scratch_off: RECV_REDUCE: first element of its room in scratch memory
 * @dep: steps of the same rank that must be done before; SUO_PLAN_NO_DEP: none
 */
struct suo_plan_step {
	uint16_t	op;
	uint8_t		buf;
	uint8_t		src;
	uint32_t	peer;
	uint64_t	off;
	uint64_t	len;
	union {
		uint64_t	src_off;
		uint64_t	scratch_off;
	};
	uint32_t	dep[SUO_PLAN_MAX_DEPS];
};

/**
 * struct suo_plan_rank - the steps of one rank
 * @step: array of nsteps, in posting order
 * @nsteps: entries used
 * @cap: entries allocated
 * @scratch_len: elements of scratch memory that the rank needs
 */
struct suo_plan_rank {
	struct suo_plan_step	*step;
	uint32_t		nsteps;
	uint32_t		cap;
	uint64_t		scratch_len;
};

/**
 * struct suo_plan - a whole collective
 * @name: the algorithm, as FI_SUO_COLL_ALGO and suo-perf spell it
 * @coll: what it does
 * @nranks: ranks 0 .. nranks - 1
 * @domain_size: rank r is in domain r / domain_size
 * @root: of Broadcast, Reduce, Gather and Scatter; 0 in others
 * @count: elements of each rank's DATA
 * @uses: bit op is set if some rank has a step of that kind: what an executor
 *	without windows cannot run, or not for a reduction that windows lack
 * @rank: array of nranks
 */
struct suo_plan {
	char			name[SUO_PLAN_NAME_SIZE];
	enum suo_coll		coll;
	uint32_t		nranks;
	uint32_t		domain_size;
	uint32_t		root;
	uint64_t		count;
	uint32_t		uses;
	struct suo_plan_rank	*rank;
};

/**
 * struct suo_plan_shape - what a generator must know of the cluster
 * @nranks: ranks in all, numbered domain by domain
 * @domain_size: ranks in a scale-up domain; divides nranks
 * @count: elements of DATA; Barrier: 0
 * @root: of Broadcast, Reduce, Gather and Scatter; in others 0
 * @chunk_len: elements of a message that takes as long to send as it is under
 *	way (latency x bandwidth); algorithms that cut their data into chunks and
 *	are not told how many choose the number by it. 0: not known.
 */
struct suo_plan_shape {
	uint32_t	nranks;
	uint32_t	domain_size;
	uint64_t	count;
	uint32_t	root;
	uint64_t	chunk_len;
};

/**
 * suo_plan_make() - generate a plan
 * @coll: the collective
 * @algorithm: a name that suo_plan_algorithm() lists; those made of others
 *	take these behind a colon, and those that cut their data into chunks may
 *	be told how many behind an at sign: "hierarchical:ring+rhd",
 *	"pipelined:ring+ring@8". See suo_plan_known().
 * @shape: the ranks and the vector
 * @out: the plan; free it with suo_plan_free()
 *
 * Return: 0, -EINVAL for an unknown algorithm or a shape it cannot do, -ENOMEM.
 */
int suo_plan_make(enum suo_coll coll, const char *algorithm,
		  const struct suo_plan_shape *shape, struct suo_plan **out);

/* An AllReduce. */
static inline int suo_plan_allreduce(const char *algorithm,
				     const struct suo_plan_shape *shape,
				     struct suo_plan **out)
{
	return suo_plan_make(SUO_COLL_ALLREDUCE, algorithm, shape, out);
}

/**
 * suo_plan_coll_algorithm() - the i-th algorithm of a collective
 * @coll: the collective
 * @i: from 0
 *
 * Return: its name, without a colon or an at sign, or NULL past the last one.
 */
const char *suo_plan_coll_algorithm(enum suo_coll coll, unsigned int i);

/* The i-th algorithm of AllReduce. */
static inline const char *suo_plan_algorithm(unsigned int i)
{
	return suo_plan_coll_algorithm(SUO_COLL_ALLREDUCE, i);
}

/**
 * struct suo_plan_name - what an algorithm's name says
 * @base: the algorithm, as suo_plan_coll_algorithm() lists it
 * @inner: what is done in a domain, or NULL
 * @outer: what is done across domains, or NULL
 * @chunks: how many, or 0
 */
struct suo_plan_name {
	const char	*base;
	const char	*inner;
	const char	*outer;
	uint32_t	chunks;
};

/* Take a name apart. Return: 0, or -EINVAL if suo_plan_make() would not know it. */
int suo_plan_read_name(enum suo_coll coll, const char *algorithm,
		       struct suo_plan_name *name);

/* Would suo_plan_make() know this name, whatever follows its colon included? */
bool suo_plan_known(enum suo_coll coll, const char *algorithm);

/* Name of a collective: "allreduce", "reduce_scatter", "all_gather", ... */
const char *suo_coll_name(enum suo_coll coll);

/* Return: enum suo_coll, or -EINVAL if there is no such name. */
int suo_coll_parse(const char *name);

/* Do the ranks of a collective have a root? */
static inline bool suo_coll_has_root(enum suo_coll coll)
{
	return coll == SUO_COLL_BROADCAST || coll == SUO_COLL_REDUCE ||
	       coll == SUO_COLL_GATHER || coll == SUO_COLL_SCATTER;
}

/**
 * suo_plan_chunk() - a vector cut into parts of nearly equal length
 * @len: elements to cut; may be less than @parts
 * @parts: number of parts, at least 1
 * @i: which part, below @parts
 * @off: where to store its first element
 *
 * The first len % parts parts are one element longer than the others.
 *
 * Return: the length of part @i in elements.
 */
uint64_t suo_plan_chunk(uint64_t len, uint32_t parts, uint32_t i, uint64_t *off);

/**
 * suo_plan_chunks() - into how many chunks an algorithm cuts its data
 * @asked: how many it was told to, or 0
 * @len: elements
 * @links: how many a chunk has to pass, one after the other
 * @chunk_len: of the shape
 *
 * A pipeline: C chunks over h links take (h + C - 1) (a + S / (C B)), which is
 * least for C = sqrt((h - 1) S / (a B)); a B is chunk_len.
 *
 * Return: 1 to SUO_PLAN_MAX_CHUNKS.
 */
uint32_t suo_plan_chunks(uint32_t asked, uint64_t len, uint32_t links,
			 uint64_t chunk_len);

/* Block of a rank. Return: its elements; its first one is stored. */
static inline uint64_t suo_plan_block(const struct suo_plan *plan, uint32_t rank,
				      uint64_t *off)
{
	return suo_plan_chunk(plan->count, plan->nranks, rank, off);
}

/* Does a step's message meet one of the peer's: SEND, RECV, RECV_REDUCE? */
static inline bool suo_plan_is_receive(const struct suo_plan_step *step)
{
	return step->op == SUO_PLAN_RECV || step->op == SUO_PLAN_RECV_REDUCE;
}

/* Does a step touch the DATA of the whole domain? */
static inline bool suo_plan_in_network(const struct suo_plan_step *step)
{
	return step->op == SUO_PLAN_MCAST_WRITE ||
	       step->op == SUO_PLAN_REDUCED_READ;
}

void suo_plan_free(struct suo_plan *plan);

/**
 * suo_plan_check() - prove that a plan does what its collective is to do
 * @plan: the plan
 * @why: room for a message, or NULL
 * @why_size: its size in bytes
 *
 * Runs the plan on sets of contributors instead of numbers: the output of every
 * rank must end with what enum suo_coll says, each contribution exactly once;
 * every send must meet a receive of the same length, no step may wait for ever,
 * no step may write a range that another step, not ordered with it, reads or
 * writes; steps in the network must be framed by messages, and each rank must
 * have begun before any rank ends, as said above.
 *
 * Return: 0, or -EINVAL with the reason in @why; -ENOMEM.
 */
int suo_plan_check(const struct suo_plan *plan, char *why, size_t why_size);

/* The textual form, one step a line; what `suo plan show` prints. */
void suo_plan_print(const struct suo_plan *plan, FILE *out);

#endif /* SUO_PLAN_H */
