// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_faults [-q] DEV-A DEV-B: every verb of DEV-A, windows of the domain that both
 * are in too, or with -q the verbs of queue pairs only, while the kernel has no memory for one allocation or the other. A
 * verb that fails has done nothing, and says so; one that does not fail has done its
 * work; and both leave the devices as good as new.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "faults.h"
#include "verbs_faults.h"

struct dev dev_a, dev_b;
struct end a, b;
unsigned int seed;

/* How a verb that returns a pointer has ended. */
int ended(const void *made)
{
	return made ? 0 : errno;
}

bool close_ends(void)
{
	bool good = !ibv_destroy_qp(a.qp) && !ibv_destroy_cq(a.cq) &&
		    !ibv_destroy_comp_channel(a.channel) &&
		    !ibv_destroy_qp(b.qp) && !ibv_destroy_cq(b.cq) &&
		    !ibv_destroy_comp_channel(b.channel);

	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	return good;
}

bool open_ends(void)
{
	ends_open(&a, &dev_a, &b, &dev_b, &rc_link);
	return true;
}

/* A send of a is received by b, byte for byte. */
bool passes(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_wc wc;

	pattern(&dev_a, 0, LEN, ++seed);
	return !post_recv(&b, 1, AT_B, LEN) && !post_send(&a, &wr, 0, LEN) &&
	       expect(&b, IBV_WC_SUCCESS, &wc) && wc.byte_len == LEN &&
	       expect(&a, IBV_WC_SUCCESS, &wc) &&
	       matches(&dev_b, AT_B, LEN, seed);
}

bool works(void)
{
	struct end keep_a = a, keep_b = b;
	bool good;

	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	open_ends();
	good = passes();
	good &= close_ends();
	a = keep_a;
	b = keep_b;
	return good;
}

int main(int argc, char **argv)
{
	bool all = argc == 3;

	if (!all && (argc != 4 || strcmp(argv[1], "-q"))) {
		fprintf(stderr, "Usage: %s [-q] DEV-A DEV-B\n", argv[0]);
		return 2;
	}
	dev_open(&dev_a, argv[argc - 2]);
	dev_open(&dev_b, argv[argc - 1]);
	faults_open();
	if (all) {
		fault_objects();
		fault_windows();
	}
	fault_queue_pairs();
	printf("# %u allocations failed\n", faults_total());
	dev_close(&dev_a);
	dev_close(&dev_b);
	return tap_done();
}
