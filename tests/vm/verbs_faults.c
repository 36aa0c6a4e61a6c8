// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_faults CASE ...: one fault, of which every packet is known, for whoever
 * watches the devices meanwhile.
 *
 *	rkey A B	a write from A to B with a key that B does not know
 *	rnr A B		a send for which B has no receive posted; 3 RNR retries
 *	lost A B	a send to a queue pair of B that is in error; 2 retries
 *	hold A B	7 writes from A to B; then "ready", and both stay until killed
 *	udp ADDR HEX	a datagram of these bytes to the RoCEv2 port of ADDR
 *
 * Prints "a QPN b QPN", the numbers of the queue pairs. Exit status 0 if the
 * completion has the status that the specification wants.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "verbs_lab.h"

static struct dev dev_a, dev_b;
static struct end a, b;

/* The same as one that connects, with the counts that the cases name. */
static struct link_attr few_retries(void)
{
	struct link_attr attr = rc_link;

	attr.timeout = 8;
	attr.retry = 2;
	attr.rnr_retry = 3;
	return attr;
}

static bool post(enum ibv_wr_opcode opcode, uint32_t key_xor)
{
	struct ibv_send_wr wr = { .opcode = opcode };

	if (opcode == IBV_WR_RDMA_WRITE) {
		remote(&wr, &b, 0);
		wr.wr.rdma.rkey ^= key_xor;
	}
	return !post_send(&a, &wr, 0, 100);
}

static bool fails(enum ibv_wr_opcode opcode, uint32_t key_xor,
		  enum ibv_wc_status status)
{
	struct ibv_wc wc;

	return post(opcode, key_xor) && expect(&a, status, &wc);
}

static bool hold(void)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 7; i++)
		if (!post(IBV_WR_RDMA_WRITE, 0) ||
		    !expect(&a, IBV_WC_SUCCESS, &wc))
			return false;
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

static int udp(const char *addr, const char *hex)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(4791),
	};
	unsigned char buf[1500];
	size_t len = 0;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	while (len < sizeof(buf) && sscanf(hex + 2 * len, "%2hhx", &buf[len]) == 1)
		len++;
	if (fd < 0 || inet_pton(AF_INET, addr, &to.sin_addr) != 1 ||
	    sendto(fd, buf, len, 0, (struct sockaddr *)&to, sizeof(to)) !=
	    (ssize_t)len) {
		perror("udp");
		return 1;
	}
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	struct link_attr attr = few_retries();
	bool good = false;

	if (argc != 4) {
		fprintf(stderr, "Usage: verbs_faults CASE ...\n");
		return 2;
	}
	if (!strcmp(argv[1], "udp"))
		return udp(argv[2], argv[3]);
	dev_open(&dev_a, argv[2]);
	dev_open(&dev_b, argv[3]);
	ends_open(&a, &dev_a, &b, &dev_b, &attr);
	printf("a %u b %u\n", a.qp->qp_num, b.qp->qp_num);
	if (!strcmp(argv[1], "rkey")) {
		good = fails(IBV_WR_RDMA_WRITE, 0x5500, IBV_WC_REM_ACCESS_ERR);
	} else if (!strcmp(argv[1], "rnr")) {
		good = fails(IBV_WR_SEND, 0, IBV_WC_RNR_RETRY_EXC_ERR);
	} else if (!strcmp(argv[1], "lost")) {
		good = !end_to(&b, &a, &attr, IBV_QPS_ERR) &&
		       fails(IBV_WR_SEND, 0, IBV_WC_RETRY_EXC_ERR);
	} else if (!strcmp(argv[1], "hold")) {
		good = hold();
	}
	end_close(&a);
	end_close(&b);
	dev_close(&dev_a);
	dev_close(&dev_b);
	return good ? 0 : 1;
}
