// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the libfabric provider offers for which hints; no device is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "userspace/fabric/suo_fi.h"

struct fi_provider suo_prov = { .name = "suo" };
struct suo_tune suo_tune;

static const struct suo_dev dev = {
	.name	= "suo7",
	.attr	= { .max_cq = 100, .max_srq = 50, .max_mr = 1000 },
	.port	= { .max_msg_sz = 1 << 30 },
};

/* The hints' own memory, and what comes of them; NULL: refused. */
static struct fi_info *hints;

static int setup(void **state)
{
	hints = fi_allocinfo();
	return !hints;
}

static int teardown(void **state)
{
	fi_freeinfo(hints);
	return 0;
}

static struct fi_info *ask(void)
{
	struct fi_info *info;
	int err = suo_hints_check(hints, &dev);

	if (err) {
		assert_int_equal(err, -FI_ENODATA);
		return NULL;
	}
	info = fi_allocinfo();
	assert_non_null(info);
	assert_int_equal(suo_info_fill(info, &dev, FI_VERSION(1, 17), hints), 0);
	return info;
}

static void refused(void)
{
	assert_null(ask());
}

static void offer_without_hints(void **state)
{
	struct fi_info *info = fi_allocinfo();

	assert_int_equal(suo_hints_check(NULL, &dev), 0);
	assert_int_equal(suo_info_fill(info, &dev, FI_VERSION(1, 17), NULL), 0);
	assert_string_equal(info->domain_attr->name, "suo7");
	assert_int_equal(info->ep_attr->type, FI_EP_RDM);
	for (int i = 0; i < 2; i++) {
		static const uint64_t want[2] = {
			FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_SEND | FI_READ | FI_WRITE,
			FI_RECV | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_DIRECTED_RECV |
			FI_SOURCE | FI_MULTI_RECV | FI_LOCAL_COMM | FI_REMOTE_COMM,
		};

		assert_true((info->caps & want[i]) == want[i]);
	}
	assert_true(info->tx_attr->msg_order & FI_ORDER_SAS);
	/* What would make things slower is for those who ask. */
	assert_false(info->tx_attr->msg_order & (FI_ORDER_WAW | FI_ORDER_WAR |
						 FI_ORDER_ATOMIC_WAW));
	assert_int_equal(info->mode, 0);
	/* What is offered can be asked for. */
	assert_int_equal(suo_hints_check(info, &dev), 0);
	fi_freeinfo(info);
}

static void directions(void **state)
{
	struct fi_info *info;

	hints->caps = FI_MSG | FI_ATOMIC;
	hints->domain_attr->mr_mode = SUO_MR_BASIC;
	info = ask();
	assert_true(info->caps & FI_SEND && info->caps & FI_RECV);
	assert_true(info->caps & FI_WRITE && info->caps & FI_REMOTE_READ);
	assert_false(info->caps & (FI_TAGGED | FI_RMA));
	assert_false(info->tx_attr->caps & FI_RECV);
	assert_false(info->rx_attr->caps & FI_SEND);
	fi_freeinfo(info);

	hints->caps = FI_TAGGED | FI_SEND | FI_RMA | FI_READ;
	info = ask();
	assert_false(info->caps & (FI_RECV | FI_WRITE | FI_REMOTE_READ));
	fi_freeinfo(info);
}

/* Each bit of an order that there is can be had, alone. */
static void orders(void **state)
{
	static const uint64_t there[] = {
		FI_ORDER_RAR, FI_ORDER_RAW, FI_ORDER_WAR, FI_ORDER_WAW, FI_ORDER_SAR,
		FI_ORDER_SAW, FI_ORDER_SAS, FI_ORDER_RMA_RAR, FI_ORDER_RMA_RAW,
		FI_ORDER_RMA_WAR, FI_ORDER_RMA_WAW, FI_ORDER_ATOMIC_RAR,
		FI_ORDER_ATOMIC_RAW, FI_ORDER_ATOMIC_WAR, FI_ORDER_ATOMIC_WAW,
	};

	for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++) {
		struct fi_info *info;

		hints->tx_attr->msg_order = there[i];
		info = ask();
		assert_true(info->tx_attr->msg_order & there[i]);
		assert_true(info->rx_attr->msg_order & there[i]);
		fi_freeinfo(info);
	}
	hints->tx_attr->msg_order = FI_ORDER_WAS;
	refused();
	hints->tx_attr->msg_order = FI_ORDER_RAS;
	refused();
}

#define REFUSES(what, good, bad)		\
do {						\
	typeof(what) was_ = (what);		\
	struct fi_info *info_;			\
						\
	(what) = (good);			\
	info_ = ask();				\
	assert_non_null(info_);			\
	fi_freeinfo(info_);			\
	(what) = (bad);				\
	refused();				\
	(what) = was_;				\
} while (0)

static void limits(void **state)
{
	REFUSES(hints->caps, FI_MSG, FI_MSG | FI_RMA_EVENT);
	REFUSES(hints->caps, FI_MSG, FI_MSG | FI_MULTICAST);
	REFUSES(hints->ep_attr->type, FI_EP_RDM, FI_EP_MSG);
	REFUSES(hints->ep_attr->type, FI_EP_UNSPEC, FI_EP_DGRAM);
	REFUSES(hints->ep_attr->max_msg_size, 1 << 30, (1ul << 30) + 1);
	REFUSES(hints->ep_attr->max_order_waw_size, 1 << 30, (1ul << 30) + 1);
	REFUSES(hints->ep_attr->tx_ctx_cnt, 1, 2);
	REFUSES(hints->addr_format, SUO_ADDR_FORMAT, FI_SOCKADDR_IN);
	REFUSES(hints->tx_attr->inject_size, 256, 257);
	REFUSES(hints->tx_attr->iov_limit, 4, 5);
	REFUSES(hints->tx_attr->rma_iov_limit, 1, 2);
	REFUSES(hints->tx_attr->size, 512, 513);
	REFUSES(hints->tx_attr->op_flags, FI_DELIVERY_COMPLETE, FI_FENCE);
	REFUSES(hints->rx_attr->iov_limit, 4, 5);
	REFUSES(hints->rx_attr->op_flags, FI_MULTI_RECV, FI_PEEK);
	REFUSES(hints->domain_attr->data_progress, FI_PROGRESS_MANUAL, FI_PROGRESS_AUTO);
	REFUSES(hints->domain_attr->cq_data_size, 4, 8);
	REFUSES(hints->domain_attr->name, "suo7", "suo8");
}

static void registration(void **state)
{
	hints->caps = FI_RMA;
	hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED;
	refused();
	hints->domain_attr->mr_mode |= FI_MR_PROV_KEY;
	fi_freeinfo(ask());
	hints->domain_attr->mr_mode = FI_MR_BASIC;
	fi_freeinfo(ask());
	hints->domain_attr->mr_mode = FI_MR_SCALABLE;
	refused();
	/* Without access from elsewhere there are no keys to disagree about. */
	hints->caps = FI_MSG;
	hints->domain_attr->mr_mode = 0;
	fi_freeinfo(ask());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(offer_without_hints, setup, teardown),
		cmocka_unit_test_setup_teardown(directions, setup, teardown),
		cmocka_unit_test_setup_teardown(orders, setup, teardown),
		cmocka_unit_test_setup_teardown(limits, setup, teardown),
		cmocka_unit_test_setup_teardown(registration, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
