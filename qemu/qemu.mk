# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The kernel module, the lab and the demo

DEPS_BUILD	+= linux-headers-amd64 kmod xz-utils cpio gcc libc6-dev
# What goes into the guest, and what runs it
DEPS_BUILD	+= qemu-system-x86 busybox-static dash iproute2 tcpdump \
		   rdma-core ibverbs-providers ibverbs-utils rdmacm-utils \
		   perftest libfabric-bin

KVER		?= $(shell qemu/kver.sh)
KDIR		?= /lib/modules/$(KVER)/build
KMOD_DIR	:= $(BUILD)/kmod-$(KVER)
CLUSTER		?= model/cluster/examples/2x4-nvlink4-roce400.yaml
DEMO_DIR	?= $(BUILD)/demo
DEMO_VMS_DIR	?= $(BUILD)/demo-vms

.PHONY: kmod
kmod: ## build suo.ko against the installed headers (or KDIR=...)
	@qemu/build-kmod.sh $(KDIR) $(KMOD_DIR)

.PHONY: demo
demo: ## measure AllReduce on a cluster in a VM (CLUSTER=file.yaml)
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory demo-run

.PHONY: demo-run
demo-run: all
	@qemu/demo.sh $(CLUSTER) "$$(qemu/kernel.sh)" $(KMOD_DIR)/suo.ko $(DEMO_DIR)

.PHONY: demo-vms
demo-vms: ## the same in two VMs joined by a socket network; indicative
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory demo-vms-run

.PHONY: demo-vms-run
demo-vms-run: all
	@qemu/demo.sh -V $(CLUSTER) "$$(qemu/kernel.sh)" $(KMOD_DIR)/suo.ko $(DEMO_VMS_DIR)
