// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The provider's entry point and the fabric object. */
#include "suo_fi.h"

struct suo_tune suo_tune = {
	.gid_index	= -1,
	.eager_size	= 16384,
	.rx_buffers	= 256,
	.traffic_class	= 0,
	.qp_timeout	= 18,
	.connect_ms	= 1000,
	.connect_tries	= 7,
	.keepalive_ms	= 2000,
	.close_ms	= 10000,
};

int suo_no_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	return -FI_ENOSYS;
}

int suo_no_control(struct fid *fid, int command, void *arg)
{
	return -FI_ENOSYS;
}

int suo_no_ops_open(struct fid *fid, const char *name, uint64_t flags,
		    void **ops, void *context)
{
	return -FI_ENOSYS;
}

static int fabric_close(struct fid *fid)
{
	struct suo_fabric *fabric = suo_entry(fid, struct suo_fabric, fid.fid);

	if (__atomic_load_n(&fabric->refs, __ATOMIC_ACQUIRE))
		return -FI_EBUSY;
	free(fabric);
	return 0;
}

static int fabric_passive_ep(struct fid_fabric *fabric, struct fi_info *info,
			     struct fid_pep **pep, void *context)
{
	return -FI_ENOSYS;
}

static int fabric_wait_open(struct fid_fabric *fabric, struct fi_wait_attr *attr,
			    struct fid_wait **waitset)
{
	return -FI_ENOSYS;
}

static int fabric_trywait(struct fid_fabric *fabric, struct fid **fids, int count)
{
	int err;

	for (int i = 0; i < count; i++) {
		switch (fids[i]->fclass) {
		case FI_CLASS_CQ:
			err = suo_cq_trywait(suo_entry(fids[i], struct suo_cq, fid.fid));
			break;
		case FI_CLASS_CNTR:
			err = suo_cntr_trywait(suo_entry(fids[i], struct suo_cntr, fid.fid));
			break;
		case FI_CLASS_EQ:
			err = suo_eq_trywait(suo_entry(fids[i], struct suo_eq, fid.fid));
			break;
		default:
			return -FI_EINVAL;
		}
		if (err)
			return err;
	}
	return 0;
}

static struct fi_ops fabric_fi_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= fabric_close,
	.bind		= suo_no_bind,
	.control	= suo_no_control,
	.ops_open	= suo_no_ops_open,
};

static struct fi_ops_fabric fabric_ops = {
	.size		= sizeof(struct fi_ops_fabric),
	.domain		= suo_domain_open,
	.passive_ep	= fabric_passive_ep,
	.eq_open	= suo_eq_open,
	.wait_open	= fabric_wait_open,
	.trywait	= fabric_trywait,
};

int suo_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fid,
		    void *context)
{
	struct suo_fabric *fabric;

	if (attr->name && strcmp(attr->name, SUO_PROV_NAME))
		return -FI_ENODATA;
	fabric = calloc(1, sizeof(*fabric));
	if (!fabric)
		return -FI_ENOMEM;
	fabric->fid.fid.fclass = FI_CLASS_FABRIC;
	fabric->fid.fid.context = context;
	fabric->fid.fid.ops = &fabric_fi_ops;
	fabric->fid.ops = &fabric_ops;
	fabric->fid.api_version = attr->api_version;
	*fid = &fabric->fid;
	return 0;
}

static void suo_cleanup(void)
{
}

struct fi_provider suo_prov = {
	.version	= SUO_PROV_VERSION,
	.name		= SUO_PROV_NAME,
	.getinfo	= suo_getinfo,
	.fabric		= suo_fabric_open,
	.cleanup	= suo_cleanup,
};

FI_EXT_INI
{
	/* Not the header's constant: a newer library takes only providers of
	 * its own version, and the structures only ever grow at their ends.
	 */
	suo_prov.fi_version = fi_version();
	suo_params_read();
	return &suo_prov;
}
