// SPDX-License-Identifier: GPL-2.0-only
/*
 * Congestion control in configfs: nics/DEV/cc, and nics/DEV/cc_params/ with the
 * parameters by mlx5's names and in its units; those of other algorithms begin with
 * the algorithm's name.
 */
#include "nic.h"

#define US	1000000ull	/* picoseconds */
#define MBPS	1000ull		/* kilobits a second */

#define MAX_US		1000000
#define MAX_BYTES	0x7fffffff

static struct suo_nic *nic_of_params(struct config_item *item)
{
	return container_of(to_config_group(item), struct suo_nic, cc_group);
}

/* A field of the parameters; the file counts in units of so many of the field's. */
#define SUO_CC_ATTR(name, field, unit, min, max)			\
static ssize_t suo_cc_##name##_show(struct config_item *item, char *page) \
{									\
	struct suo_nic *nic = nic_of_params(item);			\
	u64 val;							\
									\
	mutex_lock(&suo_devs_lock);					\
	val = nic->cc.field;						\
	mutex_unlock(&suo_devs_lock);					\
	return suo_config_show(page, suo_div(val, unit));		\
}									\
									\
static ssize_t suo_cc_##name##_store(struct config_item *item,		\
				     const char *page, size_t len)	\
{									\
	struct suo_nic *nic = nic_of_params(item);			\
	struct suo_cc_params cc;					\
	u64 val;							\
	int err = suo_config_parse(page, min, max, &val);		\
									\
	if (err)							\
		return err;						\
	mutex_lock(&suo_devs_lock);					\
	cc = nic->cc;							\
	cc.field = val * (unit);					\
	err = suo_nic_set(nic, &nic->law, &cc);				\
	mutex_unlock(&suo_devs_lock);					\
	return err ? : len;						\
}									\
CONFIGFS_ATTR(suo_cc_, name)

SUO_CC_ATTR(rp_clamp_tgt_rate, law.dcqcn.rp_clamp_tgt_rate, 1, 0, 1);
SUO_CC_ATTR(rp_time_reset, law.dcqcn.rp_time_reset_ps, US, 0, MAX_US);
SUO_CC_ATTR(rp_byte_reset, law.dcqcn.rp_byte_reset_bytes, 1, 0, MAX_BYTES);
SUO_CC_ATTR(rp_threshold, law.dcqcn.rp_threshold, 1, 1, 31);
SUO_CC_ATTR(rp_ai_rate, law.dcqcn.rp_ai_rate_kbps, MBPS, 1, SUO_LINK_MAX_RATE_MBPS);
SUO_CC_ATTR(rp_hai_rate, law.dcqcn.rp_hai_rate_kbps, MBPS, 1, SUO_LINK_MAX_RATE_MBPS);
SUO_CC_ATTR(rp_min_rate, law.dcqcn.rp_min_rate_kbps, MBPS, 1, SUO_LINK_MAX_RATE_MBPS);
SUO_CC_ATTR(rp_max_rate, law.dcqcn.rp_max_rate_kbps, MBPS, 0, SUO_LINK_MAX_RATE_MBPS);
SUO_CC_ATTR(rp_rate_to_set_on_first_cnp, law.dcqcn.rp_first_rate_kbps, MBPS, 0,
	    SUO_LINK_MAX_RATE_MBPS);
SUO_CC_ATTR(rp_gd, law.dcqcn.rp_gd, 1, 0, 15);
SUO_CC_ATTR(rp_min_dec_fac, law.dcqcn.rp_min_dec_fac_percent, 1, 0, 100);
SUO_CC_ATTR(rp_initial_alpha_value, law.dcqcn.rp_initial_alpha, 1, 0, 1023);
SUO_CC_ATTR(rp_dce_tcp_g, law.dcqcn.rp_dce_tcp_g, 1, 0, 1023);
SUO_CC_ATTR(rp_dce_tcp_rtt, law.dcqcn.rp_dce_tcp_rtt_ps, US, 0, MAX_US);
SUO_CC_ATTR(rp_rate_reduce_monitor_period, law.dcqcn.rp_reduce_period_ps, US, 0, MAX_US);
SUO_CC_ATTR(np_min_time_between_cnps, law.dcqcn.np_min_time_between_cnps_ps, US, 0,
	    MAX_US);
