/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of libibverbs' provider ABI "IBVERBS_PRIVATE_34" that this provider
 * uses.
 *
 * Distributions ship libibverbs without the headers for providers, but the
 * ABI is versioned: a libibverbs that looks for providers called -rdmav34.so
 * exports these symbols, and one with another ABI never loads us. What is
 * declared here holds for rdma-core 40 to 56.1; the few releases before 40 have
 * the same name for a shorter table of operations. The facts are for 64-bit
 * machines; the assertions at the end hold the layouts that libibverbs and we
 * have to agree on.
 *
 * Names are those of rdma-core, since the linker needs them.
 */
#ifndef SUO_VERBS_DRIVER34_H
#define SUO_VERBS_DRIVER34_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <assert.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

struct verbs_sysfs_dev;
struct verbs_ex_private;

/* ---- finding the device ---- */

enum {
	VERBS_MATCH_SENTINEL	= 0,
	VERBS_MATCH_DRIVER_ID	= 3,
};

/**
 * struct verbs_match_ent - one kind of device that a provider serves
 * @driver_data: for the provider's own use
 * @modalias: other kinds of match use a string here
 * @driver_id: what the kernel reports by netlink (RDMA_NLDEV_ATTR_DRIVER_ID)
 * @vendor: PCI matches only
 * @device: PCI matches only
 * @kind: VERBS_MATCH_*; a table ends with VERBS_MATCH_SENTINEL
 */
struct verbs_match_ent {
	void *driver_data;
	union {
		const char *modalias;
		uint64_t driver_id;
	} u;
	uint16_t vendor;
	uint16_t device;
	uint8_t kind;
};

struct verbs_device;

/**
 * struct verbs_device_ops - what a provider registers
 * @name: shown in warnings
 * @match_min_abi_version: lowest uverbs_abi_ver of the kernel driver
 * @match_max_abi_version: highest
 * @match_table: devices served
 * @static_providers: static linking only
 * @match_device: further condition, may be NULL
 * @alloc_context: opens; owns @cmd_fd, also when it fails; NULL and errno
 * @import_context: opens a descriptor of another process, may be NULL
 * @alloc_device: makes the wrapper of struct ibv_device
 * @uninit_device: frees it
 */
struct verbs_device_ops {
	const char *name;
	uint32_t match_min_abi_version;
	uint32_t match_max_abi_version;
	const struct verbs_match_ent *match_table;
	const struct verbs_device_ops **static_providers;
	bool (*match_device)(struct verbs_sysfs_dev *sysfs_dev);
	struct verbs_context *(*alloc_context)(struct ibv_device *device,
					       int cmd_fd, void *private_data);
	struct verbs_context *(*import_context)(struct ibv_device *device,
						int cmd_fd);
	struct verbs_device *(*alloc_device)(struct verbs_sysfs_dev *sysfs_dev);
	void (*uninit_device)(struct verbs_device *device);
};

/* libibverbs fills everything but the provider's own part behind it. */
struct verbs_device {
	struct ibv_device device;
	const struct verbs_device_ops *ops;
	int refcount;
	void *entry[2];
	struct verbs_sysfs_dev *sysfs;
	uint64_t core_support;
};

void verbs_register_driver_34(const struct verbs_device_ops *ops);

/* ---- objects that are larger for a provider than for an application ---- */

enum {
	VERBS_QP_EX	= 1 << 1,
};

struct verbs_mr {
	struct ibv_mr ibv_mr;
	int mr_type;
	int access;
};

struct verbs_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex qp_ex;
	};
	uint32_t comp_mask;
	void *xrcd;
};

struct verbs_cq {
	union {
		struct ibv_cq cq;
		struct ibv_cq_ex cq_ex;
	};
};

/* ---- the table of operations ---- */

typedef void (*verbs_unused_op)(void);

/**
 * struct verbs_context_ops - what the provider does itself
 *
 * The order is the ABI. Operations that we leave to libibverbs, which refuses
 * them with EOPNOTSUPP, are verbs_unused_op. Those that return int return 0 or
 * a positive errno; those that return a pointer return NULL and set errno.
 */
