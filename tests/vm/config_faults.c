// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * config_faults module FILE.ko | devices NETDEV: loading the module, or what a
 * configuration is made of, while the kernel has no memory for one allocation or
 * the other. What failed is not there, what did not fail is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include "faults.h"

#define CONFIG	"/sys/kernel/config/suo"
#define DEV	"fault0"

static const char *module_file, *netdev;

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

static bool nothing_else(void)
{
	return true;
}

/* ---- the module ---- */

static int module_fd;

static int load(void)
{
	return syscall(SYS_finit_module, module_fd, "", 0) ? errno : 0;
}

static int unload(void)
{
	return syscall(SYS_delete_module, "suo", O_NONBLOCK) ? errno : 0;
}

static bool before_unload(void)
{
	return !load();
}

static bool after_load(int err)
{
	return exists(CONFIG) == !err && (err || !unload());
}

static bool after_unload(int err)
{
	return exists(CONFIG) == !!err && (!err || !unload());
}

/* ---- rdma link add, delete ---- */

struct message {
	struct nlmsghdr hdr;
	char attrs[512];
};

static void put_attr(struct message *msg, int type, const void *data,
		     size_t len)
{
	struct nlattr *attr = (void *)msg + NLMSG_ALIGN(msg->hdr.nlmsg_len);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy((char *)attr + NLA_HDRLEN, data, len);
	msg->hdr.nlmsg_len = NLMSG_ALIGN(msg->hdr.nlmsg_len) +
			     NLA_ALIGN(attr->nla_len);
}

static void put_text(struct message *msg, int type, const char *text)
{
	put_attr(msg, type, text, strlen(text) + 1);
}

static struct message command(int cmd)
{
	return (struct message){
		.hdr = {
			.nlmsg_len = NLMSG_HDRLEN,
			.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd),
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		},
	};
}

static int nl;

/*
 * The kernel does it while we send; that it has no memory for the answer says
 * nothing of it.
 */
static int talk(struct message *msg)
{
	struct {
		struct nlmsghdr hdr;
		struct nlmsgerr err;
		char rest[1024];
	} answer;

	if (send(nl, msg, msg->hdr.nlmsg_len, 0) < 0 ||
	    recv(nl, &answer, sizeof(answer), 0) < 0)
		return errno;
	return answer.hdr.nlmsg_type == NLMSG_ERROR ? -answer.err.error : EPROTO;
}

static bool device_exists(void)
{
	return exists("/sys/class/infiniband/" DEV);
}

