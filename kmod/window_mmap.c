// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load/store windows: pages of a region that processes of other members map.
 *
 * The pages are pinned by the region, and a mapping has no hold on them. So before a
 * region lets go of its pages every mapping of them is taken away, wherever fork(),
 * mremap() or munmap() have left it: no fault brings a page back once
 * suo_import.mr is NULL, and what was there is found by its place in the file. That
 * place is therefore in one import only, of all that there are.
 *
 * A mapping holds the module, whose function a fault in it is: it cannot be unloaded
 * while processes have such mappings, though they may be of no use any more.
 */
#include <crypto/algapi.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include "compat.h"
#include "domain.h"
#include "mr.h"
#include "ring.h"
#include "suo.h"
#include "window.h"

/* Places in the file, in pages: rings begin at the lower end. */
#define IMPORT_MIN	0x80000000u
#define IMPORT_MAX	U32_MAX

/* Pages that one fault maps, around the one that is missing */
#define FAULT_PAGES	16

/**
 * struct suo_export - pages that others may map
 * @node: in the list of exports; all is protected by suo_windows_lock
 * @token: who knows it may
 * @member: whose memory it is, held
 * @mr: the region, NULL once it has gone
 * @first: its first page that is exported
 * @npages: how many are
 * @writable: others may write to them
 * @imports: who has imported them
 */
struct suo_export {
	struct list_head	node;
	struct suo_token	token;
	struct suo_member	*member;
	struct suo_mr		*mr;
	u64			first;
	u64			npages;
	bool			writable;
	struct list_head	imports;
};

/**
 * struct suo_import - what a process may map of an export
 * @entry: where the file has it
 * @ref: of the object, of the file's entry, and of each mapping
 * @all: in the list of imports, by @pgoff; protected by suo_windows_lock
 * @node: in the export's list while it is not revoked; likewise
 * @member: whose process it is, held
 * @dev: its device, for counting; while @mr is there
 * @pgoff: place in the file
 * @npages: pages
 * @first: in the region, of the first of them
 * @writable: it may write
 * @sem: protects what follows; taken by faults, so nothing may fault under it
 * @mr: the region; NULL when it was revoked
 * @mapping: of the file, from the first mmap() on
 */
struct suo_import {
	struct suo_mmap_entry	*entry;
	struct kref		ref;
	struct list_head	all;
	struct list_head	node;
	struct suo_member	*member;
	struct suo_dev		*dev;
	u32			pgoff;
	u32			npages;
	u64			first;
	bool			writable;
	struct rw_semaphore	sem;
	struct suo_mr		*mr;
	struct address_space	*mapping;
};

static LIST_HEAD(exports);
static LIST_HEAD(imports);
static u32 num_exports, num_imports;

/* Pages that stay what they are while they are pinned: anonymous memory, shared
 * memory and huge pages. Those of a file system may be written back, and cut off, at
 * any time, and stores by others would not be seen.
 */
static bool pages_can_be_shared(struct page **pages, u64 n)
{
	u64 i;

	for (i = 0; i < n; i++) {
		struct folio *folio = page_folio(pages[i]);

		if (!folio_test_swapbacked(folio) && !folio_test_anon(folio) &&
		    !folio_test_hugetlb(folio))
			return false;
		if (!(i % 1024))
			cond_resched();
	}
	return true;
}

static int export_check(struct suo_mr *mr, const struct suo_export_attr *attr)
{
	u64 off;

	if (attr->reserved || attr->flags & ~SUO_EXPORT_WRITE)
		return -EINVAL;
	if (!mr->umem)
		return -EOPNOTSUPP;
	if (!attr->length || !suo_mr_holds(mr, attr->addr, attr->length))
		return -EINVAL;
	/* Nobody gets to see what shares a page with it. */
	off = attr->addr - mr->ibmr.iova + mr->page_off;
	if (!PAGE_ALIGNED(off) || !PAGE_ALIGNED(attr->length))
		return -EINVAL;
	if (!(mr->access & IB_ACCESS_REMOTE_READ) ||
	    ((attr->flags & SUO_EXPORT_WRITE) &&
	     !(mr->access & IB_ACCESS_REMOTE_WRITE)))
		return -EACCES;
	if (!pages_can_be_shared(mr->pages + (off >> PAGE_SHIFT),
				 attr->length >> PAGE_SHIFT))
		return -EOPNOTSUPP;
	return 0;
}

