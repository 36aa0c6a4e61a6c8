# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The plan executor: build/lib/libsuo-coll.a

COLL_OBJ	:= $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard userspace/coll/*.c)))
COLL_LIB	:= $(BUILD)/lib/libsuo-coll.a

LIBS		+= $(COLL_LIB)
DEPS_BUILD	+= libfabric-dev

# Reductions are worth the vector unit.
$(BUILD)/obj/userspace/coll/reduce.o: private CFLAGS += -O3

$(COLL_LIB): $(COLL_OBJ)
	@mkdir -p $(@D)
	rm -f $@
	$(AR) rcsD $@ $^

# The libraries once more behind the objects that want them.
$(BUILD)/tests/unit/layout_test: $(COLL_LIB)
UNIT_LIBS_layout_test := $(COLL_LIB) $(BUILD)/lib/libsuo-model.a
