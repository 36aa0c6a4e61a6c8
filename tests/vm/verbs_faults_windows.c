// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* verbs_faults: windows of a domain, which both devices are in. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "userspace/verbs/suo_window.h"
#include "verbs_faults.h"

#define PAGES	(16 * 4096)

static struct suo_window *mine, *theirs;
static struct suo_export *lent;
static struct suo_import *got;
static struct suo_token token;

static int create_window(void)
{
	const struct suo_window_attr attr = {
		.length = 4096, .members = 2, .type = SUO_WINDOW_INT32,
	};

	mine = suo_window_create(dev_a.ctx, &attr, &token);
	return ended(mine);
}

static int destroy_window(void)
{
	return suo_window_destroy(mine);
}

static bool after_create_window(int err)
{
	return err || !destroy_window();
}

static bool before_window(void)
{
	return !create_window();
}

static bool after_destroy_window(int err)
{
	return !err || !destroy_window();
}

static int join_window(void)
{
	theirs = suo_window_join(dev_b.ctx, &token);
	return ended(theirs);
}

static bool after_join_window(int err)
{
	return (err || !suo_window_destroy(theirs)) && !destroy_window();
}

static uint32_t bound(void)
{
	struct suo_window_info info;

	return suo_window_query(mine, &info) ? ~0u : info.bound;
}

static int bind_window(void)
{
	return suo_window_bind(mine, dev_a.mr, (uintptr_t)dev_a.buf, 1);
}

static bool after_bind_window(int err)
{
	return bound() == (err ? 0 : 1) && !destroy_window();
}

static bool before_unbind_window(void)
{
	return before_window() && !bind_window();
}

static int unbind_window(void)
{
	return suo_window_unbind(mine);
}

static bool after_unbind_window(int err)
{
	return bound() == (err ? 1 : 0) && !destroy_window();
}

static int export_memory(void)
{
	lent = suo_export(dev_a.mr, (uintptr_t)dev_a.buf, PAGES, SUO_EXPORT_WRITE, &token);
	return ended(lent);
}

static bool before_import(void)
{
	return !export_memory();
}

static bool after_export(int err)
{
	return err || !suo_unexport(lent);
}

static int import_memory(void)
{
	got = suo_import(dev_b.ctx, &token, 0, 0, SUO_EXPORT_WRITE);
	return ended(got);
}

static bool after_import(int err)
{
	bool good = true;

	if (!err) {
		uint8_t *map = suo_import_addr(got);

		dev_a.buf[5] = ++seed;
		good = map[5] == (uint8_t)seed && !suo_unimport(got);
	}
	return good && !suo_unexport(lent);
}

static const struct fault_step steps[] = {
	{ "window_create", NULL, create_window, after_create_window },
	{ "window_join", before_window, join_window, after_join_window },
	{ "window_bind", before_window, bind_window, after_bind_window },
	{ "window_unbind", before_unbind_window, unbind_window, after_unbind_window },
	{ "window_destroy", before_window, destroy_window, after_destroy_window },
	{ "export", NULL, export_memory, after_export },
	{ "import", before_import, import_memory, after_import },
};

void fault_windows(void)
{
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		faults_through(&steps[i], works);
}