/**
 * suo_export_create() - let processes of other members map a region's pages
 * @dev: the device of the process whose region it is
 * @mr: the region
 * @attr: which pages, and how
 * @token: with which others import them
 *
 * Return: the export; -EINVAL if it is not whole pages of the region; -EACCES if
 * the region does not allow peers what the export would; -EOPNOTSUPP for pages of a
 * file; -ENODEV if the device is in no domain; -ENOMEM.
 */
struct suo_export *suo_export_create(struct suo_dev *dev, struct suo_mr *mr,
				     const struct suo_export_attr *attr,
				     struct suo_token *token)
{
	struct suo_export *ex;
	int err;

	err = export_check(mr, attr);
	if (err)
		return ERR_PTR(err);
	ex = kzalloc(sizeof(*ex), GFP_KERNEL);
	if (!ex)
		return ERR_PTR(-ENOMEM);
	err = -ENODEV;
	ex->member = suo_member_get(dev);
	if (!ex->member)
		goto err_member;
	ex->mr = mr;
	ex->first = (attr->addr - mr->ibmr.iova + mr->page_off) >> PAGE_SHIFT;
	ex->npages = attr->length >> PAGE_SHIFT;
	ex->writable = attr->flags & SUO_EXPORT_WRITE;
	INIT_LIST_HEAD(&ex->imports);
	get_random_bytes(&ex->token, sizeof(ex->token));
	*token = ex->token;
	mutex_lock(&suo_windows_lock);
	err = -ENOMEM;
	if (num_exports < SUO_MAX_EXPORTS) {
		num_exports++;
		mr->shared = true;
		list_add_tail(&ex->node, &exports);
		err = 0;
	}
	mutex_unlock(&suo_windows_lock);
	if (err)
		goto err_limit;
	return ex;

err_limit:
	suo_member_put(ex->member);
err_member:
	kfree(ex);
	return ERR_PTR(err);
}

/* Take the pages away from whoever has mapped them. The file is there: an import is
 * destroyed before it is.
 */
static void import_revoke(struct suo_import *im)
{
	struct address_space *mapping;

	lockdep_assert_held(&suo_windows_lock);
	down_write(&im->sem);
	im->mr = NULL;
	mapping = im->mapping;
	up_write(&im->sem);
	list_del_init(&im->node);
	if (mapping)
		unmap_mapping_range(mapping, (loff_t)im->pgoff << PAGE_SHIFT,
				    (loff_t)im->npages << PAGE_SHIFT, 1);
}

static void export_revoke(struct suo_export *ex)
{
	struct suo_import *im, *tmp;

	list_for_each_entry_safe(im, tmp, &ex->imports, node)
		import_revoke(im);
	ex->mr = NULL;
}

void suo_export_destroy(struct suo_export *ex)
{
	mutex_lock(&suo_windows_lock);
	export_revoke(ex);
	list_del(&ex->node);
	num_exports--;
	mutex_unlock(&suo_windows_lock);
	suo_member_put(ex->member);
	kfree(ex);
}

/* A region goes: when this returns nobody has its pages mapped. */
void suo_exports_part(struct suo_mr *mr)
{
	struct suo_export *ex;

	mutex_lock(&suo_windows_lock);
	list_for_each_entry(ex, &exports, node)
		if (ex->mr == mr)
			export_revoke(ex);
	mutex_unlock(&suo_windows_lock);
}

