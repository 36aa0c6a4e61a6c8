# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The law and the theory: build/lib/libsuo-model.a

MODEL_SRCS	:= $(wildcard model/core/*.c model/plan/*.c model/cluster/*.c \
		   model/analytic/*.c model/sim/*.c)
MODEL_OBJS	:= $(MODEL_SRCS:%.c=$(BUILD)/obj/%.o)
MODEL_LIB	:= $(BUILD)/lib/libsuo-model.a

# What a program linked with the library needs besides.
MODEL_LDLIBS	:= -lcyaml -lyaml -lm

LIBS		+= $(MODEL_LIB)

# Fitting, with GSL (GPL-3): for programs only, never for a provider.
CALIBRATE_SRCS	:= $(wildcard model/calibrate/*.c)
CALIBRATE_OBJS	:= $(CALIBRATE_SRCS:%.c=$(BUILD)/obj/%.o)
CALIBRATE_LIB	:= $(BUILD)/lib/libsuo-calibrate.a
CALIBRATE_LDLIBS := -lgsl -lgslcblas -ljansson

LIBS		+= $(CALIBRATE_LIB)
UNIT_OBJS_calibrate_test := $(CALIBRATE_LIB)
UNIT_LIBS_calibrate_test := $(CALIBRATE_LDLIBS)
DEPS_BUILD	+= gcc make libc6-dev libcyaml-dev libyaml-dev libgsl-dev libjansson-dev

$(MODEL_LIB): $(MODEL_OBJS)
	@mkdir -p $(@D)
	rm -f $@
	$(AR) rcsD $@ $^

$(CALIBRATE_LIB): $(CALIBRATE_OBJS)
	@mkdir -p $(@D)
	rm -f $@
	$(AR) rcsD $@ $^
