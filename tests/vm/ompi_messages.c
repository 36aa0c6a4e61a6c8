// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages from one rank to another. */
#include <stdlib.h>

#include "ompi_check.h"

#define MAX_MSG		(4 << 20)
#define MANY		64

static const int sizes[] = {
	0, 1, 7, 8, 64, 255, 256, 257, 1023, 4096, 8192, 16383, 16384, 16385, 65536,
	100000, 1 << 20, MAX_MSG - 1, MAX_MSG,
};

#define NSIZES	((int)(sizeof(sizes) / sizeof(sizes[0])))

/* To the rank after us, from the one before: each distance in turn. */
static void ring(void)
{
	uint8_t *out = buffer(MAX_MSG), *in = buffer(MAX_MSG);
	long bad = 0;

	for (int n = 0; n < NSIZES; n++) {
		/* All distances for small messages, the far side for large ones. */
		for (int d = sizes[n] > 65536 ? ranks / 2 : 1; d < ranks; d++) {
			int to = (me + d) % ranks, from = (me + ranks - d) % ranks;
			MPI_Status st;
			int got;

			fill(out, sizes[n], me, n);
			MPI_Sendrecv(out, sizes[n], MPI_BYTE, to, n, in, MAX_MSG, MPI_BYTE,
				     from, n, MPI_COMM_WORLD, &st);
			MPI_Get_count(&st, MPI_BYTE, &got);
			bad += got != sizes[n] || st.MPI_SOURCE != from || st.MPI_TAG != n ||
			       wrong(in, sizes[n], from, n);
			if (sizes[n] > 65536)
				break;
		}
	}
	result(bad, "messages of 0 B to 4 MiB");
	free(out);
	free(in);
}

