// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A switch's snapshot: JSON both ways, what is refused, and counting from a baseline. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "userspace/telemetry/snapshot.h"

/*
 * Written by hand from the protocol: what the switch must write, and the readers take.
 * A text is a template, so that a test can have another value in one place.
 */
#define PFCWD									\
	"{'status':'%s','detected':3,'restored':2,'tx_ok':100,'tx_drop':300,"	\
	"'rx_ok':101,'rx_drop':301,'tx_ok_last':0,'tx_drop_last':200,"		\
	"'rx_ok_last':1,'rx_drop_last':201}"
#define PRIO									\
	"{'tx_packets':%s,'tx_bytes':2,'rx_packets':3,'rx_bytes':4,"		\
	"'drop_packets':5,'drop_bytes':6,'wred_drop_packets':7,"		\
	"'wred_drop_bytes':8,'ecn_marked_packets':9,'ecn_marked_bytes':10,"	\
	"'trim_packets':11,'pg_drop_packets':12,'pfc_tx':13,'pfc_rx':14,"	\
	"'pfc_on2off_rx':15,'pfc_tx_duration_us':16,'pfc_rx_duration_us':17,"	\
	"'pfc_tx_duration_ps':24,'pfc_rx_duration_ps':25,"			\
	"'queue_bytes':18,'queue_watermark_bytes':19,'pg_shared_bytes':20,"	\
	"'pg_shared_watermark_bytes':21,'pg_headroom_bytes':22,"		\
	"'pg_headroom_watermark_bytes':23,'pfcwd':%s}"
#define CLASS									\
	"{'lossless':true,'ecn':true,'kmin_bytes':100000,'kmax_bytes':400000,"	\
	"'pmax_ppm':200000,'xoff_bytes':131072,'xon_bytes':8192,"		\
	"'headroom_bytes':90000,'dynamic_th':%s}"
#define ROOT									\
	"{'version':%s,'instance':'4f','time_ps':%s,'time_scale':16.0,"		\
	"'cluster':'two','switches':[{'name':'leaf0','tier':'leaf',"		\
	"'pool':{'size_bytes':1000,'used_bytes':10,'watermark_bytes':99},"	\
	"'ports':[{'name':'Ethernet0','peer':'h0:nic0','rate_mbps':400000,"	\
	"'up':true,'in':{'packets':31,'octets':32,'discards':33,"		\
	"'malformed':34,'oversize':35,'filtered':39},'out':{'packets':36,'octets':37,"	\
	"'discards':38},'prio':[%s]}]}],"					\
	"'links':[{'name':'h0:nic0-leaf0','a':'h0:nic0','b':'leaf0:Ethernet0',"	\
	"'lost':41,'corrupted':42,'faults':[7,9]}],"				\
	"'config':{'balancing':'ecmp','seed':%s,'prio':[%s]},"			\
	"'events':[{'time_ps':50,'what':'storm','switch':'leaf0',"		\
	"'port':'Ethernet0','prio':3}]}"

struct text {
	const char	*version;
	const char	*time_ps;
	const char	*tx_packets;
	const char	*status;
	const char	*dynamic_th;
	const char	*seed;
	size_t		prios;
};

static const struct text plain = {
	.version = "1",
	.time_ps = "1000000",
	.tx_packets = "1",
	.status = "stormed",
	.dynamic_th = "-3",
	.seed = "\"18446744073709551615\"",
	.prios = 8,
};

static json_t *parse(const struct text *t)
{
	char pfcwd[512], prio[2048], class[512], prios[20000] = "", classes[4000] = "";
	char text[32768];
	json_error_t error;
	json_t *root;

	snprintf(pfcwd, sizeof(pfcwd), PFCWD, t->status);
	snprintf(prio, sizeof(prio), PRIO, t->tx_packets, pfcwd);
	snprintf(class, sizeof(class), CLASS, t->dynamic_th);
	for (size_t p = 0; p < t->prios; p++) {
		sprintf(prios + strlen(prios), "%s%s", p ? "," : "", prio);
		sprintf(classes + strlen(classes), "%s%s", p ? "," : "", class);
	}
	snprintf(text, sizeof(text), ROOT, t->version, t->time_ps, prios, t->seed, classes);
	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	root = json_loads(text, 0, &error);
	if (!root)
		fail_msg("%s in %s", error.text, text);
	return root;
}

