# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The plan executor: build/lib/libsuo-coll.a

COLL_OBJ	:= $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard userspace/coll/*.c)))
COLL_LIB	:= $(BUILD)/lib/libsuo-coll.a

LIBS		+= $(COLL_LIB)
DEPS_BUILD	+= libfabric-dev

# Reductions are worth the vector unit. Nobody looks at errno or at exception
# flags, which would keep comparisons from being vectorised.
REDUCE_CFLAGS	:= -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off
$(BUILD)/obj/userspace/coll/reduce_base.o: override CFLAGS += $(REDUCE_CFLAGS)
$(BUILD)/obj/userspace/coll/reduce_avx2.o: override CFLAGS += $(REDUCE_CFLAGS) -mavx2 -mf16c

$(COLL_LIB): $(COLL_OBJ)
	@mkdir -p $(@D)
	rm -f $@
	$(AR) rcsD $@ $^

# The libraries once more behind the objects that want them.
$(BUILD)/tests/unit/layout_test: $(COLL_LIB)
UNIT_LIBS_layout_test := $(COLL_LIB) $(BUILD)/lib/libsuo-model.a

$(BUILD)/tests/unit/coll_reduce_test: $(COLL_LIB)
UNIT_LIBS_coll_reduce_test := $(COLL_LIB) -lm

$(BUILD)/tests/unit/overlap_test: $(COLL_LIB)
UNIT_LIBS_overlap_test := $(COLL_LIB) $(BUILD)/lib/libsuo-model.a
