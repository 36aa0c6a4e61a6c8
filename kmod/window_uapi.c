// SPDX-License-Identifier: GPL-2.0-only
/* Windows, exports and imports as objects of a process: the commands in suo-abi.h. */
#include "mr.h"
#include "suo.h"
#include "window.h"

#define UVERBS_MODULE_NAME suo
#include <rdma/uverbs_named_ioctl.h>

#include "../model/core/reduce.h"

#define SAME(ours, theirs)	static_assert((int)(ours) == (int)(theirs))

SAME(SUO_REDUCE_SUM, SUO_WINDOW_SUM);
SAME(SUO_REDUCE_MIN, SUO_WINDOW_MIN);
SAME(SUO_REDUCE_MAX, SUO_WINDOW_MAX);
SAME(SUO_REDUCE_INT32, SUO_WINDOW_INT32);
SAME(SUO_REDUCE_UINT32, SUO_WINDOW_UINT32);
SAME(SUO_REDUCE_INT64, SUO_WINDOW_INT64);
SAME(SUO_REDUCE_UINT64, SUO_WINDOW_UINT64);
SAME(SUO_REDUCE_FLOAT16, SUO_WINDOW_FLOAT16);
SAME(SUO_REDUCE_BFLOAT16, SUO_WINDOW_BFLOAT16);
SAME(SUO_REDUCE_FLOAT32, SUO_WINDOW_FLOAT32);
SAME(SUO_REDUCE_FLOAT64, SUO_WINDOW_FLOAT64);

/* The object of a handle that the command names, or makes. */
static struct ib_uobject *handle_of(struct uverbs_attr_bundle *attrs)
{
	return uverbs_attr_get_uobject(attrs, SUO_ATTR_HANDLE);
}

static struct suo_mr *mr_of(struct uverbs_attr_bundle *attrs)
{
	struct ib_mr *ibmr = uverbs_attr_get_obj(attrs, SUO_ATTR_MR);

	return container_of(ibmr, struct suo_mr, ibmr);
}

/* The object is made, and the process's: it goes with its handle from here on, or with
 * the command if that fails.
 */
static void made(struct uverbs_attr_bundle *attrs, void *object)
{
	handle_of(attrs)->object = object;
	uverbs_finalize_uobj_create(attrs, SUO_ATTR_HANDLE);
}

static int window_free(struct ib_uobject *uobj, enum rdma_remove_reason why,
		       struct uverbs_attr_bundle *attrs)
{
	suo_window_leave(uobj->object);
	return 0;
}

static int export_free(struct ib_uobject *uobj, enum rdma_remove_reason why,
		       struct uverbs_attr_bundle *attrs)
{
	suo_export_destroy(uobj->object);
	return 0;
}

static int import_free(struct ib_uobject *uobj, enum rdma_remove_reason why,
		       struct uverbs_attr_bundle *attrs)
{
	suo_import_destroy(uobj->object);
	return 0;
}

static int UVERBS_HANDLER(SUO_METHOD_WINDOW_CREATE)(struct uverbs_attr_bundle *attrs)
{
	struct suo_dev *dev = to_sdev(handle_of(attrs)->context->device);
	struct suo_window_share *share;
	struct suo_window_attr attr;
	struct suo_token token;
	int err;

	err = uverbs_copy_from(&attr, attrs, SUO_ATTR_ATTR);
	if (err)
		return err;
	share = suo_window_create(dev, &attr, &token);
	if (IS_ERR(share))
		return PTR_ERR(share);
	made(attrs, share);
	return uverbs_copy_to(attrs, SUO_ATTR_TOKEN, &token, sizeof(token));
}

static int UVERBS_HANDLER(SUO_METHOD_WINDOW_JOIN)(struct uverbs_attr_bundle *attrs)
{
	struct suo_dev *dev = to_sdev(handle_of(attrs)->context->device);
	struct suo_window_share *share;
	struct suo_token token;
	int err;

	err = uverbs_copy_from(&token, attrs, SUO_ATTR_TOKEN);
	if (err)
		return err;
	share = suo_window_join(dev, &token);
	if (IS_ERR(share))
		return PTR_ERR(share);
	made(attrs, share);
	return 0;
}

