// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * windows_rules DOMAIN-DIR: what windows refuse, and how; and what comes of it when
 * members leave, regions go and processes are killed, in the midst of a transfer too.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "windows_lab.h"

static struct group group;
static struct dev outsider;

static const struct suo_window_attr good_attr = {
	.length = WINDOW_SIZE, .members = MEMBERS, .op = SUO_WINDOW_SUM,
	.type = SUO_WINDOW_INT32,
};

/* An error number, or 0 if a window was made, which goes again. */
static int create_error(struct dev *dev, struct suo_window_attr attr)
{
	struct suo_token token;
	struct suo_window *w = suo_window_create(dev->ctx, &attr, &token);

	if (!w)
		return errno;
	suo_window_destroy(w);
	return 0;
}

static void bad_windows(void)
{
	static const struct {
		const char		*what;
		struct suo_window_attr	attr;
		int			want;
	} cases[] = {
		{ "as it should be", { 4096, 8, SUO_WINDOW_MAX, SUO_WINDOW_FLOAT16, 0 }, 0 },
		{ "of no bytes", { 0, 8, 0, 0, 0 }, EINVAL },
		{ "of half a number", { 4098, 8, 0, 0, 0 }, EINVAL },
		{ "of more bytes than a region", { 1ull << 41, 8, 0, 0, 0 }, EINVAL },
		{ "without members", { 4096, 0, 0, 0, 0 }, EINVAL },
		{ "of 1024 members", { 4096, 1024, 0, 0, 0 }, 0 },
		{ "of 1025 members", { 4096, 1025, 0, 0, 0 }, EINVAL },
		{ "by no operation", { 4096, 8, 3, 0, 0 }, EOPNOTSUPP },
		{ "of no type", { 4096, 8, 0, 8, 0 }, EOPNOTSUPP },
		{ "with more to it", { 4096, 8, 0, 0, 1 }, EINVAL },
	};
	size_t i;
	int ret;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ret = create_error(&member[0], cases[i].attr);
		check(ret == cases[i].want, "a window %s: %s", cases[i].what, strerror(ret));
	}
}

static int join_error(struct dev *dev, const struct suo_token *token)
{
	struct suo_window *w = suo_window_join(dev->ctx, token);

	if (!w)
		return errno;
	suo_window_destroy(w);
	return 0;
}

static void joining(void)
{
	struct suo_token wrong = group.token;

	check(!join_error(&member[1], &group.token), "who has the token may join");
	wrong.raw[15] ^= 1;
	check(join_error(&member[1], &wrong) == EACCES, "another token is refused");
	memset(&wrong, 0, sizeof(wrong));
	check(join_error(&member[1], &wrong) == EACCES, "zeros are no token");
	check(join_error(&outsider, &group.token) == EXDEV,
	      "a member of another domain is refused");
}

