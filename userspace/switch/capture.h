/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What passes the ports of switches, in a pcap file each: what a port sends, and what
 * it gets, PFC frames included, with modelled time in nanoseconds. The files are
 * libpcap's, so that tshark and others read them; there is no FCS in them.
 */
#ifndef SUO_SWITCH_CAPTURE_H
#define SUO_SWITCH_CAPTURE_H

#include <pcap/pcap.h>

#include "model/core/types.h"

#define SWD_CAPTURE_WHY	512u

/**
 * struct swd_capture - open files
 * @pcap: what all files have in common
 * @n: ports that are known; not all have a file
 * @file: by port: its file, or NULL
 */
struct swd_capture {
	pcap_t		*pcap;
	u32		n;
	pcap_dumper_t	**file;
};

/* Return: 0 or -ENOMEM; end with swd_capture_close() also then. */
int swd_capture_init(struct swd_capture *capture, u32 ports);

/**
 * swd_capture_open() - capture a port
 * @capture: all captures
 * @which: number of the port
 * @dir: where the file goes; it must exist
 * @name: of the port, "leaf0:Ethernet0"; its file is leaf0-Ethernet0.pcap
 * @why: what went wrong, SWD_CAPTURE_WHY bytes
 *
 * Return: 0 or -EIO.
 */
int swd_capture_open(struct swd_capture *capture, u32 which, const char *dir,
		     const char *name, char *why);

/* A frame passes a port, from its MAC addresses on and without FCS. */
void swd_capture_frame(struct swd_capture *capture, u32 which, const u8 *data, u32 len,
		       u64 at_ps);

/* Return: 0; -EIO when something could not be written, with the reason. */
int swd_capture_close(struct swd_capture *capture, char *why);

/**
 * swd_capture_wants() - is a port in a list?
 * @list: "leaf0:Ethernet0,spine1,h2:nic0": ports, switches, and what ports lead to;
 *	NULL: all are
 * @node: name of the switch
 * @port: name of the port, "leaf0:Ethernet0"
 * @peer: where it leads
 * @used: bit i is set if the entry i of the list (of at most 64) names it; or NULL
 */
bool swd_capture_wants(const char *list, const char *node, const char *port,
		       const char *peer, u64 *used);

#endif /* SUO_SWITCH_CAPTURE_H */
