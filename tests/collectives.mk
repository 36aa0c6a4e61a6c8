# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Collectives beside the model, and beside Open MPI

$(BUILD)/tests/bench_predict: $(BUILD)/obj/tests/bench_predict.o $(BUILD)/lib/libsuo-model.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(MODEL_LDLIBS)

$(BUILD)/tests/vm/bench_mpi: tests/vm/bench_mpi.c
	@mkdir -p $(@D)
	mpicc.openmpi $(ALL_CFLAGS) $< $(LDFLAGS) -o $@

.PHONY: bench-collectives
bench-collectives: ## measure collectives by all algorithms, and Open MPI's: build/bench/collectives.csv
	@qemu/deps.sh $(DEPS_BUILD) openmpi-bin libopenmpi-dev
	@$(MAKE) --no-print-directory bench-collectives-run

# What the guest needs is known when all fragments have been read: in the recipe.
.PHONY: bench-collectives-run
bench-collectives-run: all $(BUILD)/tests/bench_predict
	@$(MAKE) --no-print-directory $(call vm_files,tests/vm/bench-collectives.sh)
	@tests/bench-collectives.sh
