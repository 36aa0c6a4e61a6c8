# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The rdma-core provider.

VERBS_LIB	  := $(BUILD)/lib/libsuo-rdmav34.so
VERBS_DRIVER_FILE := userspace/verbs/suo.driver
VERBS_OBJS	  := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard userspace/verbs/*.c)))
VERBS_TESTS	  := $(BUILD)/tests/verbs_ring_test $(BUILD)/tests/verbs_load_test

LIBS		+= $(VERBS_LIB)
UNIT_TESTS	+= $(VERBS_TESTS)
DEPS_BUILD	+= libibverbs-dev
DEPS_TEST	+= libcmocka-dev ibverbs-utils perftest

$(VERBS_LIB): $(VERBS_OBJS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,--no-undefined -Wl,-soname,$(@F) $^ -libverbs -lpthread -o $@

$(VERBS_TESTS): $(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o | $(VERBS_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -rdynamic $^ -lcmocka -lpthread -o $@
