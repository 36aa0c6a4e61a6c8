/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * suo-switch: all switches of a cluster's scale-out network in one process. Frames of
 * real devices come in by ports and leave by ports; between them they cross the
 * switches of model/sim, on a clock that runs. Documentation/design/switch.rst.
 */
#ifndef SWD_H
#define SWD_H

#include <ev.h>
#include <stdio.h>

#include "model/cluster/cluster.h"
#include "model/core/pfcwd.h"
#include "model/sim/heap.h"
#include "model/sim/topo.h"

#define SWD_PRIOS		SUO_SWITCH_PRIOS
#define SWD_NO_PRIO		255u	/* of an event that is of none, or of all */
#define SWD_NAME_ROOM		48
#define SWD_FRAME_ROOM		9728u	/* the largest frame that can be held */
#define SWD_FCS_BYTES		4u
#define SWD_MIN_BYTES		60u	/* of a frame, without FCS */
#define SWD_EVENTS		1024u

struct swd;
struct swd_link;

/* f.dst of a frame for all endpoints but the one that sent it. */
#define SWD_FLOOD		U32_MAX

enum swd_frame_kind {
	SWD_DATA,
	SWD_PFC,	/* IEEE 802.1Qbb, for the other end of the wire only */
};

/**
 * struct swd_frame - a frame that is in the process
 * @f: what switches know of it; comes first
 * @len: bytes of @data, without FCS; @f.bytes counts the FCS
 * @l3: where the IP header begins; 0: none is known
 * @l4: where the UDP header begins; 0: it is no UDP
 * @src: endpoint that sent it
 * @kind: enum swd_frame_kind
 * @dscp: of its IP header
 * @prio_in: its priority as it came; @f.prio is another once it is trimmed
 * @was_ce: it was marked when it came to the present switch
 * @was_trimmed: it was trimmed when it came to the present switch
 * @data: from the destination MAC address on
 */
struct swd_frame {
	struct suo_frame	f;
	u32			len;
	u16			l3;
	u16			l4;
	u16			src;
	u8			kind;
	u8			dscp;
	u8			prio_in;
	bool			was_ce;
	bool			was_trimmed;
	u8			data[SWD_FRAME_ROOM] __attribute__((aligned(16)));
};

/**
 * struct swd_pfcwd_count - the PFC watchdog of a queue (watchdog.c)
 * @stormed: it is in a storm
 * @detected: storms
 * @restored: ends of them
 * @tx_ok: packets forwarded by the queue while in a storm
 * @tx_drop: dropped
 * @rx_ok: packets that came by the port with the priority, and were let through
 * @rx_drop: and dropped
 * @tx_ok_last: of the last storm, as of the watchdog's last look
 * @tx_drop_last: likewise
 * @rx_ok_last: likewise
 * @rx_drop_last: likewise
 */
struct swd_pfcwd_count {
	bool	stormed;
	u64	detected;
	u64	restored;
	u64	tx_ok;
	u64	tx_drop;
	u64	rx_ok;
	u64	rx_drop;
	u64	tx_ok_last;
	u64	tx_drop_last;
	u64	rx_ok_last;
	u64	rx_drop_last;
};

/**
 * struct swd_prio_count - a priority of a switch port, beside suo_port_count, which has
 *	tx_packets, tx_bytes, marked, pause_tx, pause_rx
 * @rx_packets: came in by the port
 * @rx_bytes: with FCS
 * @drop_packets: dropped on the way to the port's queue (egress): full, WRED
 * @drop_bytes: of them
 * @wred_drop_packets: of them, by WRED
 * @wred_drop_bytes: of them
 * @ecn_marked_bytes: left marked by this switch; the packets are suo_port_count.marked
 * @trim_packets: for the port's queue, cut to headers
 * @pg_drop_packets: came in by the port (ingress) and found no room in the buffer
 * @pfc_on2off_rx: pauses heard that did not prolong another
 * @pfc_tx_ps: for so long the port had asked to stop; see swd_pfc_tx_ps()
 * @pfc_rx_ps: for so long it had been asked; see swd_pfc_rx_ps()
 * @tx_since_ps: 1 more than since when it asks; 0: it does not
 * @rx_since_ps: 1 more than since when it is asked; 0: it is not known to be
 * @rx_until_ps: it is asked until then
 * @wd: watchdog
 */
