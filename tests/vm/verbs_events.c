// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_events DEV: print each event of the device as it comes, after "ready".
 * To be killed.
 */
#include <stdio.h>

#include "verbs_lab.h"

int main(int argc, char **argv)
{
	struct ibv_async_event ev;
	struct dev dev = {};

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 2) {
		fprintf(stderr, "Usage: verbs_events DEV\n");
		return 2;
	}
	dev_open(&dev, argv[1]);
	puts("ready");
	while (!ibv_get_async_event(dev.ctx, &ev)) {
		printf("%s\n", ibv_event_type_str(ev.event_type));
		ibv_ack_async_event(&ev);
	}
	return 1;
}