struct verbs_context_ops {
	verbs_unused_op advise_mr;
	verbs_unused_op alloc_dm;
	struct ibv_mw *(*alloc_mw)(struct ibv_pd *pd, enum ibv_mw_type type);
	verbs_unused_op alloc_null_mr;
	verbs_unused_op alloc_parent_domain;
	struct ibv_pd *(*alloc_pd)(struct ibv_context *context);
	verbs_unused_op alloc_td;
	verbs_unused_op async_event;
	verbs_unused_op attach_counters_point_flow;
	int (*attach_mcast)(struct ibv_qp *qp, const union ibv_gid *gid,
			    uint16_t lid);
	int (*bind_mw)(struct ibv_qp *qp, struct ibv_mw *mw,
		       struct ibv_mw_bind *bind);
	verbs_unused_op close_xrcd;
	verbs_unused_op cq_event;
	struct ibv_ah *(*create_ah)(struct ibv_pd *pd,
				    struct ibv_ah_attr *attr);
	verbs_unused_op create_counters;
	struct ibv_cq *(*create_cq)(struct ibv_context *context, int cqe,
				    struct ibv_comp_channel *channel,
				    int comp_vector);
	struct ibv_cq_ex *(*create_cq_ex)(struct ibv_context *context,
					  struct ibv_cq_init_attr_ex *attr);
	verbs_unused_op create_flow;
	verbs_unused_op create_flow_action_esp;
	struct ibv_qp *(*create_qp)(struct ibv_pd *pd,
				    struct ibv_qp_init_attr *attr);
	struct ibv_qp *(*create_qp_ex)(struct ibv_context *context,
				       struct ibv_qp_init_attr_ex *attr);
	verbs_unused_op create_rwq_ind_table;
	struct ibv_srq *(*create_srq)(struct ibv_pd *pd,
				      struct ibv_srq_init_attr *attr);
	verbs_unused_op create_srq_ex;
	verbs_unused_op create_wq;
	int (*dealloc_mw)(struct ibv_mw *mw);
	int (*dealloc_pd)(struct ibv_pd *pd);
	verbs_unused_op dealloc_td;
	int (*dereg_mr)(struct verbs_mr *vmr);
	int (*destroy_ah)(struct ibv_ah *ah);
	verbs_unused_op destroy_counters;
	int (*destroy_cq)(struct ibv_cq *cq);
	verbs_unused_op destroy_flow;
	verbs_unused_op destroy_flow_action;
	int (*destroy_qp)(struct ibv_qp *qp);
	verbs_unused_op destroy_rwq_ind_table;
	int (*destroy_srq)(struct ibv_srq *srq);
	verbs_unused_op destroy_wq;
	int (*detach_mcast)(struct ibv_qp *qp, const union ibv_gid *gid,
			    uint16_t lid);
	void (*free_context)(struct ibv_context *context);
	verbs_unused_op free_dm;
	verbs_unused_op get_srq_num;
	verbs_unused_op import_dm;
	verbs_unused_op import_mr;
	verbs_unused_op import_pd;
	verbs_unused_op modify_cq;
	verbs_unused_op modify_flow_action_esp;
	int (*modify_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			 int attr_mask);
	verbs_unused_op modify_qp_rate_limit;
	int (*modify_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			  int attr_mask);
	verbs_unused_op modify_wq;
	verbs_unused_op open_qp;
	verbs_unused_op open_xrcd;
	int (*poll_cq)(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
	int (*post_recv)(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad_wr);
	int (*post_send)(struct ibv_qp *qp, struct ibv_send_wr *wr,
			 struct ibv_send_wr **bad_wr);
	verbs_unused_op post_srq_ops;
	int (*post_srq_recv)(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			     struct ibv_recv_wr **bad_wr);
	int (*query_device_ex)(struct ibv_context *context,
			       const struct ibv_query_device_ex_input *input,
			       struct ibv_device_attr_ex *attr,
			       size_t attr_size);
	verbs_unused_op query_ece;
	int (*query_port)(struct ibv_context *context, uint8_t port_num,
			  struct ibv_port_attr *attr);
	int (*query_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			int attr_mask, struct ibv_qp_init_attr *init_attr);
	verbs_unused_op query_qp_data_in_order;
	verbs_unused_op query_rt_values;
	int (*query_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr);
	verbs_unused_op read_counters;
	verbs_unused_op reg_dm_mr;
	verbs_unused_op reg_dmabuf_mr;
	struct ibv_mr *(*reg_mr)(struct ibv_pd *pd, void *addr, size_t length,
				 uint64_t hca_va, int access);
	int (*req_notify_cq)(struct ibv_cq *cq, int solicited_only);
	int (*rereg_mr)(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
			void *addr, size_t length, int access);
	int (*resize_cq)(struct ibv_cq *cq, int cqe);
	verbs_unused_op set_ece;
	verbs_unused_op unimport_dm;
	verbs_unused_op unimport_mr;
	verbs_unused_op unimport_pd;
};

/* ---- contexts ---- */

/*
 * Allocates @alloc_size zeroed bytes whose struct verbs_context lies at the
 * offset @context_offset, and opens it on @cmd_fd, which it owns from then on.
 */
void *_verbs_init_and_alloc_context(struct ibv_device *device, int cmd_fd,
				    size_t alloc_size,
				    struct verbs_context *context_offset,
				    uint32_t driver_id);
void verbs_uninit_context(struct verbs_context *context);
void verbs_set_ops(struct verbs_context *context,
		   const struct verbs_context_ops *ops);

/* ---- kernel commands ---- */

/*
 * A command that goes to the kernel by write() is a header and the kernel's
 * own structure. libibverbs fills both; we own the memory.
 */
#define SUO_DECLARE_CMD(name)						\
	struct ibv_##name {						\
		struct ib_uverbs_cmd_hdr hdr;				\
		struct ib_uverbs_##name core;				\
	};								\
	static_assert(sizeof(struct ibv_##name) ==			\
		      sizeof(struct ib_uverbs_cmd_hdr) +		\
		      sizeof(struct ib_uverbs_##name), "padding in " #name)

SUO_DECLARE_CMD(alloc_pd);
SUO_DECLARE_CMD(reg_mr);
SUO_DECLARE_CMD(rereg_mr);
SUO_DECLARE_CMD(alloc_mw);
SUO_DECLARE_CMD(resize_cq);
SUO_DECLARE_CMD(query_port);
SUO_DECLARE_CMD(query_qp);
SUO_DECLARE_CMD(modify_qp);
SUO_DECLARE_CMD(query_srq);
SUO_DECLARE_CMD(modify_srq);
SUO_DECLARE_CMD(post_send);

/* These go by ioctl; their request is ours to leave out (NULL, size 0). */
struct ibv_get_context;
struct ibv_create_cq;
struct ibv_create_cq_ex;
struct ibv_create_qp;
struct ibv_create_qp_ex;
struct ibv_create_srq;

/*
 * All of these return 0 or a positive errno. @resp is the kernel's core
 * response with the driver's response right behind it; @resp_size is the size
 * of both.
 */
int ibv_cmd_get_context(struct verbs_context *context,
			struct ibv_get_context *cmd, size_t cmd_size,
			struct ib_uverbs_get_context_resp *resp,
			size_t resp_size);
int ibv_cmd_query_device_any(struct ibv_context *context,
			     const struct ibv_query_device_ex_input *input,
			     struct ibv_device_attr_ex *attr, size_t attr_size,
			     struct ib_uverbs_ex_query_device_resp *resp,
			     size_t *resp_size);
int ibv_cmd_query_port(struct ibv_context *context, uint8_t port_num,
		       struct ibv_port_attr *attr,
		       struct ibv_query_port *cmd, size_t cmd_size);
int ibv_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd,
		     struct ibv_alloc_pd *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size);
int ibv_cmd_dealloc_pd(struct ibv_pd *pd);
int ibv_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		   uint64_t hca_va, int access, struct verbs_mr *vmr,
		   struct ibv_reg_mr *cmd, size_t cmd_size,
		   struct ib_uverbs_reg_mr_resp *resp, size_t resp_size);
int ibv_cmd_rereg_mr(struct verbs_mr *vmr, uint32_t flags, void *addr,
		     size_t length, uint64_t hca_va, int access,
		     struct ibv_pd *pd,
		     struct ibv_rereg_mr *cmd, size_t cmd_size,
		     struct ib_uverbs_rereg_mr_resp *resp, size_t resp_size);
int ibv_cmd_dereg_mr(struct verbs_mr *vmr);
int ibv_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		     struct ibv_mw *mw,
		     struct ibv_alloc_mw *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_mw_resp *resp, size_t resp_size);