/* A member leaves its domain: nobody there reaches its memory any more, nor it theirs. */
void suo_exports_leave(struct suo_member *member)
{
	struct suo_import *im, *tmp;
	struct suo_export *ex;

	mutex_lock(&suo_windows_lock);
	list_for_each_entry(ex, &exports, node) {
		if (ex->member == member)
			export_revoke(ex);
		list_for_each_entry_safe(im, tmp, &ex->imports, node)
			if (im->member == member)
				import_revoke(im);
	}
	mutex_unlock(&suo_windows_lock);
}

static struct suo_export *export_by_token(const struct suo_token *token)
{
	struct suo_export *ex;

	lockdep_assert_held(&suo_windows_lock);
	list_for_each_entry(ex, &exports, node)
		if (!crypto_memneq(&ex->token, token, sizeof(*token)))
			return ex;
	return NULL;
}

/* Find a place in the file that no other import has. 0 or -ENOMEM. */
static int import_place(struct suo_import *im)
{
	struct list_head *after = &imports;
	struct suo_import *other;
	u64 at = IMPORT_MIN;

	lockdep_assert_held(&suo_windows_lock);
	if (num_imports == SUO_MAX_IMPORTS)
		return -ENOMEM;
	list_for_each_entry(other, &imports, all) {
		if (other->pgoff - at >= im->npages)
			break;
		at = (u64)other->pgoff + other->npages;
		after = &other->all;
	}
	if (at + im->npages > IMPORT_MAX)
		return -ENOMEM;
	im->pgoff = at;
	list_add(&im->all, after);
	num_imports++;
	return 0;
}

/* Is there such an export, and may this member have this part of it? */
static int import_take(struct suo_import *im, const struct suo_token *token,
		       const struct suo_import_attr *attr)
{
	struct suo_export *ex = export_by_token(token);
	u64 first = attr->offset >> PAGE_SHIFT;
	u64 npages = attr->length >> PAGE_SHIFT;
	int err;

	if (!ex)
		return -EACCES;
	if (ex->member->domain != im->member->domain)
		return -EXDEV;
	if (!ex->mr || READ_ONCE(ex->member->left) ||
	    READ_ONCE(im->member->left))
		return -ENODEV;
	if (im->writable && !ex->writable)
		return -EPERM;
	if (first >= ex->npages)
		return -EINVAL;
	if (!npages)
		npages = ex->npages - first;
	if (npages > ex->npages - first || npages > IMPORT_MAX - IMPORT_MIN)
		return -EINVAL;
	im->first = ex->first + first;
	im->npages = npages;
	err = import_place(im);
	if (err)
		return err;
	im->mr = ex->mr;
	list_add_tail(&im->node, &ex->imports);
	return 0;
}

static void import_drop(struct suo_import *im)
{
	mutex_lock(&suo_windows_lock);
	if (!list_empty(&im->node))
		import_revoke(im);
	list_del(&im->all);
	num_imports--;
	mutex_unlock(&suo_windows_lock);
}

static void import_free(struct kref *ref)
{
	kfree(container_of(ref, struct suo_import, ref));
}

void suo_import_put(struct suo_import *im)
{
	kref_put(&im->ref, import_free);
}

/**
 * suo_import_create() - have what another member's process has exported
 * @ibuc: the process that imports
 * @token: of the export
 * @attr: which part of it, and how
 * @resp: where it can be mapped
 *
 * Return: the import; -EACCES if no export has this token; -EXDEV if it is of another
 * domain; -ENODEV if its memory has gone, or the device is in no domain; -EPERM to
 * write to what is exported to be read; -EINVAL for what is not whole pages of it;
 * -ENOMEM.
 */
struct suo_import *suo_import_create(struct ib_ucontext *ibuc,
				     const struct suo_token *token,
				     const struct suo_import_attr *attr,
				     struct suo_import_resp *resp)
{
	struct suo_import *im;
	int err;

