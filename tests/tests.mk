# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The tests. Stages: tests/check.sh

# The test kernel
DEPS_TEST	+= bc flex bison perl dpkg-dev libelf-dev
# A new Debian system: tests/fresh-root.sh; other suites' kernels: tests/kernels.sh
DEPS_LONG	:= mmdebstrap util-linux zstd
# rdma-core's own tests, in their language
DEPS_LONG	+= python3-pyverbs

# Judges that are not ours
DEPS_TEST	+= shellcheck sparse tshark python3-scapy git
# tests/vm/rows.sh
DEPS_TEST	+= ethtool

# Programs that tests bring into the guest
vm_files	= $(filter $(BUILD)/%,$(shell sed -n 's/^# files: //p' $(1)))

# What a benchmark measures beside suo
DEPS_BENCH	:= sockperf

.PHONY: bench
bench: ## measure suo beside rdma_rxe, plain UDP, memcpy: build/bench/verbs.csv, su.csv
	@qemu/deps.sh $(DEPS_BUILD) $(DEPS_BENCH)
	@$(MAKE) --no-print-directory bench-run

.PHONY: bench-su
bench-su: ## the same for the scale-up path alone: build/bench/su.csv
	@qemu/deps.sh $(DEPS_BUILD) $(DEPS_BENCH)
	@$(MAKE) --no-print-directory bench-run BENCH=su

BENCH		?= verbs su

.PHONY: bench-run
bench-run: all $(foreach b,$(BENCH),$(call vm_files,tests/vm/bench-$(b).sh))
	@tests/bench.sh $(BENCH)

$(BUILD)/tests/vm/su_limits: $(BUILD)/obj/tests/vm/su_limits.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(BUILD)/tests/vm/shm_latency: $(BUILD)/obj/tests/vm/shm_latency.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lfabric -o $@

.PHONY: bench-domain
bench-domain: ## measure each link profile beside its closed form: build/bench/domain.csv
	@qemu/deps.sh $(DEPS_BUILD)
	@$(MAKE) --no-print-directory bench-domain-run

.PHONY: bench-domain-run
bench-domain-run: all $(call vm_files,tests/vm/bench-domain.sh)
	@tests/bench-domain.sh $(BUILD)/bench/domain

