# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The fabric between: build/bin/suo-switch

SWD_OBJ		:= $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard userspace/switch/*.c)))
SWD_LDLIBS	:= $(MODEL_LDLIBS) -lev -ljansson -lpcap

PROGRAMS	+= $(BUILD)/bin/suo-switch
DEPS_BUILD	+= libev-dev libjansson-dev libpcap-dev

$(BUILD)/bin/suo-switch: $(SWD_OBJ) $(MODEL_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(SWD_LDLIBS)

# Tests of the process: all of it but main().
SWD_TESTS	:= $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/swd_*_test.c))
SWD_TEST_OBJ	:= $(filter-out %/main.o,$(SWD_OBJ)) $(BUILD)/obj/tests/unit/swd_helper.o
$(SWD_TESTS:%=$(BUILD)/tests/unit/%): $(SWD_TEST_OBJ) $(BUILD)/lib/libsuo-telemetry.a
$(foreach name,$(SWD_TESTS),$(eval UNIT_LIBS_$(name) := $(BUILD)/lib/libsuo-telemetry.a $(BUILD)/lib/libsuo-model.a -lev -ljansson -lpcap))

# And one of main().
$(BUILD)/tests/unit/swd_port_test: | $(BUILD)/bin/suo-switch
