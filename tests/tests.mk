# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The tests. Stages: tests/check.sh

# The test kernel
DEPS_TEST	+= bc flex bison perl dpkg-dev libelf-dev
# A new Debian system: tests/fresh-root.sh
DEPS_LONG	:= mmdebstrap util-linux

# Judges that are not ours
DEPS_TEST	+= shellcheck sparse tshark python3-scapy git

.PHONY: check
check: ## run the tests; the last line counts them
	@$(MAKE) --no-print-directory deps-test
	@$(MAKE) --no-print-directory check-run

# Stages of check-long only
LONG_STAGES	:= loss nvme ucx fabric-verbs cm-many nvme-debug cm-many-debug

# Programs that tests bring into the guest
vm_files	= $(filter $(BUILD)/%,$(shell sed -n 's/^# files: //p' $(1)))
LONG_TESTS	:= $(wildcard $(LONG_STAGES:%=tests/vm/%.sh))
VM_FILES	:= $(call vm_files,$(filter-out $(LONG_TESTS),$(wildcard tests/vm/*.sh)))

.PHONY: check-run
check-run: all $(VM_FILES)
	@LONG_STAGES="$(LONG_STAGES)" tests/check.sh $(STAGES)

.PHONY: check-long
check-long: check ## check, and the two commands of README on a new Debian system
	@qemu/deps.sh $(DEPS_LONG)
	@$(MAKE) --no-print-directory check-long-run
	@tests/fresh-root.sh

.PHONY: check-long-run
check-long-run: all $(call vm_files,$(LONG_TESTS))
	@tests/check.sh $(LONG_STAGES)

# What consumers of RDMA need on this side
DEPS_LONG	+= mpich libmpich-dev ucx-utils librdmacm-dev e2fsprogs

$(BUILD)/tests/vm/mpi_check: tests/vm/mpi_check.c
	@mkdir -p $(@D)
	mpicc.mpich $(ALL_CFLAGS) $< $(LDFLAGS) -o $@

$(BUILD)/tests/vm/cm_many: $(BUILD)/obj/tests/vm/cm_many.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lrdmacm -libverbs -o $@
