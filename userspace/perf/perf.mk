# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The collective benchmark: build/bin/suo-perf

PERF_OBJ	:= $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard userspace/perf/*.c)))

PROGRAMS	+= $(BUILD)/bin/suo-perf
DEPS_BUILD	+= libfabric-dev

$(BUILD)/bin/suo-perf: $(PERF_OBJ) $(BUILD)/lib/libsuo-coll.a $(BUILD)/lib/libsuo-model.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lfabric
