// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The event queue of the libfabric provider, without endpoints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "userspace/fabric/suo_fi.h"

struct fi_provider suo_prov = { .name = "suo" };

uint64_t suo_now_ns(void)
{
	return 0;
}

bool suo_progress(struct suo_ep *ep)
{
	return false;
}

int suo_no_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	return -FI_ENOSYS;
}

int suo_no_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops,
		    void *context)
{
	return -FI_ENOSYS;
}

static struct suo_fabric fabric;
static struct fid_eq *eq;

static int setup(void **state)
{
	struct fi_eq_attr attr = { .wait_obj = FI_WAIT_NONE, .flags = FI_WRITE };

	return suo_eq_open(&fabric.fid, &attr, &eq, NULL);
}

static int teardown(void **state)
{
	return fi_close(&eq->fid);
}

static void write_event(void *context)
{
	struct fi_eq_entry entry = { .context = context };

	assert_int_equal(fi_eq_write(eq, FI_NOTIFY, &entry, sizeof(entry), 0), sizeof(entry));
}

/* One may want to know that something happened, and no more. */
static void room_for_nothing(void **state)
{
	struct fi_eq_entry entry;
	uint32_t event = 0;
	int mark;

	write_event(&mark);
	assert_int_equal(fi_eq_read(eq, &event, NULL, 0, FI_PEEK), 0);
	assert_int_equal(event, FI_NOTIFY);
	assert_int_equal(fi_eq_read(eq, &event, &entry, sizeof(entry), FI_PEEK), sizeof(entry));
	assert_ptr_equal(entry.context, &mark);
	assert_int_equal(fi_eq_read(eq, &event, NULL, 0, 0), 0);
	assert_int_equal(fi_eq_read(eq, &event, NULL, 0, 0), -FI_EAGAIN);
}

static void room_for_less_and_more(void **state)
{
	uint8_t buf[2 * sizeof(struct fi_eq_entry)];
	uint32_t event;

	memset(buf, 0x55, sizeof(buf));
	write_event(NULL);
	write_event(NULL);
	assert_int_equal(fi_eq_read(eq, &event, buf, 3, 0), 3);
	assert_int_equal(buf[3], 0x55);
	assert_int_equal(fi_eq_read(eq, &event, buf, sizeof(buf), 0), sizeof(struct fi_eq_entry));
	assert_int_equal(buf[sizeof(struct fi_eq_entry)], 0x55);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(room_for_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(room_for_less_and_more, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
