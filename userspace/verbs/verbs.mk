# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The rdma-core provider.

VERBS_LIB	 := $(BUILD)/lib/libsuo-rdmav34.so
VERBS_DRIVER_FILE := userspace/verbs/suo.driver
VERBS_OBJS	 := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard userspace/verbs/*.c)))
VERBS_RING_TEST	 := $(BUILD)/tests/verbs_ring_test

LIBS		+= $(VERBS_LIB)
UNIT_TESTS	+= $(VERBS_RING_TEST)
DEPS_BUILD	+= libibverbs-dev
DEPS_TEST	+= libcmocka-dev ibverbs-utils perftest

$(VERBS_LIB): $(VERBS_OBJS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,--no-undefined -Wl,-soname,$(@F) $^ -libverbs -lpthread -o $@

$(VERBS_RING_TEST): $(BUILD)/obj/tests/unit/verbs_ring_test.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lcmocka -lpthread -o $@