static void binding(void)
{
	uint64_t at = (uintptr_t)member[7].buf;
	struct suo_window *again, *w = group.window[7];
	struct ibv_mr *weak = ibv_reg_mr(member[7].pd, member[7].buf, BUF_SIZE,
					 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	struct suo_window_info info;

	check(suo_window_bind(w, member[7].mr, at, MEMBERS) == EINVAL,
	      "there is no ninth place of eight");
	check(suo_window_bind(w, member[7].mr, at, 0) == EBUSY, "a place that is taken is refused");
	check(suo_window_bind(w, member[7].mr, at + BUF_SIZE - WINDOW_SIZE + 1, 7) == EINVAL,
	      "a region that is too short is refused");
	check(suo_window_bind(w, member[7].mr, at - 1, 7) == EINVAL,
	      "an address before the region is refused");
	check(suo_window_bind(w, member[7].mr, ~0ull, 7) == EINVAL,
	      "an address that wraps is refused");
	check(suo_window_bind(w, weak, at, 7) == EACCES,
	      "a region that peers may not write is refused");
	check(suo_window_bind(w, member[6].mr, at, 7) == EINVAL,
	      "a region of another context is refused");
	check(!suo_window_query(w, &info) && info.bound == 7 &&
	      info.index == SUO_WINDOW_UNBOUND, "and nothing is bound by all that");
	check(!suo_window_bind(w, member[7].mr, at, 7), "a member binds its memory");
	check(suo_window_bind(w, member[7].mr, at, 7) == EBUSY, "once only");
	check(!suo_window_query(w, &info) && info.bound == 8 && info.index == 7 &&
	      info.length == WINDOW_SIZE && info.rkey == group.info.rkey,
	      "the window knows");
	again = suo_window_join(member[6].ctx, &group.token);
	check(!suo_window_unbind(w) && again &&
	      suo_window_bind(again, member[6].mr, (uintptr_t)member[6].buf, 7) == EEXIST,
	      "a member has one place, whatever shares it has");
	check(!suo_window_unbind(w), "what is not bound can be unbound");
	suo_window_destroy(again);
	ibv_dereg_mr(weak);
}

static void refused(const char *why)
{
	check(try_transfer(0, 1, IBV_WR_RDMA_WRITE, group.info.rkey, 0, ASIDE, 4096) ==
	      IBV_WC_REM_ACCESS_ERR, "%s: a write is refused", why);
	check(try_transfer(0, 1, IBV_WR_RDMA_READ, group.info.rkey, 0, ASIDE, 4096) ==
	      IBV_WC_REM_ACCESS_ERR, "%s: a read is refused", why);
}

static void accepted(const char *why)
{
	check(try_transfer(0, 1, IBV_WR_RDMA_WRITE, group.info.rkey, 0, ASIDE, 4096) ==
	      IBV_WC_SUCCESS, "%s: a write succeeds", why);
	check(try_transfer(2, 0, IBV_WR_RDMA_READ, group.info.rkey, 0, ASIDE, 4096) ==
	      IBV_WC_SUCCESS, "%s: a read succeeds", why);
}

static void requests(void)
{
	static const struct {
		const char		*what;
		enum ibv_wr_opcode	opcode;
		uint64_t		at;
		uint32_t		len;
		enum ibv_wc_status	want;
	} cases[] = {
		{ "a read at half a number", IBV_WR_RDMA_READ, 2, 4, IBV_WC_REM_INV_REQ_ERR },
		{ "a write at half a number", IBV_WR_RDMA_WRITE, 6, 4, IBV_WC_REM_INV_REQ_ERR },
		{ "a read of half a number", IBV_WR_RDMA_READ, 0, 6, IBV_WC_REM_INV_REQ_ERR },
		{ "a write of half a number", IBV_WR_RDMA_WRITE, 0, 3, IBV_WC_REM_INV_REQ_ERR },
		{ "a read of nothing", IBV_WR_RDMA_READ, 0, 0, IBV_WC_SUCCESS },
		{ "a write of nothing", IBV_WR_RDMA_WRITE, 0, 0, IBV_WC_SUCCESS },
		{ "a read of the last number", IBV_WR_RDMA_READ, WINDOW_SIZE - 4, 4,
		  IBV_WC_SUCCESS },
		{ "a read beyond the end", IBV_WR_RDMA_READ, WINDOW_SIZE - 4, 8,
		  IBV_WC_REM_ACCESS_ERR },
		{ "a write beyond the end", IBV_WR_RDMA_WRITE, WINDOW_SIZE, 4,
		  IBV_WC_REM_ACCESS_ERR },
		{ "a read that wraps", IBV_WR_RDMA_READ, ~3ull, 8, IBV_WC_REM_ACCESS_ERR },
		{ "an atomic operation", IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 8,
		  IBV_WC_REM_ACCESS_ERR },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum ibv_wc_status got;

		got = try_transfer(0, 1, cases[i].opcode, group.info.rkey, cases[i].at,
				   ASIDE, cases[i].len);
		check(got == cases[i].want, "%s: %s", cases[i].what, ibv_wc_status_str(got));
	}
	check(try_transfer(0, 1, IBV_WR_RDMA_READ, group.info.rkey ^ 1, 0, ASIDE, 4) ==
	      IBV_WC_REM_ACCESS_ERR, "another key is refused");
}

/* A connection between two devices whose protection domains need not be members'. */
static enum ibv_wc_status from_dev(struct dev *from, struct dev *to, enum ibv_wr_opcode opcode)
{
	struct end a = {}, b = {};
	enum ibv_wc_status status;

	ends_open(&a, from, &b, to, &rc_link);
	status = transfer(&a, opcode, group.info.rkey, 0, ASIDE, 64);
	end_close(&b);
	end_close(&a);
	return status;
}

static void strangers(void)
{
	struct dev other = {};

	dev_open(&other, "suo1");
	check(from_dev(&other, &member[0], IBV_WR_RDMA_WRITE) == IBV_WC_REM_ACCESS_ERR,
	      "another process of a member writes: refused");
	check(from_dev(&other, &member[0], IBV_WR_RDMA_READ) == IBV_WC_REM_ACCESS_ERR,
	      "and reads: refused");
	check(from_dev(&member[1], &other, IBV_WR_RDMA_WRITE) == IBV_WC_SUCCESS,
	      "any queue pair of the domain may be asked");
	dev_close(&other);
	check(from_dev(&outsider, &member[0], IBV_WR_RDMA_WRITE) == IBV_WC_REM_ACCESS_ERR,
	      "a device of another domain writes: refused");
	check(from_dev(&outsider, &member[0], IBV_WR_RDMA_READ) == IBV_WC_REM_ACCESS_ERR,
	      "and reads: refused");
	check(from_dev(&member[0], &outsider, IBV_WR_RDMA_WRITE) == IBV_WC_REM_ACCESS_ERR,
	      "a member asks one of another domain: refused");
}

/* A region goes in the midst of a transfer: long before it would be done. */
static void region_goes(enum ibv_wr_opcode opcode, const char *what)
{
	struct ibv_send_wr wr = {
		.opcode = opcode, .wr.rdma.rkey = group.info.rkey,
	};
	struct ibv_mr *mr = ibv_reg_mr(member[7].pd, member[7].buf, BUF_SIZE,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				       IBV_ACCESS_REMOTE_READ);
	struct end a = {}, b = {};
	struct ibv_wc wc;
	bool good;

	suo_window_unbind(group.window[7]);
	good = mr && !suo_window_bind(group.window[7], mr, (uintptr_t)member[7].buf, 7);
	ends_open(&a, &member[0], &b, &member[1], &rc_link);
	good = good && !post_send(&a, &wr, ASIDE, WINDOW_SIZE);
	/* At a time scale of 10^6 it takes 2.5 seconds. */
	usleep(1200000);
	good = good && !ibv_dereg_mr(mr) && wait_wc(&a, &wc);
	check(good && wc.status == IBV_WC_REM_ACCESS_ERR,
	      "a region is deregistered in the midst of a %s: %s", what,
	      ibv_wc_status_str(wc.status));
	end_close(&b);
	end_close(&a);
	refused("then");
	check(!suo_window_bind(group.window[7], member[7].mr, (uintptr_t)member[7].buf, 7),
	      "its place is free again");
	accepted("then");
}

static void region_changes(void)
{
	struct ibv_mr *mr = ibv_reg_mr(member[7].pd, member[7].buf, BUF_SIZE,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				       IBV_ACCESS_REMOTE_READ);
	bool good;

	suo_window_unbind(group.window[7]);
	good = !suo_window_bind(group.window[7], mr, (uintptr_t)member[7].buf, 7) &&
	       !ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			     IBV_ACCESS_LOCAL_WRITE);
	check(good, "a region that is bound is changed");
	refused("a region that was changed");
	check(!ibv_dereg_mr(mr) &&
	      !suo_window_bind(group.window[7], member[7].mr, (uintptr_t)member[7].buf, 7),
	      "another one takes its place");
}

