# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The libfabric provider: build/lib/libsuo-fi.so, found by FI_PROVIDER_PATH.

FABRIC_SRC	:= $(wildcard userspace/fabric/*.c)
FABRIC_OBJ	:= $(FABRIC_SRC:%.c=$(BUILD)/obj/%.o)
FABRIC_MAP	:= userspace/fabric/libsuo-fi.map

LIBS		+= $(BUILD)/lib/libsuo-fi.so
DEPS_BUILD	+= libfabric-dev libibverbs-dev
DEPS_TEST	+= libfabric-bin

# Plans and reductions
FABRIC_LIBS	:= $(BUILD)/lib/libsuo-coll.a $(BUILD)/lib/libsuo-model.a

$(BUILD)/lib/libsuo-fi.so: $(FABRIC_OBJ) $(FABRIC_MAP) $(FABRIC_LIBS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -shared -Wl,--no-undefined -Wl,--version-script=$(FABRIC_MAP) \
		-o $@ $(FABRIC_OBJ) $(FABRIC_LIBS) -lfabric -libverbs -lm -lpthread

FABRIC_PURE	:= $(patsubst %,$(BUILD)/obj/userspace/fabric/%.o,addr amo match handshake)

# Sums wrap around, as they do in the device.
$(BUILD)/obj/userspace/fabric/amo.o: override CFLAGS += -fwrapv

$(addprefix $(BUILD)/tests/unit/,amo_test fabric_test handshake_test): $(FABRIC_PURE)
UNIT_LIBS_amo_test	:= -lm -lpthread
$(BUILD)/tests/unit/info_test: $(BUILD)/obj/userspace/fabric/info.o
UNIT_LIBS_info_test	:= -lfabric -libverbs
$(BUILD)/tests/unit/service_test: $(BUILD)/obj/userspace/fabric/service.o
UNIT_LIBS_service_test	:= -lfabric -lpthread
$(BUILD)/tests/unit/event_test: $(BUILD)/obj/userspace/fabric/eq.o
UNIT_LIBS_event_test	:= -lfabric -lpthread

# Programs for tests in the lab
FABRIC_VM_OBJ	:= $(patsubst %,$(BUILD)/obj/%.o,tests/vm/fabric_ends userspace/perf/boot)

FABRIC_VM	:= $(addprefix $(BUILD)/tests/vm/fabric_,data atomic ops many)

$(FABRIC_VM): $(BUILD)/tests/vm/%: $(BUILD)/obj/tests/vm/%.o $(FABRIC_VM_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lfabric -o $@

# The same with sanitizers, for tests/vm/fabric-asan.sh
ASAN		:= -fsanitize=address,undefined -fno-sanitize-recover=undefined

.PHONY: FORCE
FORCE:

$(BUILD)/asan/%: FORCE
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/asan CFLAGS="-O1 -g $(ASAN)" \
		LDFLAGS="$(ASAN)" $@

# valgrind over what needs no device
.PHONY: check-valgrind
check-valgrind: $(patsubst %,$(BUILD)/tests/unit/%_test,amo event fabric handshake info service)
	@for t in $^; do \
		CMOCKA_MESSAGE_OUTPUT=TAP valgrind -q --leak-check=full --error-exitcode=1 $$t || exit; \
	done
