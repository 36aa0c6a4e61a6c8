// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler of a port.
 *
 * One context at a time runs a port (port->running); whoever else has work for
 * it leaves the work in the lists and goes. A port that becomes due while this
 * CPU is already running another is put on a list of the CPU, so that a packet
 * which is answered on the spot, through any number of devices, needs no more
 * stack than one that is not.
 */
#include <linux/percpu.h>

#include "clock.h"
#include "compat.h"
#include "mr.h"
#include "pkt.h"
#include "qp.h"
#include "suo.h"
#include "telemetry.h"

/* Packets that one visit to a port may send, and visits in a row, before others
 * have the CPU: links can be infinitely fast, queues long, messages large.
 */
#define SUO_PORT_BUDGET	64
#define SUO_PORT_VISITS	8
/* For so long, nanoseconds, the others have it for sure. A timer set for now would be
 * an interrupt at once, and where softirqs run at the end of each, also when ksoftirqd
 * has been woken for them, nobody else would get to run (7.2; 6.1 leaves them to it).
 */
#define SUO_PORT_PAUSE_NS	20000

struct suo_cpu_ports {
	struct list_head	list;
	unsigned int		depth;
};

static DEFINE_PER_CPU(struct suo_cpu_ports, cpu_ports);

DEFINE_STATIC_KEY_FALSE(suo_paced);

int suo_ports_module_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(&per_cpu(cpu_ports, cpu).list);
	return 0;
}

/* The modelled time, for a port that has a law: others never wait for it. */
static u64 port_now(const struct suo_port *port)
{
	return port->timed ? suo_now_ps() : port->clk.tx_free_ps;
}

/* Has this time come? It is later than some other that has; looking at the clock
 * costs more than that.
 */
static bool is_past(const struct suo_port *port, u64 ps, u64 past_ps)
{
	return ps <= past_ps || ps <= port_now(port);
}

static void arm_at(struct suo_port *port, ktime_t at)
{
	lockdep_assert_held(&port->lock);
	if (!port->stopped)
		hrtimer_start(&port->timer, at, HRTIMER_MODE_ABS_SOFT);
}

static void arm_timer(struct suo_port *port, u64 ps)
{
	/* Not in the past: the softirq that runs expired timers would find it
	 * expired again before it came to an end.
	 */
	arm_at(port, max(suo_ps_to_ktime(ps), ktime_get()));
}

/* A port that has had its share of this CPU goes on after a pause. */
static void arm_pause(struct suo_port *port)
{
	arm_at(port, ktime_add_ns(ktime_get(), SUO_PORT_PAUSE_NS));
}

/* Hand over what has arrived, a visit's worth. Called and left with port->lock held.
 * Return: packets.
 */
static u32 run_line(struct suo_port *port, unsigned long *flags)
{
	u32 n = 0;
	u64 now_ps;

	while (!list_empty(&port->line) && n < SUO_PORT_BUDGET) {
		struct suo_pkt *pkt = list_first_entry(&port->line,
						       struct suo_pkt, node);

		now_ps = suo_now_ps();
		if (pkt->due_ps > now_ps)
			break;
		list_del(&pkt->node);
		n += pkt->slices;
		suo_telemetry_clock(port, pkt->due_ps, now_ps);
		spin_unlock_irqrestore(&port->lock, *flags);
		port->ops->deliver(port, pkt);
		spin_lock_irqsave(&port->lock, *flags);
	}
	return n;
}

/* A switch that stores what a busy member cannot take lets others' packets pass
 * it. Those of one receiver keep their order, even if the law changes.
 */
static void line_add(struct suo_port *port, struct suo_pkt *pkt)
{
	struct list_head *at = port->line.prev;
	struct suo_pkt *before;

	for (; at != &port->line; at = at->prev) {
		before = list_entry(at, struct suo_pkt, node);
		if (before->due_ps <= pkt->due_ps || before->peer == pkt->peer)
			break;
	}
	list_add(&pkt->node, at);
}

static struct suo_port_slot *first_waiting(const struct suo_port *port)
{
	return rb_entry_safe(rb_first_cached(&port->waiting),
			     struct suo_port_slot, wait);
}

/* Return: whether it waited. */
static bool unwait(struct suo_port *port, struct suo_port_slot *slot)
{
	lockdep_assert_held(&port->lock);
	if (RB_EMPTY_NODE(&slot->wait))
		return false;
	rb_erase_cached(&slot->wait, &port->waiting);
	RB_CLEAR_NODE(&slot->wait);
	return true;
}

