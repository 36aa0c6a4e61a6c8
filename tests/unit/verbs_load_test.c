// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The provider as a loader sees it: every symbol is found in the installed
 * libibverbs, and what it registers serves our driver id.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include <rdma/suo-abi.h>

#include "userspace/verbs/driver34.h"

static const struct verbs_device_ops *registered;

/* Found before libibverbs' own, this being the program. */
__attribute__((visibility("default")))
void verbs_register_driver_34(const struct verbs_device_ops *ops)
{
	registered = ops;
}

static void loads_and_registers(void **state)
{
	const struct verbs_match_ent *match;
	struct verbs_device *device;
	void *library;

	library = dlopen("build/lib/libsuo-rdmav34.so", RTLD_NOW);
	if (!library)
		fail_msg("%s", dlerror());

	assert_non_null(registered);
	assert_string_equal(registered->name, "suo");
	assert_int_equal(registered->match_min_abi_version, 1);
	assert_int_equal(registered->match_max_abi_version, UINT32_MAX);

	match = registered->match_table;
	assert_int_equal(match[0].kind, VERBS_MATCH_DRIVER_ID);
	assert_int_equal(match[0].u.driver_id, SUO_DRIVER_ID);
	assert_int_equal(match[1].kind, VERBS_MATCH_SENTINEL);

	device = registered->alloc_device(NULL);
	assert_non_null(device);
	registered->uninit_device(device);
	dlclose(library);
}

/* What programs link with: suo_window(3). */
static void has_windows(void **state)
{
	static const char * const names[] = {
		"suo_window_create", "suo_window_join", "suo_window_bind",
		"suo_window_unbind", "suo_window_query", "suo_window_destroy",
		"suo_export", "suo_unexport", "suo_import", "suo_import_addr",
		"suo_import_length", "suo_unimport",
	};
	void *library = dlopen("build/lib/libsuo-rdmav34.so", RTLD_NOW);
	size_t i;

	assert_non_null(library);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!dlsym(library, names[i]))
			fail_msg("%s", dlerror());
	dlclose(library);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_and_registers),
		cmocka_unit_test(has_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
