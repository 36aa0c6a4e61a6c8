// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/core/ecmp.h"
#include "model/core/wire.h"
#include "tests/unit/swd_nic.h"

#define US		1000000ull
#define RTO_PS		(500 * US)
#define IP_AT		14
#define UDP_AT		34
#define BTH_AT		42
#define PSN_AT		(BTH_AT + 9)
#define QPN_AT		(BTH_AT + 5)
#define ACK_EVERY	4

static struct lab *the_lab;

/*
 * In place of the ICRC: all of what does not change on the way. What changes is in the
 * header's checksum (swd_ip_sum()).
 */
static u32 check_of(const u8 *frame, u32 len)
{
	u32 hash = 2166136261u;

	for (u32 i = IP_AT + 12; i < len - SUO_ICRC_LEN; i++)
		hash = (hash ^ frame[i]) * 16777619u;
	return hash;
}

static void put24(u8 *at, u32 value)
{
	at[0] = value >> 16;
	at[1] = value >> 8;
	at[2] = value;
}

static u32 get24(const u8 *at)
{
	return at[0] << 16 | at[1] << 8 | at[2];
}

/* Data: from src to dst; an answer the other way, with 4 bytes of AETH. */
static void build(struct nic *nic, u32 number, u32 psn, u8 opcode, u32 payload, u8 syndrome)
{
	const struct nic_flow *flow = &nic->lab->flow[number];
	bool data = opcode != SUO_OP_ACK;
	u32 bytes = BTH_AT + SUO_BTH_LEN + payload + SUO_ICRC_LEN + SWD_FCS_BYTES;
	u32 check;

	nic->len = swd_udp(nic->frame, bytes, data ? flow->src : flow->dst,
			   data ? flow->dst : flow->src, flow->dscp << 2 | 2,
			   flow->sport + !data);
	nic->frame[BTH_AT] = opcode;
	put24(nic->frame + QPN_AT, number);
	put24(nic->frame + PSN_AT, psn);
	if (!data)
		nic->frame[BTH_AT + SUO_BTH_LEN] = syndrome;
	check = check_of(nic->frame, nic->len);
	memcpy(nic->frame + nic->len - SUO_ICRC_LEN, &check, sizeof(check));
}

static u64 rate_mbps(const struct lab *lab)
{
	return lab->s->cluster->out.rate_mbps;
}

static u64 wire_ps(const struct lab *lab, u32 len)
{
	u64 bits = (len + SWD_FCS_BYTES + SUO_SWITCH_GAP_BYTES) * 8ull;

	return bits * 1000000 / rate_mbps(lab);
}

/* Return: whether there was something. */
static bool take_answer(struct nic *nic, u64 now_ps)
{
	const struct nic_answer *a = &nic->answer[nic->answered % 1024];

	if (nic->answered == nic->answers ||
	    suo_pfc_is_paused(&nic->heard, nic->lab->flow[a->flow].dscp >> 3, now_ps))
		return false;
	build(nic, a->flow, a->psn, SUO_OP_ACK, SUO_AETH_LEN,
	      a->nak ? SUO_SYN_NAK_PSN_SEQ : SUO_SYN_ACK);
	nic->answered++;
	return true;
}

static bool take_data(struct nic *nic, u64 now_ps)
{
	struct lab *lab = nic->lab;

	for (u32 i = 1; i <= lab->flows; i++) {
		u32 number = (nic->turn + i) % lab->flows;
		struct nic_flow *flow = &lab->flow[number];

		if (flow->src != nic->id || flow->next == flow->end ||
		    flow->next - flow->una >= lab->window ||
		    suo_pfc_is_paused(&nic->heard, flow->dscp >> 3, now_ps))
			continue;
		nic->turn = number;
		build(nic, number, flow->next, SUO_OP_WRITE_MIDDLE, NIC_MTU, 0);
		if (flow->timer.at_ps == U64_MAX)
			swd_timer_at(lab->s, &flow->timer, now_ps + RTO_PS);
		flow->next++;
		return true;
	}
	return false;
}