static bool waits_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct suo_port_slot, wait)->ready_ps <
	       rb_entry(b, struct suo_port_slot, wait)->ready_ps;
}

/* Whose time has come takes its turn with the others. What counts is when the next
 * packet begins, not when this is looked at: who was held back longer than that is
 * not served before, however late the timer was.
 */
static void end_waits(struct suo_port *port)
{
	u64 now_ps = port_now(port);
	struct suo_port_slot *slot, *head;

	while ((slot = first_waiting(port)) && slot->ready_ps <= now_ps) {
		head = list_first_entry_or_null(&port->ready,
						struct suo_port_slot, node);
		if (head && slot->ready_ps > max(port->clk.tx_free_ps,
						 head->ready_ps))
			return;
		unwait(port, slot);
		if (head && slot->ready_ps > port->clk.tx_free_ps &&
		    slot->ready_ps < head->ready_ps)
			list_add(&slot->node, &port->ready);
		else
			list_add_tail(&slot->node, &port->ready);
	}
}

/* A queue pair may not send yet. Should it have been kicked meanwhile, it is listed
 * already; should the reason have gone, it is to look again.
 */
static void hold_back(struct suo_port *port, struct suo_port_slot *slot, u32 wakes)
{
	u64 until_ps = slot->hold_ps;

	slot->hold_ps = 0;
	if (port->stopped || !list_empty(&slot->node)) {
		suo_qp_put(slot->qp);
	} else if (wakes != port->wakes) {
		list_add_tail(&slot->node, &port->ready);
	} else {
		slot->ready_ps = until_ps;
		rb_add_cached(&slot->wait, &port->waiting, waits_less);
	}
}

/* Let the next queue pair send one datagram. Return: its packets; 0 if no queue
 * pair can send now, 1 if the one whose turn it was had nothing.
 */
static u32 run_ready(struct suo_port *port, unsigned long *flags)
{
	struct suo_port_slot *slot;
	u64 ready_ps, now_ps;
	u32 packets, wakes;
	struct suo_pkt *pkt;

	if (static_branch_unlikely(&suo_paced) && first_waiting(port))
		end_waits(port);
	if (list_empty(&port->ready))
		return 0;
	slot = list_first_entry(&port->ready, struct suo_port_slot, node);
	ready_ps = slot->ready_ps;
	if (!is_past(port, port->clk.tx_free_ps, ready_ps))
		return 0;
	list_del_init(&slot->node);
	if (static_branch_unlikely(&suo_paced))
		slot->at_ps = max(ready_ps, port->clk.tx_free_ps);
	wakes = port->wakes;
	spin_unlock_irqrestore(&port->lock, *flags);

	pkt = suo_qp_next_pkt(slot->qp, port);

	spin_lock_irqsave(&port->lock, *flags);
	if (!pkt && slot->hold_ps) {
		hold_back(port, slot, wakes);
		return 1;
	}
	if (!pkt) {
		/* The list's reference; a kick meanwhile took one of its own. */
		suo_qp_put(slot->qp);
		return 1;
	}
	packets = pkt->slices;
	if (pkt->more && list_empty(&slot->node) && !port->stopped) {
		list_add_tail(&slot->node, &port->ready);
		slot->ready_ps = ready_ps;
	} else {
		suo_qp_put(slot->qp);
	}
	if (port->stopped) {
		spin_unlock_irqrestore(&port->lock, *flags);
		port->ops->drop(pkt);
		spin_lock_irqsave(&port->lock, *flags);
		return packets;
	}
	pkt->due_ps = port->ops->reserve(port, pkt, ready_ps);
	now_ps = pkt->due_ps > ready_ps ? port_now(port) : ready_ps;
	if (list_empty(&port->line) && pkt->due_ps <= now_ps) {
		if (pkt->due_ps > ready_ps && port->timed)
			suo_telemetry_clock(port, pkt->due_ps, now_ps);
		spin_unlock_irqrestore(&port->lock, *flags);
		port->ops->deliver(port, pkt);
		spin_lock_irqsave(&port->lock, *flags);
	} else {
		line_add(port, pkt);
	}
	return packets;
}

