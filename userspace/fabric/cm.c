// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_cm: an endpoint has a name, and no connections that the application makes. */
#include "suo_fi.h"

static int cm_getname(fid_t fid, void *addr, size_t *addrlen)
{
	struct suo_ep *ep = suo_entry(fid, struct suo_ep, fid.fid);
	size_t room = *addrlen;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	*addrlen = sizeof(ep->addr);
	if (room < sizeof(ep->addr)) {
		if (addr)
			memcpy(addr, &ep->addr, room);
		return -FI_ETOOSMALL;
	}
	memcpy(addr, &ep->addr, sizeof(ep->addr));
	return 0;
}

static int cm_setname(fid_t fid, void *addr, size_t addrlen)
{
	return -FI_ENOSYS;
}

static int cm_getpeer(struct fid_ep *ep, void *addr, size_t *addrlen)
{
	return -FI_ENOSYS;
}

static int cm_connect(struct fid_ep *ep, const void *addr, const void *param,
		      size_t paramlen)
{
	return -FI_ENOSYS;
}

static int cm_listen(struct fid_pep *pep)
{
	return -FI_ENOSYS;
}

static int cm_accept(struct fid_ep *ep, const void *param, size_t paramlen)
{
	return -FI_ENOSYS;
}

static int cm_reject(struct fid_pep *pep, fid_t handle, const void *param,
		     size_t paramlen)
{
	return -FI_ENOSYS;
}

static int cm_shutdown(struct fid_ep *ep, uint64_t flags)
{
	return -FI_ENOSYS;
}

/* Only collective groups can be joined. */
static int cm_join(struct fid_ep *ep, const void *addr, uint64_t flags,
		   struct fid_mc **mc, void *context)
{
	if (!(flags & FI_COLLECTIVE))
		return -FI_ENOSYS;
	return suo_coll_join(ep, addr, flags, mc, context);
}

struct fi_ops_cm suo_cm_ops = {
	.size		= sizeof(struct fi_ops_cm),
	.setname	= cm_setname,
	.getname	= cm_getname,
	.getpeer	= cm_getpeer,
	.connect	= cm_connect,
	.listen		= cm_listen,
	.accept		= cm_accept,
	.reject		= cm_reject,
	.shutdown	= cm_shutdown,
	.join		= cm_join,
};