struct swd_prio_count {
	u64			rx_packets;
	u64			rx_bytes;
	u64			drop_packets;
	u64			drop_bytes;
	u64			wred_drop_packets;
	u64			wred_drop_bytes;
	u64			ecn_marked_bytes;
	u64			trim_packets;
	u64			pg_drop_packets;
	u64			pfc_on2off_rx;
	u64			pfc_tx_ps;
	u64			pfc_rx_ps;
	u64			tx_since_ps;
	u64			rx_since_ps;
	u64			rx_until_ps;
	struct swd_pfcwd_count	wd;
};

/**
 * struct swd_if - a port of a switch, as an interface has it
 * @name: "Ethernet0"
 * @peer: "h0:nic0" or "spine1:Ethernet3"; "" when nothing is linked
 * @link: its link; NULL: none
 * @side: which end of the link it is; 0 is a. It sends in this direction.
 * @in_packets: frames that came, MAC control frames not counted
 * @in_octets: of them, with FCS
 * @in_discards: of them, dropped: no room, no route
 * @in_malformed: runts and what is no frame; not in @in_packets
 * @in_oversize: longer than the MTU; not in @in_packets
 * @in_filtered: for nobody behind the switch: link-local protocols, or a destination
 *	at the port that it came by; not in @in_packets
 * @out_packets: sent
 * @out_octets: with FCS
 * @out_discards: dropped on the way to its queues, or that the endpoint did not take
 * @prio: by priority
 */
struct swd_if {
	char			name[SWD_NAME_ROOM];
	char			peer[2 * SWD_NAME_ROOM];
	struct swd_link		*link;
	u32			side;
	u64			in_packets;
	u64			in_octets;
	u64			in_discards;
	u64			in_malformed;
	u64			in_oversize;
	u64			in_filtered;
	u64			out_packets;
	u64			out_octets;
	u64			out_discards;
	struct swd_prio_count	prio[SWD_PRIOS];
};

/**
 * struct swd_node - a switch beside struct suo_switch
 * @name: "leaf0"
 * @tier: "leaf"
 * @sw: the switch: s->topo.node[i].sw
 * @ifs: its ports, sw->nports
 */
struct swd_node {
	char			name[SWD_NAME_ROOM];
	const char		*tier;
	struct suo_switch	*sw;
	struct swd_if		*ifs;
};

/**
 * struct swd_end - an end of a link
 * @endpoint: it is a NIC
 * @node: number of the switch, or of the endpoint
 * @port: of the switch; 0 for an endpoint
 */
struct swd_end {
	bool	endpoint;
	u32	node;
	u32	port;
};

/**
 * struct swd_wire - one direction of a link
 * @lost: frames that faults swallowed
 * @corrupted: frames that faults changed
 * @faults: fault.c's list
 */
struct swd_wire {
	u64	lost;
	u64	corrupted;
	void	*faults;
};

/**
 * struct swd_link - a cable
 * @id: index in swd.link; endpoint e's link has the number e
 * @name: "h0:nic0-leaf0:Ethernet0"
 * @end: a and b; an endpoint is a, of two switches a is the lower
 * @end_name: "h0:nic0", "leaf0:Ethernet0"
 * @hop_ps: propagation and FEC
 * @down: by direction: what is sent is lost; set by faults
 * @wire: by direction; 0 is from a to b
 */
struct swd_link {
	u32		id;
	char		name[4 * SWD_NAME_ROOM];
	struct swd_end	end[2];
	char		end_name[2][2 * SWD_NAME_ROOM];
	u64		hop_ps;
	bool		down[2];
	struct swd_wire	wire[2];
};

