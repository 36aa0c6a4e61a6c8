# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The tests. Stages: tests/check.sh

# The test kernel
DEPS_TEST	+= bc flex bison perl dpkg-dev libelf-dev
# A new Debian system: tests/fresh-root.sh; other suites' kernels: tests/kernels.sh
DEPS_LONG	:= mmdebstrap util-linux zstd

# Judges that are not ours
DEPS_TEST	+= shellcheck sparse tshark python3-scapy git

.PHONY: check
check: ## run the tests; the last line counts them
	@$(MAKE) --no-print-directory deps-test
	@$(MAKE) --no-print-directory check-run

# Programs that tests bring into the guest
VM_FILES	:= $(filter $(BUILD)/%,$(shell sed -n 's/^# files: //p' tests/vm/*.sh))

.PHONY: check-run
check-run: all $(VM_FILES)
	@tests/check.sh $(STAGES)

.PHONY: check-long
check-long: check ## check, a lossy wire, other kernels, and the two commands of README on a new Debian system
	@qemu/deps.sh $(DEPS_LONG)
	@tests/check.sh loss kernels
	@tests/fresh-root.sh