static struct suo_snapshot *read_text(const struct text *t)
{
	struct suo_snapshot *snap = NULL;
	char error[SUO_SNAP_ERROR];
	json_t *root = parse(t);

	if (suo_snapshot_from_json(root, &snap, error))
		fail_msg("%s", error);
	json_decref(root);
	return snap;
}

static void test_read(void **state)
{
	struct suo_snapshot *snap = read_text(&plain);
	const struct suo_snap_port *port = &snap->sw[0].port[0];
	const struct suo_snap_prio *prio = &port->prio[7];

	assert_int_equal(snap->time_ps, 1000000);
	assert_true(snap->time_scale > 15.9 && snap->time_scale < 16.1);
	assert_string_equal(snap->cluster, "two");
	assert_int_equal(snap->nswitches, 1);
	assert_int_equal(snap->sw[0].nports, 1);
	assert_int_equal(snap->sw[0].pool.watermark_bytes, 99);
	assert_string_equal(port->peer, "h0:nic0");
	assert_true(port->up);
	assert_int_equal(port->in.oversize, 35);
	assert_int_equal(port->out.discards, 38);
	assert_int_equal(prio->tx_packets, 1);
	assert_int_equal(prio->pfc_rx_duration_us, 17);
	assert_int_equal(prio->pfc_rx_duration_ps, 25);
	assert_int_equal(prio->pg_headroom_watermark_bytes, 23);
	assert_true(prio->pfcwd.stormed);
	assert_int_equal(prio->pfcwd.rx_drop_last, 201);
	assert_int_equal(snap->nlinks, 1);
	assert_int_equal(snap->link[0].corrupted, 42);
	assert_int_equal(snap->link[0].nfaults, 2);
	assert_int_equal(snap->link[0].fault[1], 9);
	assert_true(snap->config.seed == U64_MAX);
	assert_true(snap->config.prio[3].is_dynamic);
	assert_int_equal(snap->config.prio[3].dynamic_th, -3);
	assert_int_equal(snap->config.prio[3].kmax_bytes, 400000);
	assert_string_equal(snap->event[0].at, "leaf0");
	assert_int_equal(snap->event[0].prio, 3);
	suo_snapshot_free(snap);
}

static json_t *prio_of(json_t *root, size_t p)
{
	json_t *sw = json_array_get(json_object_get(root, "switches"), 0);
	json_t *port = json_array_get(json_object_get(sw, "ports"), 0);

	return json_array_get(json_object_get(port, "prio"), p);
}

static json_t *write_text(const struct suo_snapshot *snap)
{
	json_error_t error;
	json_t *json;
	size_t len;
	char *text = suo_snapshot_to_json(snap, &len);

	assert_non_null(text);
	/* A line. */
	assert_int_equal(strlen(text), len);
	assert_ptr_equal(strchr(text, '\n'), text + len - 1);
	json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!json)
		fail_msg("%s: %s", error.text, text);
	free(text);
	return json;
}

/* What is written is what was written by hand. */
static void test_write(void **state)
{
	struct suo_snapshot *snap = read_text(&plain);
	json_t *written = write_text(snap), *expected = parse(&plain);

	assert_true(json_equal(written, expected));
	json_decref(written);
	/* A static threshold is null; what is not known is left out. */
	snap->config.prio[5].is_dynamic = false;
	snap->sw[0].port[0].prio[2].wred_drop_bytes = SUO_SNAP_NA;
	/* Names of any kind can be read again. */
	strcpy(snap->cluster, "a\"b\\c");
	strcpy(snap->sw[0].name, "\xff\x01z");
	written = write_text(snap);
	json_t *prios = json_object_get(json_object_get(written, "config"), "prio");

	assert_true(json_is_null(json_object_get(json_array_get(prios, 5), "dynamic_th")));
	assert_null(json_object_get(prio_of(written, 2), "wred_drop_bytes"));
	assert_string_equal(json_string_value(json_object_get(written, "cluster")),
			    "a\"b\\c");
	assert_string_equal(json_string_value(json_object_get(
			    json_array_get(json_object_get(written, "switches"), 0),
			    "name")), "??z");
	json_decref(written);
	json_decref(expected);
	suo_snapshot_free(snap);
}

static void refused(json_t *root, const char *expected)
{
	struct suo_snapshot *snap = NULL;
	char error[SUO_SNAP_ERROR];

	assert_int_equal(suo_snapshot_from_json(root, &snap, error), -EINVAL);
	assert_string_equal(error, expected);
	json_decref(root);
}