struct swd_port;

/**
 * struct swd_port_ops - what carries an endpoint's frames
 * @name: "tap"
 * @open: get ready with @spec; 0 or -errno, after a message. Without a peer it is
 *	ready, too, if one can come later.
 * @close: and leave nothing behind
 * @read: one frame into data; its bytes; 0: none now; -EMSGSIZE: it was longer than room;
 *	other -errno: the peer is gone, and @close has been called
 * @write: one frame; 0; -EAGAIN: later, when @out_fd is writable; other -errno: not taken
 * @flush: go on with a frame that @write has taken and could not write as a whole, after
 *	which it has started swd_port.out; returns as @write. NULL: there are none such.
 */
struct swd_port_ops {
	const char	*name;
	int		(*open)(struct swd_port *port);
	void		(*close)(struct swd_port *port);
	ssize_t		(*read)(struct swd_port *port, u8 *data, size_t room);
	int		(*write)(struct swd_port *port, const u8 *data, size_t len);
	int		(*flush)(struct swd_port *port);
};

/**
 * struct swd_port - an endpoint's attachment: NIC e is port e
 * @s: the process
 * @id: e
 * @ops: NULL: nothing is attached
 * @spec: as given: name of the TAP, or paths
 * @fd: frames are read from it; -1: there is no peer
 * @out_fd: frames are written to it; -1: there is no peer
 * @listen_fd: stream: of the listener; -1: none
 * @in: of @fd
 * @out: of @out_fd, while something waits, or the rest of a frame
 * @again: tries to open it again
 * @more: the kind holds another frame that it has read from @fd already
 * @quiet: it tries for the second time or more: no messages
 * @state: the kind's own
 * @waiting: frames that the peer has not taken yet
 * @waiting_tail: the last of them
 * @waits: how many they are
 * @attached: times that a peer came
 * @write_drops: frames that the peer did not take
 */
struct swd_port {
	struct swd			*s;
	u32				id;
	const struct swd_port_ops	*ops;
	char				*spec;
	int				fd;
	int				out_fd;
	int				listen_fd;
	ev_io				in;
	ev_io				out;
	ev_timer			again;
	bool				more;
	bool				quiet;
	void				*state;
	struct suo_frame		*waiting;
	struct suo_frame		*waiting_tail;
	u32				waits;
	u64				attached;
	u64				write_drops;
};

/**
 * struct swd_timer - something that is done at a modelled time
 * @fn: is called with the time that it was due at
 * @arg: up to the owner
 * @at_ps: when; U64_MAX: it is not armed
 */
struct swd_timer {
	void	(*fn)(struct swd *s, struct swd_timer *timer, u64 at_ps);
	void	*arg;
	u64	at_ps;
};

/**
 * struct swd_hooks - what other files want to be asked or told; each may be NULL
 * @wire: a frame sets out on a wire and would arrive at *at_ps. It may change the frame
 *	and the time. Return: how many of it arrive: 0, 1 or more. The counters of the
 *	wire are the hook's.
 * @capture: a frame, PFC frames included, sets out on a wire, or arrives at a switch
 */
struct swd_hooks {
	u32	(*wire)(struct swd *s, struct swd_link *link, u32 dir,
			struct swd_frame *frame, u64 *at_ps);
	void	(*capture)(struct swd *s, struct swd_link *link, u32 dir, bool arrives,
			   const u8 *data, u32 len, u64 at_ps);
};

/**
 * struct swd_event - something worth telling
 * @at_ps: when
 * @what: "pfc_storm", "link_down"; suo-switch-telemetry(7) has all
 * @node: the switch; U16_MAX: none
 * @port: of the switch
 * @prio: SWD_NO_PRIO: none
 */
struct swd_event {
	u64	at_ps;
	char	what[24];
	u16	node;
	u16	port;
	u8	prio;
};