static int link_add(void)
{
	struct message msg = command(RDMA_NLDEV_CMD_NEWLINK);

	put_text(&msg, RDMA_NLDEV_ATTR_DEV_NAME, DEV);
	put_text(&msg, RDMA_NLDEV_ATTR_LINK_TYPE, "suo");
	put_text(&msg, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	return talk(&msg);
}

/* The index of the device, which a command names it by. */
static bool find_index(uint32_t *index)
{
	struct message msg = command(RDMA_NLDEV_CMD_GET);
	char buf[16384];
	ssize_t len;
	bool found = false;

	msg.hdr.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	if (send(nl, &msg, msg.hdr.nlmsg_len, 0) < 0)
		return false;
	while ((len = recv(nl, buf, sizeof(buf), 0)) > 0) {
		struct nlmsghdr *hdr = (void *)buf;

		for (; NLMSG_OK(hdr, len); hdr = NLMSG_NEXT(hdr, len)) {
			struct nlattr *attr = NLMSG_DATA(hdr);
			char *end = (char *)hdr + hdr->nlmsg_len;
			uint32_t its = 0;
			bool named = false;

			if (hdr->nlmsg_type == NLMSG_DONE)
				return found;
			while ((char *)attr + NLA_HDRLEN <= end) {
				char *data = (char *)attr + NLA_HDRLEN;

				if (attr->nla_type == RDMA_NLDEV_ATTR_DEV_INDEX)
					memcpy(&its, data, sizeof(its));
				if (attr->nla_type == RDMA_NLDEV_ATTR_DEV_NAME)
					named = !strcmp(data, DEV);
				attr = (void *)attr + NLA_ALIGN(attr->nla_len);
			}
			if (named) {
				*index = its;
				found = true;
			}
		}
	}
	return false;
}

static uint32_t dev_index;

static int link_delete(void)
{
	struct message msg = command(RDMA_NLDEV_CMD_DELLINK);

	put_attr(&msg, RDMA_NLDEV_ATTR_DEV_INDEX, &dev_index,
		 sizeof(dev_index));
	return talk(&msg);
}

static bool device_gone(void)
{
	if (!device_exists())
		return true;
	return find_index(&dev_index) && !link_delete() && !device_exists();
}

static bool before_link_delete(void)
{
	return !link_add() && find_index(&dev_index);
}

static bool after_link_add(int err)
{
	return (err == ENOBUFS || device_exists() == !err) && device_gone();
}

static bool after_link_delete(int err)
{
	return (err == ENOBUFS || device_exists() == !!err) && device_gone();
}

/* ---- configfs ---- */

static const char *path;

static int make(void)
{
	return mkdir(path, 0755) ? errno : 0;
}

static int remove_it(void)
{
	return rmdir(path) ? errno : 0;
}

static bool before_remove(void)
{
	return !make();
}

static bool after_make(int err)
{
	return exists(path) == !err && (err || !remove_it());
}

static bool after_remove(int err)
{
	return exists(path) == !!err && (!err || !remove_it());
}

static int put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

static bool holds(const char *file, const char *want)
{
	char text[64] = "";
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return false;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	return len > 0 && !strcmp(text, want);
}

#define RATE	CONFIG "/nics/" DEV "/rate_mbps"

static int set_rate(void)
{
	return put(RATE, "1000");
}

static bool before_set_rate(void)
{
	return !mkdir(CONFIG "/nics/" DEV, 0755);
}

static bool after_set_rate(int err)
{
	return holds(RATE, err ? "0\n" : "1000\n") &&
	       !rmdir(CONFIG "/nics/" DEV);
}

static void directories(void)
{
	static const struct {
		const char *what, *path;
	} dirs[] = {
		{ "mkdir of a NIC", CONFIG "/nics/" DEV },
		{ "mkdir of a domain", CONFIG "/domains/fault" },
		{ "mkdir of a member", CONFIG "/domains/fault-m/members/" DEV },
	};
	static char what[64];
	struct fault_step step = {};
	size_t i;

	check(!mkdir(CONFIG "/domains/fault-m", 0755), "a domain");
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		path = dirs[i].path;
		step = (struct fault_step){ dirs[i].what, NULL, make,
					    after_make };
		faults_through(&step, nothing_else);
		snprintf(what, sizeof(what), "rm%s", dirs[i].what + 2);
		step = (struct fault_step){ what, before_remove, remove_it,
					    after_remove };
		faults_through(&step, nothing_else);
	}
	check(!rmdir(CONFIG "/domains/fault-m"), "it goes");
}

int main(int argc, char **argv)
{
	static const struct fault_step modules[] = {
		{ "load the module", NULL, load, after_load },
		{ "unload the module", before_unload, unload, after_unload },
	};
	static const struct fault_step devices[] = {
		{ "link add", NULL, link_add, after_link_add },
		{ "link delete", before_link_delete, link_delete,
		  after_link_delete },
	};
	static const struct fault_step rate = {
		"write an attribute", before_set_rate, set_rate, after_set_rate,
	};

	if (argc != 3) {
		fprintf(stderr, "Usage: %s module FILE | devices NETDEV\n",
			argv[0]);
		return 2;
	}
	faults_open();
	if (!strcmp(argv[1], "module")) {
		module_file = argv[2];
		module_fd = open(module_file, O_RDONLY | O_CLOEXEC);
		faults_through(&modules[0], nothing_else);
		faults_through(&modules[1], nothing_else);
	} else {
		netdev = argv[2];
		nl = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
		directories();
		faults_through(&rate, nothing_else);
		/* Most of what a device is made of is the core's. */
		faults_sampled(&devices[0], 100, nothing_else);
		faults_sampled(&devices[1], 100, nothing_else);
	}
	printf("# %u allocations failed\n", faults_total());
	return tap_done();
}
