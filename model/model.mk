# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The law and the theory: build/lib/libsuo-model.a

MODEL_SRCS	:= $(wildcard model/core/*.c model/plan/*.c model/cluster/*.c \
		   model/analytic/*.c)
MODEL_OBJS	:= $(MODEL_SRCS:%.c=$(BUILD)/obj/%.o)
MODEL_LIB	:= $(BUILD)/lib/libsuo-model.a

# What a program linked with the library needs besides.
MODEL_LDLIBS	:= -lcyaml -lyaml -lm

LIBS		+= $(MODEL_LIB)
DEPS_BUILD	+= gcc make libc6-dev libcyaml-dev libyaml-dev

$(MODEL_LIB): $(MODEL_OBJS)
	@mkdir -p $(@D)
	rm -f $@
	$(AR) rcsD $@ $^