static int UVERBS_HANDLER(SUO_METHOD_WINDOW_BIND)(struct uverbs_attr_bundle *attrs)
{
	struct suo_window_bind bind;
	int err;

	err = uverbs_copy_from(&bind, attrs, SUO_ATTR_ATTR);
	if (err)
		return err;
	return suo_window_bind(handle_of(attrs)->object, mr_of(attrs), &bind);
}

static int UVERBS_HANDLER(SUO_METHOD_WINDOW_UNBIND)(struct uverbs_attr_bundle *attrs)
{
	suo_window_unbind(handle_of(attrs)->object);
	return 0;
}

static int UVERBS_HANDLER(SUO_METHOD_WINDOW_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct suo_window_info info;

	suo_window_query(handle_of(attrs)->object, &info);
	return uverbs_copy_to_struct_or_zero(attrs, SUO_ATTR_RESP, &info,
					     sizeof(info));
}

static int UVERBS_HANDLER(SUO_METHOD_EXPORT_CREATE)(struct uverbs_attr_bundle *attrs)
{
	struct suo_dev *dev = to_sdev(handle_of(attrs)->context->device);
	struct suo_export_attr attr;
	struct suo_token token;
	struct suo_export *ex;
	int err;

	err = uverbs_copy_from(&attr, attrs, SUO_ATTR_ATTR);
	if (err)
		return err;
	ex = suo_export_create(dev, mr_of(attrs), &attr, &token);
	if (IS_ERR(ex))
		return PTR_ERR(ex);
	made(attrs, ex);
	return uverbs_copy_to(attrs, SUO_ATTR_TOKEN, &token, sizeof(token));
}

static int UVERBS_HANDLER(SUO_METHOD_IMPORT_CREATE)(struct uverbs_attr_bundle *attrs)
{
	struct suo_import_resp resp = {};
	struct suo_import_attr attr;
	struct suo_token token;
	struct suo_import *im;
	int err;

	err = uverbs_copy_from(&attr, attrs, SUO_ATTR_ATTR);
	if (err)
		return err;
	err = uverbs_copy_from(&token, attrs, SUO_ATTR_TOKEN);
	if (err)
		return err;
	im = suo_import_create(handle_of(attrs)->context, &token, &attr, &resp);
	if (IS_ERR(im))
		return PTR_ERR(im);
	made(attrs, im);
	return uverbs_copy_to_struct_or_zero(attrs, SUO_ATTR_RESP, &resp,
					     sizeof(resp));
}

