# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A domain across VMs: tests/ivshmem.sh

SHM_OBJ	:= $(patsubst %,$(BUILD)/obj/tests/%.o,shm/shm_data vm/verbs_lab vm/tap)

$(BUILD)/tests/shm/shm_data: $(SHM_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -libverbs -o $@