/* Its timer runs it again when something has arrived, or the link is free for more. */
static void arm_next(struct suo_port *port)
{
	const struct suo_port_slot *slot = NULL;
	u64 next;

	if (static_branch_unlikely(&suo_paced))
		slot = first_waiting(port);
	next = slot ? slot->ready_ps : U64_MAX;
	if (!list_empty(&port->line))
		next = min(next, list_first_entry(&port->line, struct suo_pkt,
						  node)->due_ps);
	if (!list_empty(&port->ready))
		next = min(next, port->clk.tx_free_ps);
	if (next != U64_MAX)
		arm_timer(port, next);
}

/* Run a port that this CPU has listed; not now, if others had to wait too long. */
static void run_port(struct suo_port *port, bool now)
{
	unsigned long flags;
	u32 n, sent = 0;

	spin_lock_irqsave(&port->lock, flags);
	list_del_init(&port->pending);
	if (!now)
		arm_pause(port);
	if (!now || port->running) {
		spin_unlock_irqrestore(&port->lock, flags);
		return;
	}
	port->running = true;
	do {
		sent += run_line(port, &flags);
		n = run_ready(port, &flags);
		sent += n;
	} while (n && sent < SUO_PORT_BUDGET);
	port->running = false;
	if (sent < SUO_PORT_BUDGET)
		arm_next(port);
	else
		arm_pause(port);
	spin_unlock_irqrestore(&port->lock, flags);
}

/**
 * suo_ports_hold() - put off running ports on this CPU
 *
 * A port that is kicked between hold and release runs at the outermost
 * release. Whoever takes a queue pair's lock holds, since a completion handler
 * called under it may post to the same queue pair. Softirqs are off meanwhile.
 */
void suo_ports_hold(void)
{
	local_bh_disable();
	this_cpu_inc(cpu_ports.depth);
}

/* suo_ports_release() - run the ports that became due since suo_ports_hold() */
void suo_ports_release(void)
{
	struct suo_cpu_ports *cpu = this_cpu_ptr(&cpu_ports);
	unsigned int visits = 0;

	while (cpu->depth == 1 && !list_empty(&cpu->list))
		run_port(list_first_entry(&cpu->list, struct suo_port, pending),
			 ++visits <= SUO_PORT_VISITS);
	if (cpu->depth == 1)
		suo_mr_let_go();
	cpu->depth--;
	local_bh_enable();
}

/* To be run by this CPU at the outermost release. Ports are held. */
static void list_port(struct suo_port *port)
{
	lockdep_assert_held(&port->lock);
	if (!port->running && list_empty(&port->pending))
		list_add_tail(&port->pending,
			      &this_cpu_ptr(&cpu_ports)->list);
}

static enum hrtimer_restart port_timer(struct hrtimer *timer)
{
	struct suo_port *port = container_of(timer, struct suo_port, timer);
	unsigned long flags;

	suo_ports_hold();
	spin_lock_irqsave(&port->lock, flags);
	list_port(port);
	spin_unlock_irqrestore(&port->lock, flags);
	suo_ports_release();
	return HRTIMER_NORESTART;
}

/**
 * suo_port_kick() - a queue pair may have something to send
 * @port: its port
 * @qp: the queue pair; the port takes a reference of its own
 *
 * May be called from any context. With interrupts off the port runs from its
 * timer, else at once.
 */
void suo_port_kick(struct suo_port *port, struct suo_qp *qp)
{
	struct suo_port_slot *slot = &qp->slot[port->index];
	bool later = irqs_disabled();
	unsigned long flags;

	if (!later)
		suo_ports_hold();
	spin_lock_irqsave(&port->lock, flags);
	if (!port->stopped && list_empty(&slot->node)) {
		list_add_tail(&slot->node, &port->ready);
		if (static_branch_unlikely(&suo_paced) && unwait(port, slot)) {
			/* It may owe what need not wait. */
			slot->ready_ps = min(slot->ready_ps, port_now(port));
		} else {
			suo_qp_get(qp);
			slot->ready_ps = port_now(port);
		}
		if (!later && port->clk.tx_free_ps <= slot->ready_ps)
			list_port(port);
		else if (!port->running)
			arm_next(port);
	}
	spin_unlock_irqrestore(&port->lock, flags);
	if (!later)
		suo_ports_release();
}

/**
 * suo_port_wake() - what holds queue pairs back has changed
 * @port: the port
 *
 * All that wait look again, from now on.
 */
