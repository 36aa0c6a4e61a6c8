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
CLUSTER		?= $(wildcard model/cluster/examples/demo.yaml)

.PHONY: kmod
kmod:
	@qemu/build-kmod.sh $(KDIR) $(KMOD_DIR)
