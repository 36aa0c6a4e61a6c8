// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PCI device whose memory VMs share: QEMU's ivshmem-plain, or ivshmem-doorbell,
 * of which only the memory is used. A device is bound when a domain asks for it;
 * those that nobody asked for are left to others.
 */
#include <linux/io.h>
#include <linux/pci.h>

#include "shm.h"

#define IVSHMEM_VENDOR	0x1af4
#define IVSHMEM_DEVICE	0x1110
/* docs/specs/ivshmem-spec in QEMU: the shared memory */
#define IVSHMEM_BAR	2

static const struct pci_device_id ivshmem_ids[] = {
	{ PCI_DEVICE(IVSHMEM_VENDOR, IVSHMEM_DEVICE) },
	{ 0 }
};

/* Who asks, under suo_shm_mutex; and what came of it. */
static struct suo_shm *asking;
static int answer;

static int ivshmem_map(struct suo_shm *shm, struct pci_dev *pdev)
{
	resource_size_t len = pci_resource_len(pdev, IVSHMEM_BAR);
	int err;

	if (!(pci_resource_flags(pdev, IVSHMEM_BAR) & IORESOURCE_MEM))
		return -ENXIO;
	if (!suo_shm_layout(&shm->layout, len)) {
		pci_err(pdev, "suo: %llu bytes are too small for a domain\n",
			(u64)len);
		return -ENOSPC;
	}
	err = pci_enable_device_mem(pdev);
	if (err)
		return err;
	err = pci_request_region(pdev, IVSHMEM_BAR, "suo");
	if (err)
		goto err_request;
	/* It is memory, not registers, and is cached like any other. */
	shm->base = memremap(pci_resource_start(pdev, IVSHMEM_BAR), len,
			     MEMREMAP_WB);
	err = -ENOMEM;
	if (!shm->base)
		goto err_map;
	err = suo_shm_check_memory(shm);
	if (err)
		goto err_check;
	return 0;

err_check:
	memunmap(shm->base);
	shm->base = NULL;
err_map:
	pci_release_region(pdev, IVSHMEM_BAR);
err_request:
	pci_disable_device(pdev);
	return err;
}

static int ivshmem_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct suo_shm *shm = READ_ONCE(asking);

	if (!shm || shm->pdev != pdev)
		return -ENODEV;
	answer = ivshmem_map(shm, pdev);
	if (answer)
		return answer;
	pci_set_drvdata(pdev, shm);
	suo_shm_start(shm);
	return 0;
}

/* The domain lets it go; or it goes away, and the domain is left without. */
static void ivshmem_remove(struct pci_dev *pdev)
{
	struct suo_shm *shm = pci_get_drvdata(pdev);

	suo_shm_stop(shm);
	memunmap(shm->base);
	shm->base = NULL;
	pci_release_region(pdev, IVSHMEM_BAR);
	pci_disable_device(pdev);
}

static struct pci_driver ivshmem_driver = {
	.name		= "suo",
	.id_table	= ivshmem_ids,
	.probe		= ivshmem_probe,
	.remove		= ivshmem_remove,
};

static struct pci_dev *find_by_name(const char *name)
{
	unsigned int domain, bus, slot, func;
	char as_pci_has_it[32];

	if (sscanf(name, "%x:%x:%x.%u", &domain, &bus, &slot, &func) != 4 ||
	    bus > 0xff || slot > 0x1f || func > 7)
		return ERR_PTR(-EINVAL);
	snprintf(as_pci_has_it, sizeof(as_pci_has_it), "%04x:%02x:%02x.%u",
		 domain, bus, slot, func);
	if (strcmp(name, as_pci_has_it))
		return ERR_PTR(-EINVAL);
	return pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, func));
}

/**
 * suo_shm_find_pci() - find the device that a domain is to have
 * @name: its address, DDDD:BB:SS.F in hexadecimal, or "auto"
 * @domain: name of the domain, for messages
 *
 * Return: the device, to be put; -EINVAL if @name is neither; -ENODEV if there is
 * no such device, or it is no ivshmem device; -ENOTUNIQ for "auto" if there are
 * several.
 */
struct pci_dev *suo_shm_find_pci(const char *name, const char *domain)
{
	struct pci_dev *pdev, *next;

	if (strcmp(name, "auto")) {
		pdev = find_by_name(name);
		if (IS_ERR(pdev))
			return pdev;
		if (pdev && pdev->vendor == IVSHMEM_VENDOR &&
		    pdev->device == IVSHMEM_DEVICE)
			return pdev;
		if (pdev)
			pr_err("suo: domain %s: %s is no ivshmem device (%04x:%04x)\n",
			       domain, name, IVSHMEM_VENDOR, IVSHMEM_DEVICE);
		else
			pr_err("suo: domain %s: there is no PCI device %s\n",
			       domain, name);
		pci_dev_put(pdev);
		return ERR_PTR(-ENODEV);
	}
	pdev = pci_get_device(IVSHMEM_VENDOR, IVSHMEM_DEVICE, NULL);
	if (!pdev) {
		pr_err("suo: domain %s: this machine has no ivshmem device (PCI %04x:%04x), so no memory that it shares with others\n",
		       domain, IVSHMEM_VENDOR, IVSHMEM_DEVICE);
		return ERR_PTR(-ENODEV);
	}
	/* The search lets go of the one that it starts from. */
	next = pci_get_device(IVSHMEM_VENDOR, IVSHMEM_DEVICE, pci_dev_get(pdev));
	if (next) {
		pr_err("suo: domain %s: there are several ivshmem devices, %s and %s among them; which one?\n",
		       domain, pci_name(pdev), pci_name(next));
		pci_dev_put(next);
		pci_dev_put(pdev);
		return ERR_PTR(-ENOTUNIQ);
	}
	return pdev;
}

/**
 * suo_shm_bind() - take the device
 * @shm: wants shm->pdev; the caller holds suo_shm_mutex
 *
 * Return: 0; -EBUSY if another driver or domain has it; what suo_shm_check_memory()
 * says of the memory; or what PCI says.
 */
int suo_shm_bind(struct suo_shm *shm)
{
	int err;

	WRITE_ONCE(asking, shm);
	answer = -EBUSY;
	err = device_driver_attach(&ivshmem_driver.driver, &shm->pdev->dev);
	WRITE_ONCE(asking, NULL);
	/* Somebody else may have bound it to us meanwhile, by sysfs. */
	if (pci_get_drvdata(shm->pdev) == shm)
		return 0;
	return err ? answer ? : err : 0;
}

/* suo_shm_unbind() - let go of it, unless it is gone already */
void suo_shm_unbind(struct suo_shm *shm)
{
	if (pci_get_drvdata(shm->pdev) == shm)
		device_release_driver(&shm->pdev->dev);
}

const char *suo_shm_pci_name(const struct suo_shm *shm)
{
	return pci_name(shm->pdev);
}

int suo_shm_init(void)
{
	return pci_register_driver(&ivshmem_driver);
}

void suo_shm_exit(void)
{
	pci_unregister_driver(&ivshmem_driver);
}
