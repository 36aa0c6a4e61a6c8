# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

.PHONY: bench-sim
bench-sim: userspace ## the simulator beside csg-htsim and closed forms: build/bench/sim.csv
	@tests/bench-sim.sh $(BUILD)/bench/sim
