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
# rst2man
DEPS_DOC	:= python3-docutils

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

DESTDIR		:=
PREFIX		:= /usr
# Where libibverbs and libfabric look for providers
LIBDIR		:= $(PREFIX)/lib/$(shell $(CC) -print-multiarch 2>/dev/null)

.PHONY: install
install: all ## install the module, the providers, the programs, the manual
	@qemu/deps.sh $(DEPS_DOC)
	install -D -m 644 $(KMOD_DIR)/suo.ko \
		$(DESTDIR)/lib/modules/$(KVER)/updates/suo.ko
	install -D -m 644 $(BUILD)/lib/libsuo-rdmav34.so \
		$(DESTDIR)$(LIBDIR)/libibverbs/libsuo-rdmav34.so
	ln -sf libibverbs/libsuo-rdmav34.so $(DESTDIR)$(LIBDIR)/libsuo-rdmav34.so
	install -D -m 644 userspace/verbs/suo_window.h \
		$(DESTDIR)$(PREFIX)/include/infiniband/suo_window.h
	install -D -m 644 include/uapi/rdma/suo-abi.h \
		$(DESTDIR)$(PREFIX)/include/rdma/suo-abi.h
	install -D -m 644 userspace/verbs/suo.driver \
		$(DESTDIR)/etc/libibverbs.d/suo.driver
	install -D -m 644 $(BUILD)/lib/libsuo-fi.so \
		$(DESTDIR)$(LIBDIR)/libfabric/libsuo-fi.so
	install -D -m 644 userspace/fabric/fi_suo.h \
		$(DESTDIR)$(PREFIX)/include/rdma/fi_suo.h
	install -D -t $(DESTDIR)$(PREFIX)/bin $(PROGRAMS)
	[ ! -e $(BUILD)/lib/suo-perf-mpi.so ] || \
		install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib $(BUILD)/lib/suo-perf-mpi.so
	for page in Documentation/man/*.rst; do \
		page=$${page##*/}; page=$${page%.rst}; \
		dir=$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}; \
		mkdir -p $$dir && \
		rst2man Documentation/man/$$page.rst $$dir/$$page || exit; \
	done
	$(if $(DESTDIR),,depmod $(KVER))

.PHONY: clean
clean: ## remove everything that was built here
	rm -rf $(BUILD)

# Objects are compiled once, as position-independent code.
$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(PIC) -c $< -o $@

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
