// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the control protocol asks of faults. */
#include <inttypes.h>
#include <string.h>

#include "userspace/switch/fault_script.h"

static json_t *refuse(const char *why)
{
	json_t *answer = json_pack("{s:s}", "error", why);
	char plain[SWD_FAULT_WHY];

	if (answer)
		return answer;
	/* JSON is UTF-8, and a reason may have been cut off in the middle of a letter. */
	snprintf(plain, sizeof(plain), "%s", why);
	for (char *c = plain; *c; c++)
		if (*c & 0x80)
			*c = '?';
	return json_pack("{s:s}", "error", plain);
}

/* {"link": "a:b", "loss": "0.1%"} as a line. Return: false with a reason. */
static bool to_line(const json_t *object, char *line, size_t size, char *why)
{
	const char *key;
	json_t *value;
	size_t len = 0;

	*line = '\0';
	json_object_foreach((json_t *)object, key, value) {
		const char *text = json_string_value(value);
		char number[32];

		if (json_is_integer(value)) {
			snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
				 json_integer_value(value));
			text = number;
		} else if (json_is_true(value)) {
			text = "yes";
		}
		if (!text || strpbrk(text, " \t\r\n")) {
			snprintf(why, SWD_FAULT_WHY, "%.64s: the value is no word, no number and not true",
				 key);
			return false;
		}
		len += snprintf(line + len, size - len, "%s%s=%s", len ? " " : "", key,
				text);
		if (len >= size) {
			snprintf(why, SWD_FAULT_WHY, "a fault has at most %u characters",
				 SWD_FAULT_TEXT - 1);
			return false;
		}
	}
	return true;
}

/* Its times count from now on. */
static json_t *add(struct swd_faults *faults, const json_t *what, u64 now_ps)
{
	char line[SWD_FAULT_TEXT], why[SWD_FAULT_WHY];
	const char *text = json_string_value(what);
	int id;

	if (json_is_object(what)) {
		if (!to_line(what, line, sizeof(line), why))
			return refuse(why);
		text = line;
	}
	if (!text)
		return refuse("add: an object or a line is expected");
	id = swd_fault_add_line(faults, text, now_ps, why);
	return id < 0 ? refuse(why) : json_pack("{s:i}", "id", id);
}

static json_t *take_out(struct swd_faults *faults, const json_t *id)
{
	char why[SWD_FAULT_WHY];

	if (!json_is_integer(id))
		return refuse("remove: the number of a fault is expected");
	if (json_integer_value(id) < 1 || json_integer_value(id) > UINT32_MAX ||
	    swd_faults_remove(faults, json_integer_value(id))) {
		snprintf(why, sizeof(why), "there is no fault %" JSON_INTEGER_FORMAT,
			 json_integer_value(id));
		return refuse(why);
	}
	return json_pack("{s:I}", "id", json_integer_value(id));
}

static json_t *list(const struct swd_faults *faults, u64 now_ps)
{
	json_t *array = json_array();

	for (u32 i = 0; i < faults->links; i++)
		for (const struct swd_fault *f = faults->of[i]; f; f = f->next)
			json_array_append_new(array, json_pack(
				"{s:I, s:s, s:s, s:s, s:I}", "id", (json_int_t)f->id,
				"link", faults->ends[i].name,
				"state", now_ps < f->from_ps ? "to come" :
					 now_ps < f->to_ps ? "on" : "over",
				"fault", f->text, "hits", (json_int_t)f->hits));
	return json_pack("{s:o}", "faults", array);
}

json_t *swd_faults_request(struct swd_faults *faults, const json_t *request, u64 now_ps)
{
	const json_t *what = json_object_get(request, "add");
	const json_t *id = json_object_get(request, "remove");

	if (what && id)
		return refuse("add and remove at once");
	if (what)
		return add(faults, what, now_ps);
	return id ? take_out(faults, id) : list(faults, now_ps);
}
