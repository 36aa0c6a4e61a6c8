// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/cluster/units.h"
#include "model/core/link.h"
#include "userspace/switch/fault_script.h"

#define DAY_PS		(86400ull * 1000000000000ull)
#define LINE_ROOM	4096

enum key {
	KEY_LINK, KEY_DIR, KEY_PRIO, KEY_FROM, KEY_TO, KEY_SEED,
	/* What happens: one of these */
	KEY_LOSS, KEY_LOSS_EVERY, KEY_CORRUPT, KEY_REORDER, KEY_DUPLICATE, KEY_DELAY,
	KEY_FLAP, KEY_DEAD, KEY_SLOW, KEY_PAUSE, KEY_STORM,
	/* And how */
	KEY_BURST, KEY_BY, KEY_JITTER, KEY_DOWN, KEY_PERIOD,
	KEYS,
};

#define FIRST_KIND	KEY_LOSS
#define LAST_KIND	KEY_STORM
#define NO_KEY		KEYS

/* A key: @of: the kind that it belongs to, if not to all; @need: that kind needs it. */
static const struct {
	const char	*name;
	enum key	of;
	bool		need;
} keys[KEYS] = {
	[KEY_LINK]	 = { "link", NO_KEY, true },
	[KEY_DIR]	 = { "dir", NO_KEY, false },
	[KEY_PRIO]	 = { "prio", NO_KEY, false },
	[KEY_FROM]	 = { "from", NO_KEY, false },
	[KEY_TO]	 = { "to", NO_KEY, false },
	[KEY_SEED]	 = { "seed", NO_KEY, false },
	[KEY_LOSS]	 = { "loss", NO_KEY, false },
	[KEY_LOSS_EVERY] = { "loss_every", NO_KEY, false },
	[KEY_CORRUPT]	 = { "corrupt", NO_KEY, false },
	[KEY_REORDER]	 = { "reorder", NO_KEY, false },
	[KEY_DUPLICATE]	 = { "duplicate", NO_KEY, false },
	[KEY_DELAY]	 = { "delay", NO_KEY, false },
	[KEY_FLAP]	 = { "flap", NO_KEY, false },
	[KEY_DEAD]	 = { "dead", NO_KEY, false },
	[KEY_SLOW]	 = { "slow", NO_KEY, false },
	[KEY_PAUSE]	 = { "pause", NO_KEY, false },
	[KEY_STORM]	 = { "storm", NO_KEY, false },
	[KEY_BURST]	 = { "burst", KEY_LOSS, false },
	[KEY_BY]	 = { "by", KEY_REORDER, true },
	[KEY_JITTER]	 = { "jitter", KEY_DELAY, false },
	[KEY_DOWN]	 = { "down", KEY_FLAP, true },
	[KEY_PERIOD]	 = { "period", KEY_PAUSE, true },
};

/* What a key wants; those that are not here are words. */
static const struct suo_quantity quantity[KEYS] = {
	[KEY_FROM]	 = { SUO_TIME, NULL, 0, DAY_PS },
	[KEY_TO]	 = { SUO_TIME, NULL, 1, DAY_PS },
	[KEY_SEED]	 = { SUO_NUMBER, NULL, 1, 999999999999999999ull },
	[KEY_LOSS]	 = { SUO_SHARE, NULL, 1, SWD_FAULT_ONE },
	[KEY_LOSS_EVERY] = { SUO_NUMBER, NULL, 1, 1000000000 },
	[KEY_CORRUPT]	 = { SUO_SHARE, NULL, 1, SWD_FAULT_ONE },
	[KEY_REORDER]	 = { SUO_SHARE, NULL, 1, SWD_FAULT_ONE },
	[KEY_DUPLICATE]	 = { SUO_SHARE, NULL, 1, SWD_FAULT_ONE },
	[KEY_DELAY]	 = { SUO_TIME, NULL, 0, DAY_PS },
	[KEY_FLAP]	 = { SUO_TIME, NULL, 2, DAY_PS },
	[KEY_SLOW]	 = { SUO_RATE, "Gb/s", 1, SUO_LINK_MAX_RATE_MBPS },
	[KEY_PAUSE]	 = { SUO_SHARE, NULL, 1, SWD_FAULT_ONE - 1 },
	[KEY_BURST]	 = { SUO_NUMBER, NULL, 1, SWD_FAULT_MAX_BURST },
	[KEY_BY]	 = { SUO_TIME, NULL, 1, DAY_PS },
	[KEY_JITTER]	 = { SUO_TIME, NULL, 1, DAY_PS },
	[KEY_DOWN]	 = { SUO_TIME, NULL, 1, DAY_PS },
	[KEY_PERIOD]	 = { SUO_TIME, NULL, 2, DAY_PS },
};

