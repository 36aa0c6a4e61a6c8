# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What `suo fault` and `suo cluster check` share with suo-switch
$(BUILD)/bin/suo: $(patsubst %,$(BUILD)/obj/userspace/switch/%.o,fault fault_script)

# Runs with faults, for `suo diagnose`
$(BUILD)/tests/unit/swd_diagnose_test: $(BUILD)/obj/tests/unit/swd_nic.o | $(BUILD)/bin/suo

$(BUILD)/tests/unit/fault_cli_test: | $(BUILD)/bin/suo-switch
