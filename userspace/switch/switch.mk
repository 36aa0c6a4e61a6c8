# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The fabric between: build/bin/suo-switch

SWD_OBJ		:= $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard userspace/switch/*.c)))
SWD_LDLIBS	:= $(MODEL_LDLIBS) -lev -ljansson

PROGRAMS	+= $(BUILD)/bin/suo-switch
DEPS_BUILD	+= libev-dev libjansson-dev

$(BUILD)/bin/suo-switch: $(SWD_OBJ) $(MODEL_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(SWD_LDLIBS)