/**
 * struct swd_opts - what was asked for
 * @cluster: path of the cluster file
 * @time_scale: real nanoseconds for a modelled one; 0: the cluster file's
 * @seed: of hashes and draws
 * @seed_given: or else the cluster file's
 * @frames: in the pool
 * @max_late_us: the clock stands still rather than be later than this, real time
 * @control: path of the control socket, or NULL
 * @capture: "DIR[:PORTS]", or NULL
 * @series: "FILE.csv[:INTERVAL]", or NULL
 * @prometheus: "ADDR:PORT", or NULL
 * @fault_script: path, or NULL
 * @print: print the network, and end
 * @tap_prefix: endpoint e has the TAP PREFIXe unless told otherwise; or NULL
 * @port: array of @ports: "E=KIND:WHAT"
 * @ports: of them
 */
struct swd_opts {
	const char	*cluster;
	u32		time_scale;
	u64		seed;
	bool		seed_given;
	u32		frames;
	u32		max_late_us;
	const char	*control;
	const char	*capture;
	const char	*series;
	const char	*prometheus;
	const char	*fault_script;
	bool		print;
	const char	*tap_prefix;
	char		**port;
	u32		ports;
};

/**
 * struct swd_clock - modelled time
 * @scale: real nanoseconds for one of its nanoseconds
 * @base_ns: real time of its beginning, CLOCK_MONOTONIC
 * @slips: times that it had to stand still
 * @slipped_ns: real time for which it did
 */
struct swd_clock {
	u32	scale;
	u64	base_ns;
	u64	slips;
	u64	slipped_ns;
};

struct swd_mac_table;

/**
 * struct swd - the process
 * @opts: what was asked for
 * @cluster: the cluster file
 * @config: the network as model/sim has it: config.sw is the law of all switches
 * @dscp_prio: priority of an IP packet without a VLAN tag
 * @watchdog: of every lossless queue
 * @watchdog_poll_ps: between two looks
 * @topo: switches
 * @nodes: switches; as in @topo
 * @node: what is told of them
 * @links: endpoints' first
 * @link: cables
 * @ports: endpoints
 * @port: their attachments
 * @clock: modelled time
 * @now_ps: what is being dealt with is due at this time
 * @heap: what will happen
 * @mac: who is where
 * @pool: array of all frames
 * @pool_bytes: of memory
 * @free_frames: those that are free
 * @frames: in the pool
 * @frames_out: that are not free
 * @scratch: where what is not kept is read to
 * @pool_empty: frames dropped as no buffer was free
 * @mtu_bytes: longest payload of an Ethernet frame
 * @trim_dscp: of frames that were cut to their headers
 * @hooks: of other files
 * @event: ring of the last SWD_EVENTS
 * @events: so many there were
 * @loop: libev
 * @timer_fd: wakes the loop
 * @timer_watcher: of it
 * @settle: runs before the loop waits
 * @armed_ns: what it is set to; 0: to nothing
 * @control: control.c
 * @series: series.c
 * @prometheus: prometheus.c
 * @faults: fault.c
 * @capture: capture.c
 * @wd: watchdog.c
 */
struct swd {
	struct swd_opts		opts;
	struct suo_cluster	*cluster;
	struct suo_sim_config	config;
	u8			dscp_prio[64];
	struct suo_pfcwd_law	watchdog;
	u64			watchdog_poll_ps;
	struct suo_topo		topo;
	u32			nodes;
	struct swd_node		*node;
	u32			links;
	struct swd_link		*link;
	u32			ports;
	struct swd_port		*port;
	struct swd_clock	clock;
	u64			now_ps;
	struct suo_heap		heap;
	struct swd_mac_table	*mac;
	struct swd_frame	*pool;
	size_t			pool_bytes;
	struct suo_frame	*free_frames;
	u32			frames;
	u32			frames_out;
	u8			scratch[SWD_FRAME_ROOM];
	u64			pool_empty;
	u32			mtu_bytes;
	u8			trim_dscp;
	struct swd_hooks	hooks;
	struct swd_event	event[SWD_EVENTS];
	u64			events;
	struct ev_loop		*loop;
	int			timer_fd;
	ev_io			timer_watcher;
	ev_prepare		settle;
	u64			armed_ns;
	void			*control;
	void			*series;
	void			*prometheus;
	void			*faults;
	void			*capture;
	void			*wd;
};