void suo_port_wake(struct suo_port *port)
{
	struct suo_port_slot *slot;
	unsigned long flags;

	spin_lock_irqsave(&port->lock, flags);
	port->wakes++;
	while ((slot = first_waiting(port))) {
		unwait(port, slot);
		slot->ready_ps = min(slot->ready_ps, port_now(port));
		list_add_tail(&slot->node, &port->ready);
	}
	if (!list_empty(&port->ready) && !port->running)
		arm_next(port);
	spin_unlock_irqrestore(&port->lock, flags);
}

/* Data on the scale-up path lies in its sender's memory until it arrives. */
static bool pkt_needs_sender(const struct suo_pkt *pkt)
{
	return !pkt->skb && pkt->pay.kind != SUO_PAYLOAD_NONE;
}

/**
 * suo_port_purge() - part a port from a queue pair
 * @port: the port
 * @qp: the queue pair, which sends nothing more
 *
 * What has left and stands on its own (datagrams, acknowledgments) still
 * arrives, as from a real NIC: the peer waits for it.
 */
void suo_port_purge(struct suo_port *port, struct suo_qp *qp)
{
	struct suo_port_slot *slot = &qp->slot[port->index];
	struct suo_pkt *pkt, *tmp;
	unsigned long flags;
	bool listed;
	LIST_HEAD(gone);

	spin_lock_irqsave(&port->lock, flags);
	listed = !list_empty(&slot->node) || unwait(port, slot);
	list_del_init(&slot->node);
	list_for_each_entry_safe(pkt, tmp, &port->line, node)
		if (pkt->qp != qp)
			continue;
		else if (pkt_needs_sender(pkt))
			list_move_tail(&pkt->node, &gone);
		else
			suo_pkt_detach(pkt);
	spin_unlock_irqrestore(&port->lock, flags);

	list_for_each_entry_safe(pkt, tmp, &gone, node)
		port->ops->drop(pkt);
	if (listed)
		suo_qp_put(qp);
}

/**
 * suo_port_hasten() - what a port waits for comes sooner
 * @port: the port
 * @clk_lock: protects its clock, beside its own lock
 * @now_ps: from when on it is free
 * @latest_ps: when all that is under way has arrived
 */
void suo_port_hasten(struct suo_port *port, spinlock_t *clk_lock, u64 now_ps,
		     u64 latest_ps)
{
	struct suo_link_clock *clk = &port->clk;
	unsigned long flags;
	struct suo_pkt *pkt;

	spin_lock_irqsave(&port->lock, flags);
	spin_lock(clk_lock);
	clk->tx_free_ps = min(clk->tx_free_ps, now_ps);
	clk->credit_ps = min(clk->credit_ps, now_ps);
	clk->held_ps = min(clk->held_ps, now_ps);
	spin_unlock(clk_lock);
	list_for_each_entry(pkt, &port->line, node)
		pkt->due_ps = min(pkt->due_ps, latest_ps);
	arm_timer(port, now_ps);
	spin_unlock_irqrestore(&port->lock, flags);
}

/* timed: it takes time whatever the law says. */
void suo_port_set_law(struct suo_port *port, const struct suo_link_law *law,
		      bool timed)
{
	unsigned long flags;

	spin_lock_irqsave(&port->lock, flags);
	port->law = *law;
	port->timed = timed || law->rate_mbps || suo_link_latency_ps(law);
	spin_unlock_irqrestore(&port->lock, flags);
	suo_port_wake(port);
}

void suo_port_init(struct suo_port *port, struct suo_dev *dev,
		   enum suo_port_index index, const struct suo_port_ops *ops)
{
	port->dev = dev;
	port->index = index;
	port->ops = ops;
	/* The scale-up port's law is its domain's. */
	port->timed = index == SUO_PORT_SU;
	spin_lock_init(&port->lock);
	INIT_LIST_HEAD(&port->ready);
	port->waiting = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&port->line);
	INIT_LIST_HEAD(&port->pending);
	hrtimer_setup(&port->timer, port_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}

/* No queue pair is left, but what the last ones sent may still be under way. */
void suo_port_stop(struct suo_port *port)
{
	struct suo_pkt *pkt, *tmp;
	unsigned long flags;

	spin_lock_irqsave(&port->lock, flags);
	port->stopped = true;
	spin_unlock_irqrestore(&port->lock, flags);
	hrtimer_cancel(&port->timer);
	/* Ports run with softirqs off: nobody runs this one after this. */
	synchronize_rcu();
	list_for_each_entry_safe(pkt, tmp, &port->line, node)
		port->ops->drop(pkt);
}