	if (attr->reserved || attr->flags & ~SUO_EXPORT_WRITE ||
	    !PAGE_ALIGNED(attr->offset) || !PAGE_ALIGNED(attr->length))
		return ERR_PTR(-EINVAL);
	im = kzalloc(sizeof(*im), GFP_KERNEL);
	if (!im)
		return ERR_PTR(-ENOMEM);
	kref_init(&im->ref);
	init_rwsem(&im->sem);
	INIT_LIST_HEAD(&im->node);
	im->writable = attr->flags & SUO_EXPORT_WRITE;
	im->dev = to_sdev(ibuc->device);
	err = -ENODEV;
	im->member = suo_member_get(im->dev);
	if (!im->member)
		goto err_member;
	mutex_lock(&suo_windows_lock);
	err = import_take(im, token, attr);
	mutex_unlock(&suo_windows_lock);
	if (err)
		goto err_take;
	kref_get(&im->ref);
	im->entry = suo_mmap_entry_add(ibuc, im, im->pgoff,
				       (size_t)im->npages << PAGE_SHIFT);
	if (IS_ERR(im->entry)) {
		err = PTR_ERR(im->entry);
		goto err_entry;
	}
	resp->mmap_offset = (u64)im->pgoff << PAGE_SHIFT;
	resp->length = (u64)im->npages << PAGE_SHIFT;
	return im;

err_entry:
	suo_import_put(im);
	import_drop(im);
err_take:
	suo_member_put(im->member);
err_member:
	suo_import_put(im);
	return ERR_PTR(err);
}

/* What is mapped of it raises SIGBUS from here on. */
void suo_import_destroy(struct suo_import *im)
{
	suo_mmap_entry_del(im->entry);
	import_drop(im);
	suo_member_put(im->member);
	suo_import_put(im);
}

static void import_vm_open(struct vm_area_struct *vma)
{
	struct suo_import *im = vma->vm_private_data;

	__module_get(THIS_MODULE);
	kref_get(&im->ref);
}

static void import_vm_close(struct vm_area_struct *vma)
{
	suo_import_put(vma->vm_private_data);
	module_put(THIS_MODULE);
}

static vm_fault_t import_vm_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct suo_import *im = vma->vm_private_data;
	u64 nr = vmf->pgoff - im->pgoff, end;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	unsigned long at = vmf->address & PAGE_MASK;
	u32 mapped = 0;

	end = min3(nr + FAULT_PAGES, (u64)im->npages,
		   nr + ((vma->vm_end - at) >> PAGE_SHIFT));
	down_read(&im->sem);
	while (im->mr && nr < end) {
		ret = vmf_insert_pfn(vma, at,
				     page_to_pfn(im->mr->pages[im->first + nr]));
		if (ret != VM_FAULT_NOPAGE)
			break;
		mapped++;
		nr++;
		at += PAGE_SIZE;
	}
	if (mapped) {
		suo_stat_add(im->dev, su_mapped_pages, mapped);
		ret = VM_FAULT_NOPAGE;
	}
	up_read(&im->sem);
	return ret;
}

static const struct vm_operations_struct import_vm_ops = {
	.open	= import_vm_open,
	.close	= import_vm_close,
	.fault	= import_vm_fault,
};

/**
 * suo_import_mmap() - mmap() of an import, all of it
 * @im: the import; its entry is held
 * @vma: the mapping to be; it has the size of the import
 *
 * Return: 0; -EINVAL unless it is shared; -EACCES to write or execute what may not
 * be; -ENODEV if it was revoked.
 */
int suo_import_mmap(struct suo_import *im, struct vm_area_struct *vma)
{
	int err = 0;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if ((vma->vm_flags & VM_EXEC) ||
	    ((vma->vm_flags & VM_WRITE) && !im->writable))
		return -EACCES;
	down_write(&im->sem);
	if (im->mr)
		im->mapping = vma->vm_file->f_mapping;
	else
		err = -ENODEV;
	up_write(&im->sem);
	if (err)
		return err;
	vm_flags_clear(vma, im->writable ? VM_MAYEXEC : VM_MAYEXEC | VM_MAYWRITE);
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_private_data = im;
	vma->vm_ops = &import_vm_ops;
	import_vm_open(vma);
	return 0;
}
