// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Send PFC frames, as IEEE 802.1Q-2018 clause 36 has them, or ones that are not.
 *
 * Usage: pause_frame [-d ADDRESS-BYTE] [-o OPCODE] [-l BYTES] [-n FRAMES] [-g GAP-US]
 *		      NETDEV PRIORITY QUANTA
 *
 *	-d	last byte of the destination address, hexadecimal (01)
 *	-o	opcode, hexadecimal (0101)
 *	-l	length of the frame without FCS (60)
 *	-n	so many of them (1; 0: until killed)
 *	-g	so far apart (1000)
 */
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ETHERTYPE	0x8808
#define MIN_FRAME	60

static void usage(void)
{
	fprintf(stderr, "Usage: pause_frame [-d BYTE] [-o OPCODE] [-l BYTES] [-n FRAMES] [-g GAP-US] NETDEV PRIORITY QUANTA\n");
	exit(2);
}

static unsigned long number(const char *text, int base, unsigned long max)
{
	char *end;
	unsigned long val = strtoul(text, &end, base);

	if (end == text || *end || val > max)
		usage();
	return val;
}

static void put16(uint8_t *p, unsigned int val)
{
	p[0] = val >> 8;
	p[1] = val;
}

int main(int argc, char **argv)
{
	uint8_t frame[MIN_FRAME] = {
		0x01, 0x80, 0xc2, 0x00, 0x00, 0x01,
		0x02, 0x53, 0x55, 0x00, 0x00, 0xff,
	};
	unsigned long opcode = 0x0101, len = MIN_FRAME, n = 1, gap_us = 1000, i, prio;
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETHERTYPE),
		.sll_halen = 6,
	};
	struct timespec gap;
	int opt, fd;

	while ((opt = getopt(argc, argv, "d:o:l:n:g:")) != -1) {
		switch (opt) {
		case 'd':
			frame[5] = number(optarg, 16, 0xff);
			break;
		case 'o':
			opcode = number(optarg, 16, 0xffff);
			break;
		case 'l':
			len = number(optarg, 10, MIN_FRAME);
			break;
		case 'n':
			n = number(optarg, 10, 1000000000);
			break;
		case 'g':
			gap_us = number(optarg, 10, 1000000000);
			break;
		default:
			usage();
		}
	}
	if (argc - optind != 3 || len < 16)
		usage();
	prio = number(argv[optind + 1], 10, 7);
	put16(frame + 12, ETHERTYPE);
	put16(frame + 14, opcode);
	put16(frame + 16, 1u << prio);
	put16(frame + 18 + 2 * prio, number(argv[optind + 2], 10, 0xffff));

	fd = socket(AF_PACKET, SOCK_RAW, 0);
	to.sll_ifindex = if_nametoindex(argv[optind]);
	if (fd < 0 || !to.sll_ifindex) {
		fprintf(stderr, "pause_frame: %s: %s\n", argv[optind], strerror(errno));
		return 1;
	}
	gap.tv_sec = gap_us / 1000000;
	gap.tv_nsec = gap_us % 1000000 * 1000;
	for (i = 0; !n || i < n; i++) {
		if (i)
			nanosleep(&gap, NULL);
		if (sendto(fd, frame, len, 0, (struct sockaddr *)&to, sizeof(to)) < 0 &&
		    errno != ENOBUFS && errno != ENETDOWN) {
			perror("pause_frame: sendto");
			return 1;
		}
	}
	close(fd);
	return 0;
}