static void go(struct nic *nic, u64 now_ps)
{
	u64 wake_ps = U64_MAX;

	if (nic->busy)
		return;
	if (take_answer(nic, now_ps) || take_data(nic, now_ps)) {
		nic->busy = true;
		swd_timer_at(nic->lab->s, &nic->timer, now_ps + wire_ps(nic->lab, nic->len));
		return;
	}
	for (u32 q = 0; q < SWD_PRIOS; q++)
		if (suo_pfc_is_paused(&nic->heard, q, now_ps) &&
		    nic->heard.until_ps[q] < wake_ps)
			wake_ps = nic->heard.until_ps[q];
	if (wake_ps != U64_MAX)
		swd_timer_at(nic->lab->s, &nic->timer, wake_ps);
}

static void due(struct swd *s, struct swd_timer *timer, u64 at_ps)
{
	struct nic *nic = timer->arg;

	if (nic->busy) {
		nic->busy = false;
		swd_send(s, nic->id, nic->frame, nic->len, at_ps);
	}
	go(nic, at_ps);
}

static void timeout(struct swd *s, struct swd_timer *timer, u64 at_ps)
{
	struct nic_flow *flow = timer->arg;
	struct nic *nic = &flow->lab->nic[flow->src];

	if (flow->una == flow->end)
		return;
	nic->count.local_ack_timeout_err++;
	flow->next = flow->una;
	swd_timer_at(s, timer, at_ps + RTO_PS);
	go(nic, at_ps);
}

static void answer(struct nic *nic, u32 flow, u32 psn, bool nak)
{
	assert_true(nic->answers - nic->answered < 1024);
	nic->answer[nic->answers++ % 1024] = (struct nic_answer){ flow, psn, nak };
	go(nic, nic->lab->s->now_ps);
}

static void take_packet(struct nic *nic, u32 number, u32 psn)
{
	struct nic_flow *flow = &nic->lab->flow[number];
	bool ends;

	if (psn < flow->expected) {
		nic->count.duplicate_request++;
		answer(nic, number, flow->expected, false);
		return;
	}
	if (psn > flow->expected) {
		nic->count.out_of_sequence++;
		if (!flow->complained)
			answer(nic, number, flow->expected, true);
		flow->complained = true;
		return;
	}
	flow->complained = false;
	flow->expected++;
	ends = flow->arrived < flow->msgs &&
	       flow->expected == flow->msg_end[flow->arrived % NIC_MSGS];
	if (ends || !(flow->expected % ACK_EVERY))
		answer(nic, number, flow->expected, false);
	if (ends) {
		flow->arrived++;
		if (nic->lab->got)
			nic->lab->got(nic->lab, number, flow->arrived - 1);
	}
}

static void take_ack(struct nic *nic, u32 number, u32 psn, bool nak)
{
	struct nic_flow *flow = &nic->lab->flow[number];
	u64 now_ps = nic->lab->s->now_ps;

	if (psn > flow->una) {
		flow->una = psn;
		if (flow->next < flow->una)
			flow->next = flow->una;
		if (flow->una == flow->end)
			swd_timer_stop(nic->lab->s, &flow->timer);
		else
			swd_timer_at(nic->lab->s, &flow->timer, now_ps + RTO_PS);
	}
	if (nak) {
		nic->count.packet_seq_err++;
		flow->next = flow->una;
	}
	go(nic, now_ps);
}

static void take_pauses(struct nic *nic, const u8 *data)
{
	u16 quanta[SWD_PRIOS];
	u32 prios = swd_pfc_parse(data, quanta);

	for (u32 q = 0; q < SWD_PRIOS; q++)
		if (prios >> q & 1)
			suo_pfc_hear(&nic->heard, rate_mbps(nic->lab), q, quanta[q],
				     nic->lab->s->now_ps);
	go(nic, nic->lab->s->now_ps);
}

