# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The rdma-core provider, and programs that exercise it in the lab.

VERBS_LIB	  := $(BUILD)/lib/libsuo-rdmav34.so
VERBS_DRIVER_FILE := userspace/verbs/suo.driver
VERBS_OBJS	  := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard userspace/verbs/*.c)))
VERBS_VM_PROGRAMS := $(addprefix $(BUILD)/tests/vm/verbs_,border cases data events faults flow hostile incast latency limits mcast memory mixed objects rules stale starved threads traffic turns)

LIBS		+= $(VERBS_LIB)
DEPS_BUILD	+= libibverbs-dev
DEPS_TEST	+= libcmocka-dev ibverbs-utils perftest

# The program's own verbs_register_driver_34() has to be seen by the library.
UNIT_LIBS_verbs_load_test := -rdynamic
# The program's stand-ins for libibverbs come first, the rest is the real one.
UNIT_LIBS_verbs_provider_test := -libverbs

$(VERBS_LIB): $(VERBS_OBJS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,--no-undefined -Wl,-soname,$(@F) $^ -libverbs -lpthread -o $@

$(BUILD)/tests/unit/verbs_load_test: | $(VERBS_LIB)
$(BUILD)/tests/unit/verbs_provider_test: $(VERBS_OBJS)

$(VERBS_VM_PROGRAMS): $(BUILD)/tests/vm/%: $(BUILD)/obj/tests/vm/%.o $(BUILD)/obj/tests/vm/verbs_lab.o $(BUILD)/obj/tests/vm/tap.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -libverbs -lpthread -o $@

# It reaches into the provider's objects, and rings the doorbell itself.
$(BUILD)/tests/vm/verbs_hostile: $(BUILD)/obj/userspace/verbs/post.o

$(BUILD)/tests/vm/verbs_faults: $(addprefix $(BUILD)/obj/tests/vm/,faults.o verbs_faults_objects.o verbs_faults_qp.o verbs_faults_windows.o) $(BUILD)/obj/userspace/verbs/window.o

# Windows: the library's functions without the library.
VERBS_WINDOWS	  := $(addprefix $(BUILD)/tests/vm/windows_,data load mmap rules time)

$(VERBS_WINDOWS): $(BUILD)/tests/vm/%: $(BUILD)/obj/tests/vm/%.o $(patsubst %,$(BUILD)/obj/tests/vm/%.o,windows_lab verbs_lab tap) $(BUILD)/obj/userspace/verbs/window.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -libverbs -lpthread -lm -o $@
