/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that suo.ko builds on, and the only file that
 * asks which kernel it is. Tests run on 6.1, 6.12 and 7.2; where a change came
 * in between, and it is not known in which release, 7.2 stands for it.
 *
 * Some of it can only be a macro that makes a function: a verb's type is part of
 * struct ib_device_ops.
 */
#ifndef SUO_COMPAT_H
#define SUO_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "suo needs Linux 6.1 or later"
#endif

/* 6.11: create_cq() gets all attributes of the command; udata is one of them. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define SUO_DEFINE_CREATE_CQ(op, ours)					\
static int op(struct ib_cq *cq, const struct ib_cq_init_attr *attr,	\
	      struct uverbs_attr_bundle *attrs)				\
{									\
	return ours(cq, attr, attrs ? &attrs->driver_udata : NULL);	\
}
#else
#define SUO_DEFINE_CREATE_CQ(op, ours)					\
static int op(struct ib_cq *cq, const struct ib_cq_init_attr *attr,	\
	      struct ib_udata *udata)					\
{									\
	return ours(cq, attr, udata);					\
}
#endif

/* 6.3: what a mapping may do is changed by a function, which locks it. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define vm_flags_set(vma, flags)	((vma)->vm_flags |= (flags))
#define vm_flags_clear(vma, flags)	((vma)->vm_flags &= ~(flags))
#endif

/* 6.13: a timer and its function are set up by one call. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define hrtimer_setup(timer, func, clock, mode)				\
	do {								\
		struct hrtimer *_timer = (timer);			\
									\
		hrtimer_init(_timer, clock, mode);			\
		_timer->function = (func);				\
	} while (0)
#endif

/* 6.14: the core sends the port events of a device with a netdev. */
#define SUO_CORE_SENDS_PORT_EVENTS					\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0))

/* 6.14: the library's crc32_le() knows what the processor can do; crypto's
 * "crc32" is a detour to it.
 */
#define SUO_CRC32_LE_IS_FAST						\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0))

/* 6.15: the port of a counter is told; and the core allocates counters by a size
 * that the driver says.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
#define SUO_DECLARE_COUNTER_BIND(op)					\
	int op(struct rdma_counter *counter, struct ib_qp *qp, u32 port)
#define SUO_DECLARE_COUNTER_UNBIND(op)					\
	int op(struct ib_qp *qp, u32 port)
#define SUO_COUNTER_SIZE						\
	INIT_RDMA_OBJ_SIZE(rdma_counter, suo_counter, counter),
#else
#define SUO_DECLARE_COUNTER_BIND(op)					\
	int op(struct rdma_counter *counter, struct ib_qp *qp)
#define SUO_DECLARE_COUNTER_UNBIND(op)	int op(struct ib_qp *qp)
#define SUO_COUNTER_SIZE
#endif

/* 6.17: reg_user_mr() gets a DMA handle, which only a device that offers
 * alloc_dmah() can be given.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define SUO_DEFINE_REG_USER_MR(op, ours)				\
static struct ib_mr *op(struct ib_pd *pd, u64 start, u64 length,	\
			u64 iova, int access, struct ib_dmah *dmah,	\
			struct ib_udata *udata)				\
{									\
	return ours(pd, start, length, iova, access, udata);		\
}
#else
#define SUO_DEFINE_REG_USER_MR(op, ours)				\
static struct ib_mr *op(struct ib_pd *pd, u64 start, u64 length,	\
			u64 iova, int access, struct ib_udata *udata)	\
{									\
	return ours(pd, start, length, iova, access, udata);		\
}
#endif

/* 6.18: routes are looked up by DSCP; the ECN bits never counted. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define suo_flowi4_set_tclass(fl4, tclass)				\
	((fl4)->flowi4_dscp = inet_dsfield_to_dscp(tclass))
#else
#define suo_flowi4_set_tclass(fl4, tclass)				\
	((fl4)->flowi4_tos = RT_TOS(tclass))
#endif

/* 7.2: only processes resize completion queues; the number is what they sent. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#define suo_resize_cq_op		resize_user_cq
#define suo_resize_cqe_t		unsigned int
#else
#define suo_resize_cq_op		resize_cq
#define suo_resize_cqe_t		int
#endif

/* 7.2: memory can be named in more ways than by address; tunnels are those of a
 * struct sock.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#define suo_setup_udp_tunnel(net, sock, cfg)				\
	setup_udp_tunnel_sock(net, (sock)->sk, cfg)
#define suo_release_udp_tunnel(sock)	udp_tunnel_sock_release((sock)->sk)
#else
#define ib_umem_get_va			ib_umem_get
#define suo_setup_udp_tunnel(net, sock, cfg)				\
	setup_udp_tunnel_sock(net, sock, cfg)
#define suo_release_udp_tunnel(sock)	udp_tunnel_sock_release(sock)
#endif

#endif /* SUO_COMPAT_H */
