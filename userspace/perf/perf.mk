# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The collective benchmark: build/bin/suo-perf

PERF_OBJ	:= $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard userspace/perf/*.c)))

PROGRAMS	+= $(BUILD)/bin/suo-perf
DEPS_BUILD	+= libfabric-dev

$(BUILD)/bin/suo-perf: $(PERF_OBJ) $(BUILD)/lib/libsuo-coll.a $(BUILD)/lib/libsuo-model.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lfabric

# All of it but main() and what needs an endpoint.
$(BUILD)/tests/unit/perf_test: $(filter-out %/main.o %/bench.o,$(PERF_OBJ)) $(BUILD)/lib/libsuo-coll.a
UNIT_LIBS_perf_test := $(BUILD)/lib/libsuo-coll.a $(BUILD)/lib/libsuo-model.a

$(BUILD)/tests/vm/coll_epochs: $(patsubst %,$(BUILD)/obj/%.o,tests/vm/coll_epochs userspace/perf/boot userspace/perf/data) $(BUILD)/lib/libsuo-coll.a $(BUILD)/lib/libsuo-model.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lfabric -o $@