static int take(struct swd_port *port, const u8 *data, size_t len)
{
	struct nic *nic = &the_lab->nic[port->id];
	u32 check;

	if (!the_lab->ready)
		return 0;
	if (data[12] == 0x88 && data[13] == 0x08) {
		take_pauses(nic, data);
		return 0;
	}
	memcpy(&check, data + len - SUO_ICRC_LEN, sizeof(check));
	if (data[12] != 8 || swd_ip_sum(data) != 0xffff || len < BTH_AT + SUO_BTH_LEN ||
	    check != check_of(data, len)) {
		nic->count.rx_icrc_encapsulated++;
		return 0;
	}
	if (data[BTH_AT] == SUO_OP_ACK)
		take_ack(nic, get24(data + QPN_AT), get24(data + PSN_AT),
			 data[BTH_AT + SUO_BTH_LEN] == SUO_SYN_NAK_PSN_SEQ);
	else
		take_packet(nic, get24(data + QPN_AT), get24(data + PSN_AT));
	return 0;
}

struct lab *lab_make(const char *text)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	assert_non_null(lab);
	the_lab = lab;
	lab->window = 64;
	lab->s = swd_make(text, 8192, take);
	assert_true(lab->s->ports <= 16);
	for (u32 e = 0; e < lab->s->ports; e++) {
		lab->nic[e].lab = lab;
		lab->nic[e].id = e;
		lab->nic[e].timer = (struct swd_timer){ .fn = due, .arg = &lab->nic[e],
							.at_ps = U64_MAX };
		lab->s->port[e].fd = 0;		/* it is up */
	}
	swd_greet(lab->s);
	lab->ready = true;
	return lab;
}

void lab_free(struct lab *lab)
{
	swd_unmake(lab->s);
	free(lab);
}

u32 lab_flow(struct lab *lab, u32 src, u32 dst, u8 dscp)
{
	struct nic_flow *flow = &lab->flow[lab->flows];

	assert_true(lab->flows < NIC_FLOWS);
	*flow = (struct nic_flow){
		.lab = lab,
		.src = src,
		.dst = dst,
		.sport = 0xc000 + 64 * lab->flows,
		.dscp = dscp,
		.timer = { .fn = timeout, .arg = flow, .at_ps = U64_MAX },
	};
	return lab->flows++;
}

void lab_post(struct lab *lab, u32 number, u32 packets)
{
	struct nic_flow *flow = &lab->flow[number];

	flow->end += packets;
	assert_true(flow->msgs - flow->arrived < NIC_MSGS);
	flow->msg_end[flow->msgs++ % NIC_MSGS] = flow->end;
	go(&lab->nic[flow->src], lab->s->now_ps);
}

/* As the leaf chooses. */
static u32 way_of(struct lab *lab, u32 number)
{
	const struct nic_flow *flow = &lab->flow[number];
	const struct swd_link *link = &lab->s->link[flow->src];
	const struct suo_switch *sw = lab->s->node[link->end[1].node].sw;
	const struct swd_parse_law law = {
		.dscp_prio = lab->s->dscp_prio,
		.mtu_bytes = lab->s->mtu_bytes,
	};
	static struct swd_frame frame;
	u32 way = sw->route_of[flow->dst];

	assert_true(way >= sw->direct && way != UINT16_MAX);
	frame.len = swd_udp(frame.data, 128, flow->src, flow->dst, flow->dscp << 2 | 2,
			    flow->sport);
	assert_int_equal(swd_frame_parse(&frame, &law), SWD_PARSE_OK);
	return suo_ecmp_choose(suo_ecmp_hash_u64(frame.f.flow, sw->seed),
			       sw->route[way - sw->direct].ports);
}

void lab_by_way(struct lab *lab, u32 number, u32 way)
{
	while (way_of(lab, number) != way)
		lab->flow[number].sport += 2;
}
