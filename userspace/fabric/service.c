// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Endpoints by IP address and service number. An endpoint that was given a service
 * answers, over UDP at that port, who asks for its address; a thread of its own
 * does so, for the application may be busy. Whoever has but the IP address and the
 * number asks when the address is inserted.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "suo_fi.h"

#define TRIES		6
#define FIRST_WAIT_MS	50	/* doubles with each try: three seconds in all */

enum {
	QUERY	= 1,
	ANSWER	= 2,
};

/* All in network order. */
struct service_msg {
	uint32_t	magic;
	uint8_t		type;
	uint8_t		version;
	uint8_t		reserved[2];
	uint64_t	nonce;
	struct suo_addr	addr;
};

_Static_assert(sizeof(struct service_msg) == 40, "wire format");

struct suo_service {
	int		fd;
	pthread_t	thread;
	struct suo_addr	addr;
};

bool suo_addr_is_service(const struct suo_addr *addr)
{
	return !addr->qpn && addr->qkey;
}

static socklen_t to_sockaddr(const struct suo_addr *addr, struct sockaddr_storage *ss)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct sockaddr_in *in = (struct sockaddr_in *)ss;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;
	uint16_t port = htons((uint16_t)ntohl(addr->qkey));

	memset(ss, 0, sizeof(*ss));
	if (!memcmp(addr->gid, mapped, sizeof(mapped))) {
		in->sin_family = AF_INET;
		in->sin_port = port;
		memcpy(&in->sin_addr, addr->gid + sizeof(mapped), sizeof(in->sin_addr));
		return sizeof(*in);
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_port = port;
	memcpy(&in6->sin6_addr, addr->gid, sizeof(in6->sin6_addr));
	return sizeof(*in6);
}

static bool valid(const struct service_msg *msg, ssize_t len, int type)
{
	return len == sizeof(*msg) && msg->magic == htonl(SUO_WIRE_MAGIC) &&
	       msg->type == type && msg->version == SUO_WIRE_VERSION;
}

static void *serve(void *arg)
{
	struct suo_service *service = arg;

	for (;;) {
		struct sockaddr_storage from;
		socklen_t size = sizeof(from);
		struct service_msg msg;
		ssize_t len = recvfrom(service->fd, &msg, sizeof(msg), 0,
				       (struct sockaddr *)&from, &size);

		if (!valid(&msg, len, QUERY))
			continue;
		msg.type = ANSWER;
		msg.addr = service->addr;
		/* If it gets lost, the peer asks again. */
		if (sendto(service->fd, &msg, sizeof(msg), 0, (struct sockaddr *)&from,
			   size) < 0)
			suo_info(EP_CTRL, "cannot answer: %s\n", strerror(errno));
	}
	return NULL;
}

/**
 * suo_service_start() - answer for an endpoint
 * @ep: the endpoint, whose address is known
 * @name: its service
 *
 * If the port is taken, by another endpoint of the same description say, that one
 * goes on answering.
 *
 * Return: 0, or an error.
 */
int suo_service_start(struct suo_ep *ep, const struct suo_addr *name)
{
	struct sockaddr_storage ss;
	socklen_t size = to_sockaddr(name, &ss);
	struct suo_service *service = calloc(1, sizeof(*service));
	int err;

	if (!service)
		return -FI_ENOMEM;
	service->addr = ep->addr;
	service->fd = socket(ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (service->fd < 0) {
		err = -errno;
		goto socket;
	}
	if (bind(service->fd, (struct sockaddr *)&ss, size)) {
		suo_info(EP_CTRL, "no service at port %u: %s\n", ntohl(name->qkey),
			 strerror(errno));
		err = 0;
		goto bind;
	}
	err = -pthread_create(&service->thread, NULL, serve, service);
	if (err)
		goto bind;
	ep->service = service;
	return 0;

bind:
	close(service->fd);
socket:
	free(service);
	return err;
}

void suo_service_stop(struct suo_ep *ep)
{
	struct suo_service *service = ep->service;

	if (!service)
		return;
	pthread_cancel(service->thread);
	pthread_join(service->thread, NULL);
	close(service->fd);
	free(service);
	ep->service = NULL;
}

/* Waits for the answer; true if it came. */
static bool wait_answer(int fd, int ms, uint64_t nonce, struct suo_addr *addr)
{
	uint64_t end = suo_deadline(ms);
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct service_msg msg;

	for (;;) {
		uint64_t now = suo_now_ns();

		if (now >= end || poll(&pfd, 1, (end - now + 999999) / 1000000) < 0)
			return false;
		/* Errors are ICMP's: nobody is there yet. */
		if (valid(&msg, recv(fd, &msg, sizeof(msg), 0), ANSWER) && msg.nonce == nonce)
			break;
	}
	*addr = msg.addr;
	return true;
}

/**
 * suo_service_resolve() - ask who has a service
 * @name: IP address, as a GID, and number
 * @addr: the endpoint's address
 *
 * Return: 0, -FI_EHOSTUNREACH without an answer, or another error.
 */
int suo_service_resolve(const struct suo_addr *name, struct suo_addr *addr)
{
	struct service_msg msg = {
		.magic		= htonl(SUO_WIRE_MAGIC),
		.type		= QUERY,
		.version	= SUO_WIRE_VERSION,
	};
	struct sockaddr_storage ss;
	socklen_t size = to_sockaddr(name, &ss);
	int fd, err = -FI_EHOSTUNREACH;

	if (getrandom(&msg.nonce, sizeof(msg.nonce), 0) != sizeof(msg.nonce))
		return -errno;
	fd = socket(ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* From then on only the peer is heard. */
	if (connect(fd, (struct sockaddr *)&ss, size)) {
		err = -errno;
		goto out;
	}
	for (int i = 0; i < TRIES && err; i++) {
		if (send(fd, &msg, sizeof(msg), 0) < 0)
			suo_info(AV, "cannot ask: %s\n", strerror(errno));
		if (wait_answer(fd, FIRST_WAIT_MS << i, msg.nonce, addr))
			err = 0;
	}
out:
	close(fd);
	return err;
}