/* clock.c: modelled time, and what happens in it. */
u64 swd_clock_ps(struct swd *s);
int swd_clock_init(struct swd *s);
void swd_clock_free(struct swd *s);

/* Let everything happen that is due until then. */
void swd_run(struct swd *s, u64 until_ps);

void swd_timer_at(struct swd *s, struct swd_timer *timer, u64 at_ps);
void swd_timer_stop(struct swd *s, struct swd_timer *timer);

/* event.c: keep what happened in the ring; node U16_MAX: of no switch; SWD_NO_PRIO. */
void swd_event(struct swd *s, const char *what, u32 node, u32 port, u32 prio);

/* path.c: the way of frames. A pause is heard by a port of a switch. */
extern const struct suo_switch_ops swd_switch_ops;
void swd_hear(struct swd *s, u32 node, u32 port, u32 prio, u32 quanta, u64 now_ps);

/* A switch says pause, or go on, by a port. */
void swd_say_pause(struct swd *s, u32 node, u32 port, u32 prio, u32 quanta, u64 now_ps);

/* How long the port had asked to stop so far, and had been asked. */
u64 swd_pfc_tx_ps(const struct swd *s, u32 node, u32 port, u32 prio);
u64 swd_pfc_rx_ps(const struct swd *s, u32 node, u32 port, u32 prio);

/* A frame has been read from an endpoint; it is the switch's from now on. */
void swd_came_in(struct swd *s, u32 endpoint, struct swd_frame *frame, u64 now_ps);

/* clock.c has these called when they are due. */
void swd_at_switch(struct swd *s, u32 node, u32 port, struct swd_frame *frame, u64 now_ps);
void swd_at_nic(struct swd *s, u32 endpoint, struct swd_frame *frame, u64 now_ps);

/* What happens; the low 32 bits of the argument are a port or an endpoint. */
enum swd_kind {
	SWD_AT_SWITCH,
	SWD_AT_NIC,
	SWD_TIMER,
	SWD_SWITCH_TIMER,	/* SWD_SWITCH_TIMER + enum suo_switch_timer */
};

/* pool.c: frames are had from here and given back; NULL: all are in use. */
int swd_pool_init(struct swd *s, u32 frames);
void swd_pool_free(struct swd *s);
struct swd_frame *swd_frame_get(struct swd *s, bool control);
void swd_frame_put(struct swd *s, struct swd_frame *frame);

/* mac.c: who is where. */
int swd_mac_init(struct swd *s);
void swd_mac_free(struct swd *s);
void swd_mac_learn(struct swd *s, const u8 *mac, u32 endpoint);
u32 swd_mac_find(const struct swd *s, const u8 *mac);	/* SWD_FLOOD: not known */

/* port.c: attach endpoints; 0 or -errno, after a message. */
int swd_ports_init(struct swd *s);
void swd_ports_free(struct swd *s);
void swd_port_write(struct swd_port *port, struct swd_frame *frame);

/* The peer has come, or has gone; for the kinds of ports. */
void swd_port_up(struct swd_port *port, int fd, int out_fd);
void swd_port_down(struct swd_port *port);

extern const struct swd_port_ops swd_port_tap, swd_port_dgram, swd_port_stream;

/* net.c: make the network; 0 or -errno, after a message. */
int swd_net_init(struct swd *s);
void swd_net_free(struct swd *s);

/* "Error: ..." on stderr. Return: ret. */
int swd_error(int ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif /* SWD_H */
