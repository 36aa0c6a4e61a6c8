# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What a switch has counted, as suo-switch tells it and the commands of suo read it:
# build/lib/libsuo-telemetry.a

TELEMETRY_OBJS	:= $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard userspace/telemetry/*.c)))
TELEMETRY_LIB	:= $(BUILD)/lib/libsuo-telemetry.a

LIBS		+= $(TELEMETRY_LIB)
DEPS_BUILD	+= libjansson-dev

$(TELEMETRY_LIB): $(TELEMETRY_OBJS)
	@mkdir -p $(@D)
	rm -f $@
	$(AR) rcsD $@ $^

# Those that tell, and those that read
$(BUILD)/bin/suo-switch $(BUILD)/bin/suo: $(TELEMETRY_LIB)
$(SWD_TESTS:%=$(BUILD)/tests/unit/%): $(TELEMETRY_LIB)

$(BUILD)/tests/unit/snapshot_test: $(TELEMETRY_LIB)
UNIT_LIBS_snapshot_test := $(TELEMETRY_LIB) -ljansson

$(BUILD)/tests/unit/show_test: $(TELEMETRY_LIB) $(BUILD)/obj/tests/unit/cli_helper.o | $(BUILD)/bin/suo
UNIT_LIBS_show_test := -ljansson

# suo-switch's part, without the rest of the process
TELEMETRY_FAKE	:= $(patsubst %,$(BUILD)/obj/%.o,tests/unit/telemetry_helper \
		   userspace/switch/snapshot userspace/switch/server)

$(BUILD)/tests/unit/control_test: $(TELEMETRY_FAKE) $(patsubst %,$(BUILD)/obj/userspace/switch/%.o,control sockpath) $(TELEMETRY_LIB)
UNIT_LIBS_control_test := $(BUILD)/lib/libsuo-model.a -ljansson -lev

$(BUILD)/tests/unit/series_test: $(TELEMETRY_FAKE) $(patsubst %,$(BUILD)/obj/%.o,userspace/switch/series tests/unit/cli_helper) $(TELEMETRY_LIB)
UNIT_LIBS_series_test := $(BUILD)/lib/libsuo-model.a -ljansson -lev

$(BUILD)/tests/unit/prometheus_test: $(TELEMETRY_FAKE) $(BUILD)/obj/userspace/switch/prometheus.o $(TELEMETRY_LIB) | $(BUILD)/tests/promtool
UNIT_LIBS_prometheus_test := $(BUILD)/lib/libsuo-model.a -ljansson -lev

# Taken out of its package: installed, it would start a service. What cannot be had
# is skipped.
$(BUILD)/tests/promtool:
	@mkdir -p $(@D)
	@qemu/deb-file.sh prometheus /usr/bin/promtool $@ || \
		echo "there is no promtool here: what it judges is skipped" >&2

# The programs as they are
$(BUILD)/tests/unit/telemetry_run_test: $(BUILD)/obj/tests/unit/cli_helper.o | $(BUILD)/bin/suo $(BUILD)/bin/suo-switch
UNIT_LIBS_telemetry_run_test := -ljansson
