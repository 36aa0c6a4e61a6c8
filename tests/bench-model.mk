# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The model of collective libraries, on clusters it has not seen.

MODEL_TABLES	:= $(wildcard tests/data/nccl/*.csv)

$(BUILD)/tests/bench_model: $(BUILD)/obj/tests/bench_model.o $(CALIBRATE_LIB) $(MODEL_LIB)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(CALIBRATE_LDLIBS) $(MODEL_LDLIBS)

.PHONY: bench-model
bench-model: ## predict published clusters, each without having seen it: build/bench/model.csv
	@qemu/deps.sh $(DEPS_BUILD)
	@$(MAKE) --no-print-directory bench-model-run

.PHONY: bench-model-run
bench-model-run: $(BUILD)/tests/bench_model
	@mkdir -p $(BUILD)/bench
	@$< $(BUILD)/bench/model.csv $(MODEL_TABLES) | tee $(BUILD)/bench/model.txt