int ibv_cmd_dealloc_mw(struct ibv_mw *mw);
int ibv_cmd_create_cq(struct ibv_context *context, int cqe,
		      struct ibv_comp_channel *channel, int comp_vector,
		      struct ibv_cq *cq,
		      struct ibv_create_cq *cmd, size_t cmd_size,
		      struct ib_uverbs_create_cq_resp *resp, size_t resp_size);
int ibv_cmd_create_cq_ex(struct ibv_context *context,
			 const struct ibv_cq_init_attr_ex *attr,
			 struct verbs_cq *cq,
			 struct ibv_create_cq_ex *cmd, size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp,
			 size_t resp_size, uint32_t cmd_flags);
int ibv_cmd_resize_cq(struct ibv_cq *cq, int cqe,
		      struct ibv_resize_cq *cmd, size_t cmd_size,
		      struct ib_uverbs_resize_cq_resp *resp, size_t resp_size);
int ibv_cmd_destroy_cq(struct ibv_cq *cq);
int ibv_cmd_create_qp(struct ibv_pd *pd, struct ibv_qp *qp,
		      struct ibv_qp_init_attr *attr,
		      struct ibv_create_qp *cmd, size_t cmd_size,
		      struct ib_uverbs_create_qp_resp *resp, size_t resp_size);