static void test_refused(void **state)
{
	struct text t = plain;
	json_t *root;

	t.version = "2";
	refused(parse(&t), "a snapshot of version 2, and only version 1 is known");
	t = plain;
	t.tx_packets = "-1";
	refused(parse(&t), "switches[0].ports[0].prio[0]: 'tx_packets' is negative");
	t.tx_packets = "1.5";
	refused(parse(&t),
		"switches[0].ports[0].prio[0]: 'tx_packets' is not a whole number");
	t = plain;
	t.status = "dead";
	refused(parse(&t),
		"switches[0].ports[0].prio[0].pfcwd: 'status' is neither operational nor stormed");
	t = plain;
	t.prios = 7;
	refused(parse(&t), "config: 'prio' has 7 elements, not 8");
	t = plain;
	t.dynamic_th = "17";
	refused(parse(&t), "config.prio[0]: 'dynamic_th' is not from -16 to 16");

	root = parse(&plain);
	json_object_del(prio_of(root, 5), "pfc_rx");
	refused(root, "switches[0].ports[0].prio[5]: no 'pfc_rx'");
	root = parse(&plain);
	json_object_set_new(root, "cluster", json_string("a\033[2Jb"));
	refused(root, "'cluster' has a control character");
	root = parse(&plain);
	json_object_set_new(root, "links", json_integer(1));
	refused(root, "'links' is not a list");
	root = parse(&plain);
	json_array_append_new(json_object_get(json_array_get(json_object_get(root, "links"), 0),
					      "faults"), json_true());
	refused(root, "links[0].faults[2]: not the number of a fault");
	refused(json_integer(1), "not a JSON object");
	refused(json_pack("{s:I}", "version", (json_int_t)1),
		"'time_scale' is not a number above 0");

	/* What older switches do not have. */
	root = parse(&plain);
	json_object_del(prio_of(root, 1), "wred_drop_bytes");
	json_object_del(root, "instance");
	struct suo_snapshot *snap;
	char error[SUO_SNAP_ERROR];

	assert_int_equal(suo_snapshot_from_json(root, &snap, error), 0);
	assert_true(snap->sw[0].port[0].prio[1].wred_drop_bytes == SUO_SNAP_NA);
	assert_string_equal(snap->instance, "");
	suo_snapshot_free(snap);
	json_decref(root);
}

static void test_subtract(void **state)
{
	struct suo_snapshot *base = read_text(&plain), *now, *other;
	struct text t = plain;
	struct suo_snap_prio *prio;

	t.time_ps = "5000000";
	t.tx_packets = "1201";
	now = read_text(&t);
	prio = &now->sw[0].port[0].prio[4];
	prio->pfcwd.detected = 5;
	prio->drop_packets = 2;		/* less than before: it began anew */
	prio->wred_drop_bytes = SUO_SNAP_NA;
	prio->queue_bytes = 77;
	now->link[0].lost = 100;
	assert_true(suo_snapshot_is_base(now, base));
	suo_snapshot_subtract(now, base);
	assert_int_equal(prio->tx_packets, 1200);
	assert_int_equal(prio->tx_bytes, 0);
	assert_int_equal(prio->drop_packets, 0);
	assert_true(prio->wred_drop_bytes == SUO_SNAP_NA);
	/* Levels, watermarks and the last storm stay. */
	assert_int_equal(prio->queue_bytes, 77);
	assert_int_equal(prio->queue_watermark_bytes, 19);
	assert_int_equal(prio->pfcwd.detected, 2);
	assert_int_equal(prio->pfcwd.tx_drop_last, 200);
	assert_int_equal(now->sw[0].port[0].in.malformed, 0);
	assert_int_equal(now->link[0].lost, 59);
	assert_int_equal(now->since_ps, 1000000);

	/* A port that the baseline does not have counts from the beginning. */
	other = read_text(&t);
	strcpy(other->sw[0].port[0].name, "Ethernet4");
	suo_snapshot_subtract(other, base);
	assert_int_equal(other->sw[0].port[0].prio[0].tx_packets, 1201);

	/* Of another process, or later, it is none. */
	assert_false(suo_snapshot_is_base(base, now));
	strcpy(base->instance, "50");
	assert_false(suo_snapshot_is_base(now, base));
	suo_snapshot_free(base);
	suo_snapshot_free(now);
	suo_snapshot_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_subtract),
	};

	return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
