# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The collective benchmark: build/bin/suo-perf

PERF_OBJ	:= $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard userspace/perf/*.c)))

PROGRAMS	+= $(BUILD)/bin/suo-perf
DEPS_BUILD	+= libfabric-dev libjansson-dev

$(BUILD)/bin/suo-perf: $(PERF_OBJ) $(BUILD)/lib/libsuo-coll.a $(BUILD)/lib/libsuo-model.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lfabric -ljansson -lm

# What is linked with MPI is loaded only by those that mpirun starts; nobody who
# has no MPI needs it.
ifneq ($(shell command -v mpicc),)
LIBS		+= $(BUILD)/lib/suo-perf-mpi.so
endif
DEPS_TEST	+= libopenmpi-dev openmpi-bin

$(BUILD)/lib/suo-perf-mpi.so: userspace/perf/mpi/mpi.c userspace/perf/boot.h
	@mkdir -p $(@D)
	OMPI_CC="$(CC)" mpicc $(ALL_CFLAGS) $(PIC) -MF $(BUILD)/obj/mpi.d -shared -o $@ $<

# All of it but main() and what needs an endpoint.
$(BUILD)/tests/unit/perf_test: $(filter-out %/main.o %/bench.o %/launch.o %/boot_mpi.o,$(PERF_OBJ)) $(BUILD)/lib/libsuo-coll.a
UNIT_LIBS_perf_test := $(BUILD)/lib/libsuo-coll.a $(BUILD)/lib/libsuo-model.a -lfabric -ljansson -lm

$(BUILD)/tests/vm/coll_epochs: $(patsubst %,$(BUILD)/obj/%.o,tests/vm/coll_epochs userspace/perf/boot userspace/perf/data) $(BUILD)/lib/libsuo-coll.a $(BUILD)/lib/libsuo-model.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lfabric -lm -o $@

COLL_FI_OBJ	:= $(patsubst %,$(BUILD)/obj/%.o,tests/vm/coll_fi userspace/perf/boot \
		   userspace/perf/collective userspace/perf/data)

$(BUILD)/tests/vm/coll_fi: $(COLL_FI_OBJ) $(BUILD)/lib/libsuo-coll.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lfabric -lm -o $@

$(BUILD)/tests/unit/coll_net_test: $(BUILD)/obj/userspace/fabric/coll_net.o
UNIT_LIBS_coll_net_test := $(BUILD)/lib/libsuo-model.a