/* Rank 0 takes from anybody; what one rank sent comes in its order. */
static void any_source(void)
{
	int *next = calloc(ranks, sizeof(*next));
	long bad = 0;

	for (int i = 0; i < MANY && me; i++) {
		int msg[2] = { me, i };

		MPI_Send(msg, 2, MPI_INT, 0, me * 1000 + i, MPI_COMM_WORLD);
	}
	for (int i = 0; i < MANY * (ranks - 1) && !me; i++) {
		MPI_Status st;
		int msg[2];

		MPI_Recv(msg, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
		bad += msg[0] != st.MPI_SOURCE || msg[1] != next[st.MPI_SOURCE]++ ||
		       st.MPI_TAG != msg[0] * 1000 + msg[1];
	}
	result(bad, "from anybody, with any tag, in order");
	free(next);
}

/* The receiver finds out how long a message is. */
static void probes(void)
{
	static const int len[4] = { 0, 100, 20000, 300000 };
	int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
	uint8_t *out = buffer(300000), *in = buffer(300000);
	long bad = 0;

	for (int i = 0; i < 4; i++) {
		MPI_Request req;
		MPI_Message msg;
		MPI_Status st;
		int got, flag = 0;

		fill(out, len[i], me, i);
		MPI_Isend(out, len[i], MPI_BYTE, to, 50 + i, MPI_COMM_WORLD, &req);
		MPI_Iprobe(from, 9999, MPI_COMM_WORLD, &flag, &st);
		bad += flag;
		if (i % 2) {
			MPI_Probe(from, 50 + i, MPI_COMM_WORLD, &st);
		} else {
			while (!flag)
				MPI_Iprobe(MPI_ANY_SOURCE, 50 + i, MPI_COMM_WORLD, &flag, &st);
		}
		MPI_Get_count(&st, MPI_BYTE, &got);
		bad += got != len[i] || st.MPI_SOURCE != from;
		MPI_Recv(in, got, MPI_BYTE, from, 50 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		bad += wrong(in, len[i], from, i);
		MPI_Wait(&req, MPI_STATUS_IGNORE);

		MPI_Isend(out, len[i], MPI_BYTE, to, 60 + i, MPI_COMM_WORLD, &req);
		if (i % 2) {
			MPI_Mprobe(from, 60 + i, MPI_COMM_WORLD, &msg, &st);
		} else {
			for (flag = 0; !flag;)
				MPI_Improbe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &msg, &st);
		}
		MPI_Get_count(&st, MPI_BYTE, &got);
		bad += got != len[i] || st.MPI_TAG != 60 + i;
		MPI_Mrecv(in, got, MPI_BYTE, &msg, &st);
		bad += wrong(in, len[i], from, i);
		MPI_Wait(&req, MPI_STATUS_IGNORE);
	}
	result(bad, "probe, iprobe, mprobe, improbe");
	free(out);
	free(in);
}

/* Everybody to everybody, all at once. */
static void outstanding(void)
{
	const int len = 3000;
	int n = MANY * (ranks - 1), k = 0;
	MPI_Request *req = buffer(2 * n * sizeof(*req));
	uint8_t *out = buffer((size_t)MANY * len), *in = buffer((size_t)n * len);
	long bad = 0;

	for (int i = 0; i < MANY; i++)
		fill(out + (size_t)i * len, len, me, i);
	for (int r = 0; r < ranks; r++)
		for (int i = 0; i < MANY && r != me; i++, k++)
			MPI_Irecv(in + (size_t)k * len, len, MPI_BYTE, r, i, MPI_COMM_WORLD,
				  &req[k]);
	for (int i = 0; i < MANY; i++)
		for (int r = 0; r < ranks; r++)
			if (r != me)
				MPI_Isend(out + (size_t)i * len, len, MPI_BYTE, r, i,
					  MPI_COMM_WORLD, &req[k++]);
	MPI_Waitall(k, req, MPI_STATUSES_IGNORE);
	k = 0;
	for (int r = 0; r < ranks; r++)
		for (int i = 0; i < MANY && r != me; i++, k++)
			bad += wrong(in + (size_t)k * len, len, r, i);
	result(bad, "many at once, everybody to everybody");
	free(req);
	free(out);
	free(in);
}

/* Nobody waits for them yet, and the last one is taken first. */
static void unexpected(void)
{
	static const int len[6] = { 10, 70000, 0, 16384, 200000, 500 };
	int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
	uint8_t *out = buffer(6 * 200000), *in = buffer(200000);
	MPI_Request req[6];
	long bad = 0;

	for (int i = 0; i < 6; i++) {
		fill(out + (size_t)i * 200000, len[i], me, i);
		MPI_Isend(out + (size_t)i * 200000, len[i], MPI_BYTE, to, i, MPI_COMM_WORLD,
			  &req[i]);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 5; i >= 0; i--) {
		MPI_Recv(in, 200000, MPI_BYTE, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		bad += wrong(in, len[i], from, i);
	}
	MPI_Waitall(6, req, MPI_STATUSES_IGNORE);
	result(bad, "unexpected messages, last one first");
	free(out);
	free(in);
}

/* A synchronous send ends when somebody receives, and not before. */
static void synchronous(void)
{
	int to = me ^ 1, flag = 0, val = me, got = -1;
	MPI_Request req;
	long bad = 0;

	if (to < ranks) {
		if (me < to) {
			MPI_Issend(&val, 1, MPI_INT, to, 5, MPI_COMM_WORLD, &req);
			for (int i = 0; i < 100 && !flag; i++)
				MPI_Test(&req, &flag, MPI_STATUS_IGNORE);
			bad += flag;
			MPI_Send(&val, 1, MPI_INT, to, 6, MPI_COMM_WORLD);
			MPI_Wait(&req, MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(&got, 1, MPI_INT, to, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Recv(&got, 1, MPI_INT, to, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			bad += got != to;
		}
	}
	result(bad, "synchronous send");
}

/* Too long for the receive; and a receive that is taken back. */
static void errors(void)
{
	static const int len[2] = { 5000, 90000 };
	int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks, flag;
	uint8_t *out = buffer(90000), *in = buffer(90000);
	MPI_Request req;
	MPI_Status st;
	long bad = 0;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; i < 2; i++) {
		int class = MPI_SUCCESS, err;

		MPI_Isend(out, len[i], MPI_BYTE, to, 5, MPI_COMM_WORLD, &req);
		err = MPI_Recv(in, 4000, MPI_BYTE, from, 5, MPI_COMM_WORLD, &st);
		if (err != MPI_SUCCESS)
			MPI_Error_class(err, &class);
		bad += class != MPI_ERR_TRUNCATE;
		MPI_Wait(&req, MPI_STATUS_IGNORE);
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);

	MPI_Irecv(in, 10, MPI_BYTE, from, 12345, MPI_COMM_WORLD, &req);
	MPI_Cancel(&req);
	MPI_Wait(&req, &st);
	MPI_Test_cancelled(&st, &flag);
	bad += !flag;
	result(bad, "truncation, cancel");
	free(out);
	free(in);
}

void check_messages(void)
{
	ring();
	any_source();
	probes();
	outstanding();
	unexpected();
	synchronous();
	errors();
}
