# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# build/bin/suo

CLI_SRCS	:= $(wildcard userspace/cli/*.c)
CLI_OBJS	:= $(CLI_SRCS:%.c=$(BUILD)/obj/%.o)

PROGRAMS	+= $(BUILD)/bin/suo
DEPS_BUILD	+= libjansson-dev gnuplot-nox

$(BUILD)/bin/suo: $(CLI_OBJS) $(CALIBRATE_LIB) $(MODEL_LIB)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(CALIBRATE_LDLIBS) $(MODEL_LDLIBS) -ljansson
