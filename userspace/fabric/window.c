// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Windows for programs that use libfabric. The verbs provider does the work; it is
 * in the process already if the device is one of suo's, but not among the symbols
 * that everybody sees: so it is asked for by name.
 */
#include <dlfcn.h>

#include "fi_suo.h"
#include "suo_fi.h"
#include "userspace/verbs/suo_window.h"

#define VERBS_LIB	"libsuo-rdmav34.so"

_Static_assert(FI_SUO_TOKEN_SIZE == sizeof(struct suo_token), "token");
_Static_assert((int)FI_SUO_WINDOW_MAX == SUO_WINDOW_MAX, "operations");
_Static_assert((int)FI_SUO_WINDOW_FLOAT64 == SUO_WINDOW_FLOAT64, "types");

/* The functions of suo_window.h. */
static struct {
	struct suo_window	*(*create)(struct ibv_context *context,
					   const struct suo_window_attr *attr,
					   struct suo_token *token);
	struct suo_window	*(*join)(struct ibv_context *context,
					 const struct suo_token *token);
	int			(*bind)(struct suo_window *window, const struct ibv_mr *mr,
					uint64_t addr, uint32_t index);
	int			(*query)(const struct suo_window *window,
					 struct suo_window_info *info);
	int			(*destroy)(struct suo_window *window);
} lib;

static bool load(void)
{
	static const struct {
		const char	*name;
		void		*to;
	} want[] = {
		{ "suo_window_create", &lib.create },
		{ "suo_window_join", &lib.join },
		{ "suo_window_bind", &lib.bind },
		{ "suo_window_query", &lib.query },
		{ "suo_window_destroy", &lib.destroy },
	};
	void *handle = dlopen(VERBS_LIB, RTLD_NOW);

	for (size_t i = 0; handle && i < sizeof(want) / sizeof(want[0]); i++) {
		void *symbol = dlsym(handle, want[i].name);

		if (!symbol)
			return false;
		memcpy(want[i].to, &symbol, sizeof(symbol));
	}
	return handle;
}

static struct ibv_context *context_of(struct fid_domain *domain)
{
	return suo_entry(domain, struct suo_domain, fid)->dev.ctx;
}

static int window_create(struct fid_domain *domain, uint64_t length, uint32_t members,
			 enum fi_suo_window_op op, enum fi_suo_window_type type,
			 uint8_t token[FI_SUO_TOKEN_SIZE], struct fi_suo_window **window)
{
	const struct suo_window_attr attr = {
		.length = length, .members = members, .op = op, .type = type,
	};
	struct suo_token raw;

	*window = (struct fi_suo_window *)lib.create(context_of(domain), &attr, &raw);
	if (!*window)
		return -errno;
	memcpy(token, raw.raw, sizeof(raw.raw));
	return 0;
}

static int window_join(struct fid_domain *domain, const uint8_t token[FI_SUO_TOKEN_SIZE],
		       struct fi_suo_window **window)
{
	struct suo_token raw;

	memcpy(raw.raw, token, sizeof(raw.raw));
	*window = (struct fi_suo_window *)lib.join(context_of(domain), &raw);
	return *window ? 0 : -errno;
}

static int window_bind(struct fi_suo_window *window, struct fid_mr *mr, const void *addr,
		       uint32_t index)
{
	return -lib.bind((struct suo_window *)window,
			 suo_entry(mr, struct suo_mr, fid)->mr, (uintptr_t)addr, index);
}

static int window_key(struct fi_suo_window *window, uint64_t *key)
{
	struct suo_window_info info;
	int err = lib.query((struct suo_window *)window, &info);

	*key = info.rkey;
	return -err;
}

static int window_destroy(struct fi_suo_window *window)
{
	return -lib.destroy((struct suo_window *)window);
}

static struct fi_suo_ops_window window_ops = {
	.size		= sizeof(struct fi_suo_ops_window),
	.create		= window_create,
	.join		= window_join,
	.bind		= window_bind,
	.key		= window_key,
	.destroy	= window_destroy,
};

int suo_window_ops_open(struct suo_domain *dom, const char *name, uint64_t flags, void **ops)
{
	if (flags || strcmp(name, FI_SUO_OPS_WINDOW))
		return -FI_ENOSYS;
	if (!suo_dev_is_suo(dom->dev.name) || !load())
		return -FI_ENOSYS;
	*ops = &window_ops;
	return 0;
}
