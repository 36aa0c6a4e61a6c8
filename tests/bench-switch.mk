# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

$(BUILD)/tests/bench_switch: tests/bench_switch.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(WARN) $(CFLAGS) -pthread -o $@ $<

.PHONY: bench-switch
bench-switch: $(BUILD)/bin/suo-switch $(BUILD)/tests/bench_switch ## cost of a packet in suo-switch, a bridge and a veth pair
	@tests/bench-switch.sh $(PACKETS)