DECLARE_UVERBS_NAMED_METHOD(SUO_METHOD_WINDOW_CREATE,
			    UVERBS_ATTR_IDR(SUO_ATTR_HANDLE, SUO_OBJECT_WINDOW,
					    UVERBS_ACCESS_NEW, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SUO_ATTR_ATTR,
					       UVERBS_ATTR_STRUCT(struct suo_window_attr,
								  reserved),
					       UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(SUO_ATTR_TOKEN,
						UVERBS_ATTR_TYPE(struct suo_token),
						UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(SUO_METHOD_WINDOW_JOIN,
			    UVERBS_ATTR_IDR(SUO_ATTR_HANDLE, SUO_OBJECT_WINDOW,
					    UVERBS_ACCESS_NEW, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SUO_ATTR_TOKEN,
					       UVERBS_ATTR_TYPE(struct suo_token),
					       UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(SUO_METHOD_WINDOW_BIND,
			    UVERBS_ATTR_IDR(SUO_ATTR_HANDLE, SUO_OBJECT_WINDOW,
					    UVERBS_ACCESS_WRITE, UA_MANDATORY),
			    UVERBS_ATTR_IDR(SUO_ATTR_MR, UVERBS_OBJECT_MR,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SUO_ATTR_ATTR,
					       UVERBS_ATTR_STRUCT(struct suo_window_bind,
								  reserved),
					       UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(SUO_METHOD_WINDOW_UNBIND,
			    UVERBS_ATTR_IDR(SUO_ATTR_HANDLE, SUO_OBJECT_WINDOW,
					    UVERBS_ACCESS_WRITE, UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(SUO_METHOD_WINDOW_QUERY,
			    UVERBS_ATTR_IDR(SUO_ATTR_HANDLE, SUO_OBJECT_WINDOW,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(SUO_ATTR_RESP,
						UVERBS_ATTR_STRUCT(struct suo_window_info,
								   reserved),
						UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(SUO_METHOD_WINDOW_DESTROY,
				    UVERBS_ATTR_IDR(SUO_ATTR_HANDLE, SUO_OBJECT_WINDOW,
						    UVERBS_ACCESS_DESTROY,
						    UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(SUO_METHOD_EXPORT_CREATE,
			    UVERBS_ATTR_IDR(SUO_ATTR_HANDLE, SUO_OBJECT_EXPORT,
					    UVERBS_ACCESS_NEW, UA_MANDATORY),
			    UVERBS_ATTR_IDR(SUO_ATTR_MR, UVERBS_OBJECT_MR,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SUO_ATTR_ATTR,
					       UVERBS_ATTR_STRUCT(struct suo_export_attr,
								  reserved),
					       UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(SUO_ATTR_TOKEN,
						UVERBS_ATTR_TYPE(struct suo_token),
						UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(SUO_METHOD_EXPORT_DESTROY,
				    UVERBS_ATTR_IDR(SUO_ATTR_HANDLE, SUO_OBJECT_EXPORT,
						    UVERBS_ACCESS_DESTROY,
						    UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(SUO_METHOD_IMPORT_CREATE,
			    UVERBS_ATTR_IDR(SUO_ATTR_HANDLE, SUO_OBJECT_IMPORT,
					    UVERBS_ACCESS_NEW, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SUO_ATTR_TOKEN,
					       UVERBS_ATTR_TYPE(struct suo_token),
					       UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SUO_ATTR_ATTR,
					       UVERBS_ATTR_STRUCT(struct suo_import_attr,
								  reserved),
					       UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(SUO_ATTR_RESP,
						UVERBS_ATTR_STRUCT(struct suo_import_resp,
								   length),
						UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(SUO_METHOD_IMPORT_DESTROY,
				    UVERBS_ATTR_IDR(SUO_ATTR_HANDLE, SUO_OBJECT_IMPORT,
						    UVERBS_ACCESS_DESTROY,
						    UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(SUO_OBJECT_WINDOW, UVERBS_TYPE_ALLOC_IDR(window_free),
			    &UVERBS_METHOD(SUO_METHOD_WINDOW_CREATE),
			    &UVERBS_METHOD(SUO_METHOD_WINDOW_JOIN),
			    &UVERBS_METHOD(SUO_METHOD_WINDOW_BIND),
			    &UVERBS_METHOD(SUO_METHOD_WINDOW_UNBIND),
			    &UVERBS_METHOD(SUO_METHOD_WINDOW_QUERY),
			    &UVERBS_METHOD(SUO_METHOD_WINDOW_DESTROY));

DECLARE_UVERBS_NAMED_OBJECT(SUO_OBJECT_EXPORT, UVERBS_TYPE_ALLOC_IDR(export_free),
			    &UVERBS_METHOD(SUO_METHOD_EXPORT_CREATE),
			    &UVERBS_METHOD(SUO_METHOD_EXPORT_DESTROY));

DECLARE_UVERBS_NAMED_OBJECT(SUO_OBJECT_IMPORT, UVERBS_TYPE_ALLOC_IDR(import_free),
			    &UVERBS_METHOD(SUO_METHOD_IMPORT_CREATE),
			    &UVERBS_METHOD(SUO_METHOD_IMPORT_DESTROY));

const struct uapi_definition suo_uapi_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(SUO_OBJECT_WINDOW),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(SUO_OBJECT_EXPORT),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(SUO_OBJECT_IMPORT),
	{}
};
