// SPDX-License-Identifier: GPL-2.0-only
/* The UDP sockets of a network namespace that RoCEv2 comes in by. */
#include <linux/udp.h>
#include <net/netns/generic.h>
#include <net/udp_tunnel.h>

#include "../model/core/wire.h"
#include "compat.h"
#include "net.h"

/**
 * struct suo_net - sockets of a network namespace
 * @lock: protects the rest
 * @users: devices; the sockets exist while there are any
 * @sk4: IPv4
 * @sk6: IPv6, NULL where the kernel has none
 */
struct suo_net {
	struct mutex	lock;
	unsigned int	users;
	struct socket	*sk4;
	struct socket	*sk6;
};

static unsigned int suo_net_id;

static struct socket *open_socket(struct net *net, int family)
{
	struct udp_port_cfg cfg = {
		.family = family,
		.local_udp_port = htons(SUO_ROCE_PORT),
		.ipv6_v6only = 1,
	};
	struct udp_tunnel_sock_cfg tunnel = {
		.encap_type = 1,
		.encap_rcv = suo_net_rcv,
	};
	struct socket *sock;
	int err;

	err = udp_sock_create(net, &cfg, &sock);
	if (err)
		return ERR_PTR(err);
	/* RoCEv2 over IPv6 carries no UDP checksum: the ICRC covers more. */
	if (family == AF_INET6)
		udp_set_no_check6_rx(sock->sk, true);
	suo_setup_udp_tunnel(net, sock, &tunnel);
	return sock;
}

static void close_sockets(struct suo_net *sn)
{
	if (sn->sk6)
		suo_release_udp_tunnel(sn->sk6);
	if (sn->sk4)
		suo_release_udp_tunnel(sn->sk4);
	sn->sk6 = NULL;
	sn->sk4 = NULL;
}

/**
 * suo_net_get() - a device comes to a namespace
 * @net: the namespace
 *
 * Return: 0, or what opening the port said: -EADDRINUSE if rdma_rxe, or
 * anybody else, has it.
 */
int suo_net_get(struct net *net)
{
	struct suo_net *sn = net_generic(net, suo_net_id);
	int err = 0;

	mutex_lock(&sn->lock);
	if (sn->users)
		goto out;
	sn->sk4 = open_socket(net, AF_INET);
	if (IS_ERR(sn->sk4)) {
		err = PTR_ERR(sn->sk4);
		sn->sk4 = NULL;
		goto err_open;
	}
	sn->sk6 = open_socket(net, AF_INET6);
	if (IS_ERR(sn->sk6)) {
		err = PTR_ERR(sn->sk6);
		sn->sk6 = NULL;
		/* A kernel booted with ipv6.disable=1 */
		if (err != -EAFNOSUPPORT)
			goto err_open;
		err = 0;
	}
out:
	sn->users++;
	mutex_unlock(&sn->lock);
	return 0;

err_open:
	close_sockets(sn);
	mutex_unlock(&sn->lock);
	return err;
}

void suo_net_put(struct net *net)
{
	struct suo_net *sn = net_generic(net, suo_net_id);

	mutex_lock(&sn->lock);
	/* The namespace itself may have closed them already. */
	if (sn->users && !--sn->users)
		close_sockets(sn);
	mutex_unlock(&sn->lock);
}

static int __net_init suo_net_ns_init(struct net *net)
{
	struct suo_net *sn = net_generic(net, suo_net_id);

	mutex_init(&sn->lock);
	return 0;
}

static void __net_exit suo_net_ns_exit(struct net *net)
{
	struct suo_net *sn = net_generic(net, suo_net_id);

	mutex_lock(&sn->lock);
	close_sockets(sn);
	sn->users = 0;
	mutex_unlock(&sn->lock);
}

static struct pernet_operations suo_net_ops = {
	.init	= suo_net_ns_init,
	.exit	= suo_net_ns_exit,
	.id	= &suo_net_id,
	.size	= sizeof(struct suo_net),
};

int suo_net_init(void)
{
	return register_pernet_subsys(&suo_net_ops);
}

void suo_net_exit(void)
{
	unregister_pernet_subsys(&suo_net_ops);
}

/* Namespaces without IPv6 have no socket for it, and routing wants one. */
struct sock *suo_net_sk6(struct net *net)
{
	struct suo_net *sn = net_generic(net, suo_net_id);

	return sn->sk6 ? sn->sk6->sk : NULL;
}
