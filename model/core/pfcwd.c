// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pfcwd.h"

/* Count down. Return: whether the time is over. */
static bool is_over(struct suo_pfcwd *queue, u64 elapsed_ps)
{
	queue->left_ps = suo_sub_sat(queue->left_ps, elapsed_ps);
	return !queue->left_ps;
}

static u32 detect(const struct suo_pfcwd_law *law, struct suo_pfcwd *queue,
		  const struct suo_pfcwd_sample *now, bool heard, u64 elapsed_ps)
{
	bool stuck = now->depth_bytes && now->tx_packets == queue->tx_packets &&
		     (heard || now->paused);

	if (!stuck) {
		queue->left_ps = law->detection_ps;
		return SUO_PFCWD_NOTHING;
	}
	if (!is_over(queue, elapsed_ps))
		return SUO_PFCWD_NOTHING;
	queue->storm = true;
	queue->detected++;
	queue->left_ps = law->restoration_ps;
	return SUO_PFCWD_STORM;
}

static u32 restore(const struct suo_pfcwd_law *law, struct suo_pfcwd *queue,
		   bool heard, u64 elapsed_ps)
{
	if (heard) {
		queue->left_ps = law->restoration_ps;
		return SUO_PFCWD_NOTHING;
	}
	if (!is_over(queue, elapsed_ps))
		return SUO_PFCWD_NOTHING;
	queue->storm = false;
	queue->restored++;
	queue->left_ps = law->detection_ps;
	return SUO_PFCWD_RESTORED;
}

u32 suo_pfcwd_poll(const struct suo_pfcwd_law *law, struct suo_pfcwd *queue,
		   const struct suo_pfcwd_sample *now, u64 elapsed_ps)
{
	bool heard = now->pause_frames != queue->pause_frames;
	u32 event = SUO_PFCWD_NOTHING;

	if (!law->detection_ps)
		return event;
	if (!queue->armed) {
		queue->armed = true;
		queue->left_ps = law->detection_ps;
	} else if (queue->storm) {
		event = restore(law, queue, heard, elapsed_ps);
	} else {
		event = detect(law, queue, now, heard, elapsed_ps);
	}
	queue->tx_packets = now->tx_packets;
	queue->pause_frames = now->pause_frames;
	return event;
}