$(BUILD)/tests/model_speed: $(BUILD)/obj/tests/model_speed.o $(MODEL_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(MODEL_LDLIBS) -o $@

.PHONY: bench-model-speed
bench-model-speed: $(BUILD)/tests/model_speed ## how fast predictions are: build/bench/model-speed.csv
	@mkdir -p $(BUILD)/bench
	@$< | tee $(BUILD)/bench/model-speed.csv

.PHONY: check
check: ## run the tests; the last line counts them
	@$(MAKE) --no-print-directory deps-test
	@$(MAKE) --no-print-directory check-run

# Stages of check-long only
LONG_STAGES	:= loss reorder reorder-debug kernels pyverbs pyverbs-debug nvme nvme-debug ucx \
		   fabric-verbs ompi fabtests fabric-asan fabric-2x fabric-many valgrind \
		   cm-many cm-many-debug vlan netns netns-debug memory-debug \
		   mcast-debug fields mtu limits \
		   mutants rounds rounds-debug \
		   failslab smoke-debug verbs-debug verbs-rules-debug \
		   rxe-debug cm-debug ucx-debug fabric-debug fabric-verbs-debug \
		   cc-wire switch-dcqcn switch-ecmp switch-faults capture-debug border-debug observe-debug \
		   bench-domain many ports churn churn-debug windows-debug \
		   shm-long coll-long coll-mpi coll-asan

LONG_TESTS	:= $(wildcard $(LONG_STAGES:%=tests/vm/%.sh))
VM_FILES	:= $(call vm_files,$(filter-out $(LONG_TESTS),$(wildcard tests/vm/*.sh)) \
		   $(wildcard tests/shm/*.sh))

.PHONY: check-run
check-run: all $(VM_FILES)
	@LONG_STAGES="$(LONG_STAGES)" tests/check.sh $(STAGES)

.PHONY: check-long
check-long: check ## check, a lossy wire, other kernels, and the two commands of README on a new Debian system
	@qemu/deps.sh $(DEPS_LONG)
	@$(MAKE) --no-print-directory check-long-run
	@tests/fresh-root.sh

.PHONY: check-long-run
check-long-run: all $(call vm_files,$(LONG_TESTS) $(wildcard tests/shm/*.sh))
	@tests/check.sh $(LONG_STAGES)

# Made anew each time: what it is made of is the system's.
.PHONY: $(BUILD)/tests/vm/python.tar
$(BUILD)/tests/vm/python.tar:
	@mkdir -p $(@D)
	@qemu/python.sh $@

# Taken out of its package: installed, it would start a service.
$(BUILD)/tests/vm/prometheus-node-exporter:
	@mkdir -p $(@D)
	@qemu/deb-file.sh prometheus-node-exporter /usr/bin/prometheus-node-exporter $@

# What consumers of RDMA need on this side
DEPS_LONG	+= mpich libmpich-dev ucx-utils librdmacm-dev e2fsprogs

$(BUILD)/tests/vm/mpi_check: tests/vm/mpi_check.c
	@mkdir -p $(@D)
	mpicc.mpich $(ALL_CFLAGS) $< $(LDFLAGS) -o $@

$(BUILD)/tests/vm/cm_many: $(BUILD)/obj/tests/vm/cm_many.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lrdmacm -libverbs -o $@

DEPS_LONG	+= openmpi-bin libopenmpi-dev valgrind

OMPI_OBJ	:= $(patsubst %,$(BUILD)/obj/ompi/%.o,ompi_check ompi_messages \
		   ompi_collectives ompi_windows)

$(BUILD)/obj/ompi/%.o: tests/vm/%.c
	@mkdir -p $(@D)
	mpicc.openmpi $(ALL_CFLAGS) -c $< -o $@

$(BUILD)/tests/vm/ompi_check: $(OMPI_OBJ)
	@mkdir -p $(@D)
	mpicc.openmpi $(LDFLAGS) $^ -o $@

# Made anew each time: what it is made of is the system's.
.PHONY: $(BUILD)/tests/vm/openmpi.tar
$(BUILD)/tests/vm/openmpi.tar:
	@mkdir -p $(@D)
	@qemu/openmpi.sh $@

# Made anew each time: what it is made of is that suite's.
.PHONY: $(BUILD)/tests/vm/libfabric-trixie.tar
$(BUILD)/tests/vm/libfabric-trixie.tar:
	@mkdir -p $(@D)
	@qemu/libfabric.sh trixie $@

# Mutated packets: make check-long MUTANTS_SEED=N makes others.
MUTANTS_SEED	?= 1
MUTANTS_COUNT	?= 100000
MUTANTS_OBJ	:= $(patsubst %,$(BUILD)/obj/tests/vm/%.o,mutants mutants_judge \
		   mutants_qps verbs_lab tap)

$(BUILD)/tests/vm/mutants: $(MUTANTS_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -libverbs -o $@

MUTANTS_BIN	:= $(patsubst %,$(BUILD)/tests/vm/%.bin,mutants mutants-short)

$(BUILD)/tests/vm/mutants-short.bin: MUTANTS_COUNT = 5000

# Made anew each time: what is asked for may differ.
.PHONY: $(MUTANTS_BIN)
$(MUTANTS_BIN):
	@mkdir -p $(@D)
	/usr/bin/python3 -B tests/mutants.py --seed $(MUTANTS_SEED) --count $(MUTANTS_COUNT) $@

$(BUILD)/tests/vm/config_faults: $(patsubst %,$(BUILD)/obj/tests/vm/%.o,config_faults faults tap)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(BUILD)/tests/vm/pause_frame: $(BUILD)/obj/tests/vm/pause_frame.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(BUILD)/tests/vm/cc_replay: $(patsubst %,$(BUILD)/obj/%.o,tests/vm/cc_replay \
		model/core/cc model/core/dcqcn model/core/nscc)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@
