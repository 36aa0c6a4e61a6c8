// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frames: all memory for them is taken at the start. */
#include <errno.h>
#include <sys/mman.h>

#include "userspace/switch/switchd.h"

/* Pause frames must not be lost because data has taken all. */
#define FOR_CONTROL	64u

int swd_pool_init(struct swd *s, u32 frames)
{
	struct swd_frame *pool;

	frames += FOR_CONTROL;
	s->pool_bytes = frames * sizeof(*pool);
	/* Pages that were never used are never had: the last frame used is the next. */
	pool = mmap(NULL, s->pool_bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pool == MAP_FAILED)
		return swd_error(-ENOMEM, "no memory for %u frames", frames);
	s->pool = pool;
	s->frames = frames;
	return 0;
}

void swd_pool_free(struct swd *s)
{
	if (s->pool)
		munmap(s->pool, s->pool_bytes);
	s->pool = NULL;
}

struct swd_frame *swd_frame_get(struct swd *s, bool control)
{
	struct suo_frame *frame = s->free_frames;

	if (!control && s->frames_out + FOR_CONTROL >= s->frames) {
		s->pool_empty++;
		return NULL;
	}
	if (frame) {
		s->free_frames = frame->next;
	} else {
		/* What was never used is behind what was. */
		if (s->frames_out == s->frames) {
			s->pool_empty++;
			return NULL;
		}
		frame = &s->pool[s->frames_out].f;
	}
	s->frames_out++;
	return (struct swd_frame *)frame;
}

void swd_frame_put(struct swd *s, struct swd_frame *frame)
{
	frame->f.next = s->free_frames;
	s->free_frames = &frame->f;
	s->frames_out--;
}
