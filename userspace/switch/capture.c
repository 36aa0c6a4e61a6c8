// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/switch/capture.h"

#define SNAP_BYTES	65535
#define PS_PER_NS	1000ull
#define NS_PER_S	1000000000ull

int swd_capture_init(struct swd_capture *capture, u32 ports)
{
	*capture = (struct swd_capture){ .n = ports };
	capture->file = calloc(ports ? ports : 1, sizeof(*capture->file));
	capture->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SNAP_BYTES,
							     PCAP_TSTAMP_PRECISION_NANO);
	return capture->file && capture->pcap ? 0 : -ENOMEM;
}

int swd_capture_open(struct swd_capture *capture, u32 which, const char *dir,
		     const char *name, char *why)
{
	char path[4096];
	char *at;

	if (snprintf(path, sizeof(path), "%s/%s.pcap", dir, name) >= (int)sizeof(path)) {
		snprintf(why, SWD_CAPTURE_WHY, "the name of the directory is too long");
		return -EIO;
	}
	/* A colon is no good in a file's name. */
	for (at = path + strlen(dir) + 1; *at; at++)
		if (*at == ':')
			*at = '-';
	capture->file[which] = pcap_dump_open(capture->pcap, path);
	if (capture->file[which])
		return 0;
	snprintf(why, SWD_CAPTURE_WHY, "%s", pcap_geterr(capture->pcap));
	return -EIO;
}

void swd_capture_frame(struct swd_capture *capture, u32 which, const u8 *data, u32 len,
		       u64 at_ps)
{
	u64 at_ns = at_ps / PS_PER_NS;
	struct pcap_pkthdr header = {
		.ts = {
			.tv_sec = at_ns / NS_PER_S,
			/* Nanoseconds, by the precision that was asked for */
			.tv_usec = at_ns % NS_PER_S,
		},
		.caplen = len,
		.len = len,
	};

	if (capture->file[which])
		pcap_dump((u_char *)capture->file[which], &header, data);
}

int swd_capture_close(struct swd_capture *capture, char *why)
{
	int ret = 0;

	for (u32 i = 0; capture->file && i < capture->n; i++) {
		if (!capture->file[i])
			continue;
		if (pcap_dump_flush(capture->file[i]) ||
		    ferror(pcap_dump_file(capture->file[i]))) {
			snprintf(why, SWD_CAPTURE_WHY, "a capture is not whole: %s",
				 strerror(errno));
			ret = -EIO;
		}
		pcap_dump_close(capture->file[i]);
	}
	free(capture->file);
	if (capture->pcap)
		pcap_close(capture->pcap);
	*capture = (struct swd_capture){ 0 };
	return ret;
}

bool swd_capture_wants(const char *list, const char *node, const char *port,
		       const char *peer, u64 *used)
{
	const char *names[] = { node, port, peer };
	bool wants = !list;

	for (u32 i = 0; list; i++) {
		size_t len = strcspn(list, ",");

		for (u32 j = 0; j < 3; j++) {
			if (strlen(names[j]) != len || memcmp(names[j], list, len))
				continue;
			wants = true;
			if (used && i < 64)
				*used |= 1ull << i;
		}
		list = list[len] ? list + len + 1 : NULL;
	}
	return wants;
}
