# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Each part of the tree has a fragment (*.mk) beside its sources. A fragment
# adds what it builds to PROGRAMS, LIBS or UNIT_TESTS, with rules for
# it, and the packages it needs to DEPS_BUILD or DEPS_TEST. Everything that is made goes below $(BUILD).

SHELL		:= /bin/bash
BUILD		:= build
CC		?= gcc
CFLAGS		?= -O2 -g
WARN		:= -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes \
		   -Wno-unused-parameter
ALL_CFLAGS	= -std=gnu11 $(WARN) -MMD -MP -I. -Iinclude/uapi $(CFLAGS)
PIC		:= -fPIC -fvisibility=hidden

PROGRAMS	:=
LIBS		:=
UNIT_TESTS	:=
DEPS_BUILD	:=
DEPS_TEST	:=

.PHONY: all
all:

include $(sort $(wildcard model/*.mk userspace/*/*.mk qemu/*.mk tests/*.mk tests/*/*.mk))

all: $(LIBS) $(PROGRAMS) $(if $(wildcard Kbuild),kmod)

.PHONY: userspace
userspace: $(LIBS) $(PROGRAMS)

.PHONY: deps
deps: ## install the Debian packages that the build and the lab need
	@qemu/deps.sh $(DEPS_BUILD)

.PHONY: deps-test
deps-test: ## the same for the tests
	@qemu/deps.sh $(DEPS_BUILD) $(DEPS_TEST)

.PHONY: help
help: ## this list
	@echo "Targets of suo:"
	@echo "  make           build everything"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 17

.PHONY: clean
clean: ## remove everything that was built here
	rm -rf $(BUILD)

# Objects are compiled once, as position-independent code.
$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(PIC) -c $< -o $@

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