int ibv_cmd_create_qp_ex2(struct ibv_context *context, struct verbs_qp *qp,
			  struct ibv_qp_init_attr_ex *attr,
			  struct ibv_create_qp_ex *cmd, size_t cmd_size,
			  struct ib_uverbs_ex_create_qp_resp *resp,
			  size_t resp_size);
int ibv_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		     int attr_mask, struct ibv_qp_init_attr *init_attr,
		     struct ibv_query_qp *cmd, size_t cmd_size);
int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		      int attr_mask, struct ibv_modify_qp *cmd,
		      size_t cmd_size);
int ibv_cmd_destroy_qp(struct ibv_qp *qp);
int ibv_cmd_create_srq(struct ibv_pd *pd, struct ibv_srq *srq,
		       struct ibv_srq_init_attr *attr,
		       struct ibv_create_srq *cmd, size_t cmd_size,
		       struct ib_uverbs_create_srq_resp *resp,
		       size_t resp_size);
int ibv_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		       int attr_mask, struct ibv_modify_srq *cmd,
		       size_t cmd_size);
int ibv_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		      struct ibv_query_srq *cmd, size_t cmd_size);
int ibv_cmd_destroy_srq(struct ibv_srq *srq);
int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah,
		      struct ibv_ah_attr *attr,
		      struct ib_uverbs_create_ah_resp *resp, size_t resp_size);
int ibv_cmd_destroy_ah(struct ibv_ah *ah);
int ibv_cmd_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			 uint16_t lid);
int ibv_cmd_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			 uint16_t lid);

/* ---- what the two sides must agree on ---- */

static_assert(sizeof(void *) == 8, "declared for 64-bit machines");
#define SUO_ASSERT_OP(op, index)					\
	static_assert(offsetof(struct verbs_context_ops, op) ==		\
		      (index) * sizeof(void *), "place of " #op)
SUO_ASSERT_OP(alloc_mw, 2);
SUO_ASSERT_OP(alloc_pd, 5);
SUO_ASSERT_OP(attach_mcast, 9);
SUO_ASSERT_OP(bind_mw, 10);
SUO_ASSERT_OP(create_ah, 13);
SUO_ASSERT_OP(create_cq, 15);
SUO_ASSERT_OP(create_qp, 19);
SUO_ASSERT_OP(create_srq, 22);
SUO_ASSERT_OP(dealloc_mw, 25);
SUO_ASSERT_OP(dealloc_pd, 26);
SUO_ASSERT_OP(dereg_mr, 28);
SUO_ASSERT_OP(destroy_cq, 31);
SUO_ASSERT_OP(destroy_qp, 34);
SUO_ASSERT_OP(destroy_srq, 36);
SUO_ASSERT_OP(detach_mcast, 38);
SUO_ASSERT_OP(free_context, 39);
SUO_ASSERT_OP(modify_qp, 47);
SUO_ASSERT_OP(modify_srq, 49);
SUO_ASSERT_OP(poll_cq, 53);
SUO_ASSERT_OP(post_recv, 54);
SUO_ASSERT_OP(post_send, 55);
SUO_ASSERT_OP(post_srq_recv, 57);
SUO_ASSERT_OP(query_device_ex, 58);
SUO_ASSERT_OP(query_port, 60);
SUO_ASSERT_OP(query_qp, 61);
SUO_ASSERT_OP(query_srq, 64);
SUO_ASSERT_OP(reg_mr, 68);
SUO_ASSERT_OP(req_notify_cq, 69);
SUO_ASSERT_OP(rereg_mr, 70);
SUO_ASSERT_OP(resize_cq, 71);
static_assert(sizeof(struct verbs_context_ops) == 76 * sizeof(void *),
	      "number of operations");
#undef SUO_ASSERT_OP

static_assert(sizeof(struct verbs_device_ops) == 72, "verbs_device_ops");
static_assert(sizeof(struct verbs_match_ent) == 24, "verbs_match_ent");
static_assert(offsetof(struct verbs_match_ent, kind) == 20, "match kind");
static_assert(offsetof(struct verbs_device, core_support) ==
	      sizeof(struct ibv_device) + 40, "verbs_device");
static_assert(offsetof(struct ibv_qp_ex, qp_base) == 0, "ibv_qp_ex");
static_assert(offsetof(struct verbs_qp, comp_mask) ==
	      sizeof(struct ibv_qp_ex), "verbs_qp");
static_assert(offsetof(struct verbs_mr, mr_type) == sizeof(struct ibv_mr),
	      "verbs_mr");

#endif /* SUO_VERBS_DRIVER34_H */