SUO_CC_ATTR(np_cnp_dscp, cnp_dscp, 1, 0, 63);
SUO_CC_ATTR(np_cnp_prio, cnp_prio, 1, 0, 7);
SUO_CC_ATTR(np_cnp_prio_mode, cnp_prio_mode, 1, 0, 1);
SUO_CC_ATTR(nscc_base_rtt_ps, base_rtt_ps, 1, 1, SUO_LINK_MAX_LATENCY_PS);
SUO_CC_ATTR(nscc_mss_bytes, law.nscc.mss_bytes, 1, 64, 65536);
SUO_CC_ATTR(nscc_target_percent, law.nscc.target_percent, 1, 1, 10000);
SUO_CC_ATTR(nscc_alpha, law.nscc.alpha, 1, 0, 1000);
SUO_CC_ATTR(nscc_fi, law.nscc.fi, 1, 0, 1000);
SUO_CC_ATTR(nscc_eta_percent, law.nscc.eta_percent, 1, 0, 10000);
SUO_CC_ATTR(nscc_gamma_percent, law.nscc.gamma_percent, 1, 0, 100);
SUO_CC_ATTR(nscc_adjust_mss, law.nscc.adjust_mss, 1, 1, 1000);
SUO_CC_ATTR(nscc_max_percent, law.nscc.max_percent, 1, 1, 10000);

static struct configfs_attribute *cc_attrs[] = {
	&suo_cc_attr_rp_clamp_tgt_rate,
	&suo_cc_attr_rp_time_reset,
	&suo_cc_attr_rp_byte_reset,
	&suo_cc_attr_rp_threshold,
	&suo_cc_attr_rp_ai_rate,
	&suo_cc_attr_rp_hai_rate,
	&suo_cc_attr_rp_min_rate,
	&suo_cc_attr_rp_max_rate,
	&suo_cc_attr_rp_rate_to_set_on_first_cnp,
	&suo_cc_attr_rp_gd,
	&suo_cc_attr_rp_min_dec_fac,
	&suo_cc_attr_rp_initial_alpha_value,
	&suo_cc_attr_rp_dce_tcp_g,
	&suo_cc_attr_rp_dce_tcp_rtt,
	&suo_cc_attr_rp_rate_reduce_monitor_period,
	&suo_cc_attr_np_min_time_between_cnps,
	&suo_cc_attr_np_cnp_dscp,
	&suo_cc_attr_np_cnp_prio,
	&suo_cc_attr_np_cnp_prio_mode,
	&suo_cc_attr_nscc_base_rtt_ps,
	&suo_cc_attr_nscc_mss_bytes,
	&suo_cc_attr_nscc_target_percent,
	&suo_cc_attr_nscc_alpha,
	&suo_cc_attr_nscc_fi,
	&suo_cc_attr_nscc_eta_percent,
	&suo_cc_attr_nscc_gamma_percent,
	&suo_cc_attr_nscc_adjust_mss,
	&suo_cc_attr_nscc_max_percent,
	NULL,
};

const struct config_item_type suo_cc_params_type = {
	.ct_owner	= THIS_MODULE,
	.ct_attrs	= cc_attrs,
};

static struct suo_nic *to_nic(struct config_item *item)
{
	return container_of(to_config_group(item), struct suo_nic, group);
}

static ssize_t suo_nic_cc_show(struct config_item *item, char *page)
{
	ssize_t len;

	mutex_lock(&suo_devs_lock);
	len = sysfs_emit(page, "%s\n", to_nic(item)->cc.ops->name);
	mutex_unlock(&suo_devs_lock);
	return len;
}

/* The name of an algorithm. */
static ssize_t suo_nic_cc_store(struct config_item *item, const char *page, size_t len)
{
	struct suo_nic *nic = to_nic(item);
	const struct suo_cc_ops *ops;
	struct suo_cc_params cc;
	u32 i = 0;
	int err;

	do {
		ops = suo_cc_algorithm(i++);
		if (!ops)
			return -EINVAL;
	} while (!sysfs_streq(ops->name, page));
	mutex_lock(&suo_devs_lock);
	cc = nic->cc;
	cc.ops = ops;
	err = suo_nic_set(nic, &nic->law, &cc);
	mutex_unlock(&suo_devs_lock);
	return err ? : len;
}

struct configfs_attribute suo_nic_attr_cc = {
	.ca_name	= "cc",
	.ca_mode	= 0644,
	.ca_owner	= THIS_MODULE,
	.show		= suo_nic_cc_show,
	.store		= suo_nic_cc_store,
};