/* A fault while it is read. */
struct reading {
	const char	*word[KEYS];
	u64		value[KEYS];
	enum key	kind;
	char		*why;
};

static int fault(struct reading *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int fault(struct reading *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->why, SWD_FAULT_WHY, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static enum key find_key(const char *name, size_t len)
{
	for (enum key k = 0; k < KEYS; k++)
		if (strlen(keys[k].name) == len && !memcmp(keys[k].name, name, len))
			return k;
	return KEYS;
}

/* Cut a line into words, in place. */
static int split(struct reading *r, char *line)
{
	char *save = NULL;

	for (char *word = strtok_r(line, " \t\r\n", &save); word;
	     word = strtok_r(NULL, " \t\r\n", &save)) {
		char *equal = strchr(word, '=');
		enum key k = find_key(word, equal ? (size_t)(equal - word) : strlen(word));

		if (k == KEYS)
			return fault(r, "'%s': no such key; see suo-fault(1)", word);
		if (r->word[k])
			return fault(r, "'%s' is there twice", keys[k].name);
		/* Those that are a yes already */
		if (!equal && (k == KEY_DEAD || k == KEY_STORM))
			r->word[k] = "yes";
		else if (equal && equal[1])
			r->word[k] = equal + 1;
		else
			return fault(r, "'%s' needs a value: %s=VALUE", keys[k].name,
				     keys[k].name);
	}
	return 0;
}

static int find_kind(struct reading *r)
{
	r->kind = NO_KEY;
	for (enum key k = FIRST_KIND; k <= LAST_KIND; k++) {
		if (!r->word[k])
			continue;
		if (r->kind != NO_KEY)
			return fault(r, "'%s' and '%s' are two faults: add them one by one",
				     keys[r->kind].name, keys[k].name);
		r->kind = k;
	}
	if (r->kind == NO_KEY)
		return fault(r, "nothing goes wrong: one of loss, loss_every, corrupt, reorder, duplicate, delay, flap, dead, slow, pause and storm is needed");
	return 0;
}

static int check_keys(struct reading *r)
{
	for (enum key k = 0; k < KEYS; k++) {
		bool mine = keys[k].of == NO_KEY || keys[k].of == r->kind;

		if (r->word[k] && !mine)
			return fault(r, "'%s' belongs to '%s', not to '%s'", keys[k].name,
				     keys[keys[k].of].name, keys[r->kind].name);
		if (!r->word[k] && mine && keys[k].need)
			return fault(r, keys[k].of == NO_KEY ? "'%s' is missing" :
				     "'%s' is missing, which '%s' needs", keys[k].name,
				     keys[r->kind].name);
	}
	return 0;
}

static int read_values(struct reading *r)
{
	char why[SWD_FAULT_WHY - 32];

	for (enum key k = 0; k < KEYS; k++) {
		if (!r->word[k])
			continue;
		if (k == KEY_DEAD || k == KEY_STORM) {
			if (strcmp(r->word[k], "yes"))
				return fault(r, "%s: '%s' is not yes", keys[k].name,
					     r->word[k]);
		} else if (quantity[k].max &&
			   suo_quantity_parse(r->word[k], &quantity[k], &r->value[k], why,
					      sizeof(why))) {
			return fault(r, "%s: %s", keys[k].name, why);
		}
	}
	return 0;
}

/* Bits of "3,4". */
static int read_prios(struct reading *r, u32 *prios)
{
	const char *at = r->word[KEY_PRIO];

	*prios = at ? 0 : 0xff;
	while (at) {
		if (*at < '0' || *at > '7' || (at[1] && at[1] != ','))
			return fault(r, "prio: '%s' is no list of priorities, such as 3,4",
				     r->word[KEY_PRIO]);
		*prios |= 1u << (*at - '0');
		at = at[1] ? at + 2 : NULL;
	}
	if (!r->word[KEY_PRIO] && (r->kind == KEY_PAUSE || r->kind == KEY_STORM))
		return fault(r, "'prio' is missing: a pause is one of priorities");
	return 0;
}

/* Is a link, or an end of it, so called? *flip: from b to a. */
static bool is_called(const struct swd_fault_ends *ends, const char *name, bool *flip)
{
	const char *a[] = { ends->a_node, ends->a_port };
	const char *b[] = { ends->b_node, ends->b_port };

	*flip = false;
	if (!strcmp(name, ends->name) || !strcmp(name, ends->a_port))
		return true;
	*flip = true;
	if (!strcmp(name, ends->b_port))
		return true;
	for (int i = 0; i < 4; i++) {
		const char *from = a[i / 2], *to = b[i % 2];
		size_t from_len = strlen(from), to_len = strlen(to);

		if (strlen(name) != from_len + 1 + to_len)
			continue;
		*flip = false;
		if (!memcmp(name, from, from_len) && name[from_len] == ':' &&
		    !strcmp(name + from_len + 1, to))
			return true;
		*flip = true;
		if (!memcmp(name, to, to_len) && name[to_len] == ':' &&
		    !strcmp(name + to_len + 1, from))
			return true;
	}
	return false;
}

static int find_link(struct reading *r, const struct swd_fault_ends *ends, u32 links,
		     struct swd_fault *out, bool *flip)
{
	const char *name = r->word[KEY_LINK];
	bool this_flip;
	u32 n = 0;

	*flip = false;
	for (u32 i = 0; ends && i < links; i++) {
		if (!is_called(&ends[i], name, &this_flip))
			continue;
		if (n++)
			return fault(r, "link: more than one is '%s': say which port, such as '%s' or '%s'",
				     name, ends[out->link].a_port, ends[i].a_port);
		out->link = i;
		*flip = this_flip;
	}
	if (ends && !n)
		return fault(r, "link: there is none between '%s'; links are named such as '%s', '%s:%s' or '%s'",
			     name, ends[0].b_port, ends[0].a_node, ends[0].b_node,
			     ends[0].name);
	return 0;
}

/* A link that is named from b to a is met from there. */
static int read_dirs(struct reading *r, bool flip, u32 *dirs)
{
	const char *word = r->word[KEY_DIR];

	if (!word)
		word = r->kind == KEY_PAUSE || r->kind == KEY_STORM ? "to" : "both";
	if (!strcmp(word, "both"))
		*dirs = 1 << SWD_DIR_AB | 1 << SWD_DIR_BA;
	else if (!strcmp(word, "to"))
		*dirs = 1 << (flip ? SWD_DIR_BA : SWD_DIR_AB);
	else if (!strcmp(word, "back"))
		*dirs = 1 << (flip ? SWD_DIR_AB : SWD_DIR_BA);
	else
		return fault(r, "dir: '%s' is none of to, back, both", word);
	return 0;
}

static int fill_in(struct reading *r, struct swd_fault *out)
{
	static const u32 kind_of[KEYS] = {
		[KEY_LOSS] = SWD_FAULT_LOSS, [KEY_LOSS_EVERY] = SWD_FAULT_LOSS_EVERY,
		[KEY_CORRUPT] = SWD_FAULT_CORRUPT, [KEY_REORDER] = SWD_FAULT_REORDER,
		[KEY_DUPLICATE] = SWD_FAULT_DUPLICATE, [KEY_DELAY] = SWD_FAULT_DELAY,
		[KEY_FLAP] = SWD_FAULT_FLAP, [KEY_DEAD] = SWD_FAULT_DEAD,
		[KEY_SLOW] = SWD_FAULT_SLOW, [KEY_PAUSE] = SWD_FAULT_PAUSE,
		[KEY_STORM] = SWD_FAULT_STORM,
	};

	out->kind = kind_of[r->kind];
	out->from_ps = r->value[KEY_FROM];
	out->to_ps = r->word[KEY_TO] ? r->value[KEY_TO] : U64_MAX;
	out->seed = r->value[KEY_SEED];
	out->share = r->value[r->kind];
	out->every = r->value[KEY_LOSS_EVERY];
	out->burst = r->word[KEY_BURST] ? r->value[KEY_BURST] : 1;
	out->by_ps = r->value[r->kind == KEY_DELAY ? KEY_DELAY : KEY_BY];
	out->jitter_ps = r->value[KEY_JITTER];
	out->period_ps = r->value[r->kind == KEY_FLAP ? KEY_FLAP : KEY_PERIOD];
	out->down_ps = r->value[KEY_DOWN];
	out->rate_mbps = r->value[KEY_SLOW];
	if (out->to_ps <= out->from_ps)
		return fault(r, "'to' is not after 'from'");
	if (r->kind == KEY_FLAP && out->down_ps >= out->period_ps)
		return fault(r, "'down' is not less than the period 'flap': use dead");
	if (r->kind == KEY_LOSS && out->burst > 1 &&
	    out->share * 2 > SWD_FAULT_ONE)
		return fault(r, "loss: more than a half does not come in bursts");
	return 0;
}

int swd_fault_parse(const char *text, const struct swd_fault_ends *ends, u32 links,
		    struct swd_fault *out, char *why)
{
	struct reading r = { .why = why };
	char line[SWD_FAULT_TEXT];
	bool flip = false;
	int ret;

	*out = (struct swd_fault){ 0 };
	text += strspn(text, " \t");
	if (snprintf(line, sizeof(line), "%s", text) >= (int)sizeof(line))
		return fault(&r, "a fault has at most %u characters", SWD_FAULT_TEXT - 1);
	line[strcspn(line, "\r\n")] = '\0';
	strcpy(out->text, line);
	ret = split(&r, line);
	if (!ret)
		ret = find_kind(&r);
	if (!ret)
		ret = check_keys(&r);
	if (!ret)
		ret = read_values(&r);
	if (!ret)
		ret = read_prios(&r, &out->prios);
	if (!ret)
		ret = find_link(&r, ends, links, out, &flip);
	if (!ret)
		ret = read_dirs(&r, flip, &out->dirs);
	return ret ? ret : fill_in(&r, out);
}

int swd_fault_add_line(struct swd_faults *faults, const char *text, u64 start_ps,
		       char *why)
{
	struct swd_fault one;
	int ret = swd_fault_parse(text, faults->ends, faults->links, &one, why);

	if (ret)
		return ret;
	one.from_ps = suo_add_sat(one.from_ps, start_ps);
	one.to_ps = suo_add_sat(one.to_ps, start_ps);
	ret = swd_faults_add(faults, &one);
	if (ret == -ENOSPC)
		snprintf(why, SWD_FAULT_WHY, "there are %u faults already", faults->n);
	else if (ret < 0)
		snprintf(why, SWD_FAULT_WHY, "not enough memory");
	return ret;
}

int swd_fault_script(struct swd_faults *faults, FILE *file, const char *name,
		     FILE *errors)
{
	char line[LINE_ROOM], why[SWD_FAULT_WHY];
	unsigned int number = 0;
	int ret = 0;

	while (fgets(line, sizeof(line), file)) {
		number++;
		if (!strchr(line, '\n') && !feof(file)) {
			fprintf(errors, "%s:%u: the line is too long\n", name, number);
			return -EINVAL;
		}
		line[strcspn(line, "#\r\n")] = '\0';
		if (!line[strspn(line, " \t")])
			continue;
		if (swd_fault_add_line(faults, line, 0, why) < 0) {
			fprintf(errors, "%s:%u: %s\n", name, number, why);
			ret = -EINVAL;
		}
	}
	if (ferror(file)) {
		fprintf(errors, "%s: %s\n", name, strerror(errno));
		return -EIO;
	}
	return ret;
}