/* Another process has member 7's place, and is killed. */
static void process_dies(void)
{
	int ready[2], status;
	char c = 0;
	pid_t pid;

	suo_window_unbind(group.window[7]);
	if (pipe(ready))
		return;
	pid = fork();
	if (!pid) {
		struct dev own = {};
		struct suo_window *w;

		dev_open(&own, "suo7");
		w = suo_window_join(own.ctx, &group.token);
		if (w && !suo_window_bind(w, own.mr, (uintptr_t)own.buf, 7) &&
		    write(ready[1], "y", 1) == 1)
			pause();
		_exit(1);
	}
	check(read(ready[0], &c, 1) == 1, "another process binds memory by the token");
	accepted("with its memory");
	kill(pid, SIGKILL);
	check(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "it is killed");
	refused("without it");
	close(ready[0]);
	close(ready[1]);
	check(!suo_window_bind(group.window[7], member[7].mr, (uintptr_t)member[7].buf, 7),
	      "its place is free again");
}

static void member_leaves(const char *domain)
{
	char dir[256];

	snprintf(dir, sizeof(dir), "%s/members/suo7", domain);
	check(!rmdir(dir), "a member leaves the domain");
	refused("without it");
	suo_window_unbind(group.window[7]);
	check(suo_window_bind(group.window[7], member[7].mr, (uintptr_t)member[7].buf, 7) ==
	      ENODEV, "it cannot bind again");
	check(create_error(&member[7], good_attr) == ENODEV, "nor make a window");
	check(join_error(&member[7], &group.token) == ENODEV, "nor join one");
	check(!mkdir(dir, 0755), "it comes back");
	suo_window_destroy(group.window[7]);
	group.window[7] = suo_window_join(member[7].ctx, &group.token);
	check(group.window[7] && !suo_window_bind(group.window[7], member[7].mr,
						  (uintptr_t)member[7].buf, 7),
	      "and joins anew");
	accepted("with it");
}

/* Who made it leaves; the others have it still. */
static void maker_leaves(void)
{
	check(!suo_window_destroy(group.window[0]), "who made the window leaves it");
	refused("without its memory");
	group.window[0] = suo_window_join(member[0].ctx, &group.token);
	check(group.window[0] && !suo_window_bind(group.window[0], member[0].mr,
						  (uintptr_t)member[0].buf, 0),
	      "and joins the window that it has made");
	accepted("with it");
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s DOMAIN-DIR\n", argv[0]);
		return 2;
	}
	members_open();
	dev_open(&outsider, "suo8");
	bad_windows();
	if (!check(group_open(&group, SUO_WINDOW_SUM, SUO_WINDOW_INT32, WINDOW_SIZE, 7),
		   "a window for 8 members, of which 7 have bound memory"))
		return tap_done();
	joining();
	refused("incomplete");
	binding();
	refused("still incomplete");
	check(!suo_window_bind(group.window[7], member[7].mr, (uintptr_t)member[7].buf, 7),
	      "the eighth one binds");
	accepted("complete");
	requests();
	strangers();
	region_goes(IBV_WR_RDMA_WRITE, "write");
	region_goes(IBV_WR_RDMA_READ, "read");
	region_changes();
	process_dies();
	member_leaves(argv[1]);
	maker_leaves();
	check(group_close(&group), "all leave the window");
	check(join_error(&member[0], &group.token) == EACCES, "then there is none to join");
	dev_close(&outsider);
	members_close();
	return tap_done();
}
