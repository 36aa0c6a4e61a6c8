# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Every tests/unit/NAME_test.c becomes build/tests/unit/NAME_test, linked with
# the model library. A test that needs more says so here:
#   UNIT_OBJS_NAME_test  := further objects, $(BUILD)/obj/PATH.o
#   UNIT_LIBS_NAME_test  := further libraries, -lNAME

UNIT_NAMES	:= $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*_test.c))
UNIT_BINS	:= $(UNIT_NAMES:%=$(BUILD)/tests/unit/%)

UNIT_TESTS	+= $(UNIT_BINS)
DEPS_TEST	+= libcmocka-dev

# What the tests of plans share.
PLAN_HELPER	:= $(BUILD)/obj/tests/unit/plan_helper.o
UNIT_OBJS_plan_test		:= $(PLAN_HELPER)
UNIT_OBJS_plan_check_test	:= $(PLAN_HELPER)
UNIT_OBJS_plan_run_test		:= $(PLAN_HELPER)
UNIT_OBJS_plan_mutant_test	:= $(PLAN_HELPER)
UNIT_OBJS_closed_test		:= $(PLAN_HELPER)

# What the tests of cluster files share.
CLUSTER_HELPER	:= $(BUILD)/obj/tests/unit/cluster_helper.o
UNIT_OBJS_cluster_test		:= $(CLUSTER_HELPER)
UNIT_OBJS_cluster_fabric_test	:= $(CLUSTER_HELPER)
UNIT_OBJS_policy_test		:= $(CLUSTER_HELPER)

# Parts of suo-switch
UNIT_OBJS_fault_test	:= $(patsubst %,$(BUILD)/obj/userspace/switch/%.o,fault fault_script fault_request)
UNIT_LIBS_fault_test	:= -ljansson
UNIT_OBJS_capture_test	:= $(BUILD)/obj/userspace/switch/capture.o
UNIT_LIBS_capture_test	:= -lpcap
UNIT_OBJS_deadlock_test	:= $(patsubst %,$(BUILD)/obj/userspace/switch/%.o,waits deadlock watchdog)

# Tests of commands, which run what was built.
CLI_TESTS	:= cli_test calibrate_cli_test decide_test simulate_test fault_cli_test
$(foreach name,$(CLI_TESTS),$(eval UNIT_OBJS_$(name) := $(BUILD)/obj/tests/unit/cli_helper.o))
$(foreach name,$(CLI_TESTS),$(eval UNIT_LIBS_$(name) := -ljansson))
$(CLI_TESTS:%=$(BUILD)/tests/unit/%): | $(BUILD)/bin/suo

define UNIT_RULE
$$(BUILD)/tests/unit/$(1): $$(BUILD)/obj/tests/unit/$(1).o $$(UNIT_OBJS_$(1)) $$(MODEL_LIB)
	@mkdir -p $$(@D)
	$$(CC) $$(LDFLAGS) -o $$@ $$^ $$(UNIT_LIBS_$(1)) $$(MODEL_LDLIBS) -lcmocka
endef
$(foreach name,$(UNIT_NAMES),$(eval $(call UNIT_RULE,$(name))))

# All are run, in the source tree, even after one has failed.
.PHONY: check-unit
check-unit: $(UNIT_BINS) ## unit tests (cmocka)
	@failed=; for t in $^; do \
		echo "# $$t"; \
		CMOCKA_MESSAGE_OUTPUT=TAP $$t || failed="$$failed $$t"; \
	done; \
	if [ -n "$$failed" ]; then echo "# failed:$$failed"; exit 1; fi
