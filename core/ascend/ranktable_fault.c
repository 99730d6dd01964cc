/* SPDX-License-Identifier: Apache-2.0 */
/* The message of a fault, from a format with names in braces. */
#include "core/ascend/ranktable_rules.h"
#include "core/base/ip.h"
#include "core/base/parse.h"

#include <stdio.h>
#include <string.h>

struct message {
	const struct ranktable_rules *rules;
	const struct ranktable_fault *fault;
	const struct ranktable_places *places;
	char *buf;
	size_t size, used;
};

static void append_text(struct message *m, const char *text, size_t len)
{
	size_t room = m->size - m->used - 1;

	len = len < room ? len : room;
	memcpy(m->buf + m->used, text, len);
	m->used += len;
	m->buf[m->used] = '\0';
}

/* 1, 2 and 5 */
static const char *list_devices(char *buf, size_t size, uint64_t devices)
{
	size_t used = 0;

	*buf = '\0';
	for (unsigned i = 0; devices && used < size; i++, devices >>= 1) {
		const char *before = devices == 1 ? " and " : ", ";

		if (devices & 1)
			used += (size_t)snprintf(buf + used, size - used,
						 "%s%u", used ? before : "", i);
	}
	return buf;
}

static const char *show_piece(char shown[SHOW_SIZE], const char *text,
			      size_t len)
{
	char copy[IP_TEXT_MAX + 20] = "";

	if (text)
		memcpy(copy, text, len < sizeof(copy) ? len : sizeof(copy) - 1);
	return show(shown, copy);
}

/* The value of a field: `text`, or `number` where that is NULL. */
struct field {
	const char *name, *text;
	size_t number;
	bool is_foreign; /* a file's text */
};

static void append_value(struct message *m, const struct field *field)
{
	bool quote = field->is_foreign && m->rules->form != FORM_STEP;
	char shown[SHOW_SIZE], number[24];
	const char *text = number;

	snprintf(number, sizeof(number), "%zu", field->number);
	if (field->text)
		text = quote ? show(shown, field->text) : field->text;
	append_text(m, text, strlen(text));
}

static void append_field(struct message *m, const char *name, size_t len)
{
	const struct ranktable_fault *f = m->fault;
	bool other = len > 6 && !memcmp(name, "other ", 6);
	size_t skip = other ? 6 : 0;
	const struct ranktable_row *row = other ? f->other : f->row;
	char shown[SHOW_SIZE], devices[256];
	const struct field fields[] = {
		{"place", other ? m->places->other : m->places->row, 0, false},
		{"node", row->node, 0, false},
		{"rank", NULL, row->rank, false},
		{"device", NULL, row->device_id, false},
		{"chip", chip_facts(row->chip)->name, 0, false},
		{"server", row->server_id, 0, true},
		{"host", row->host_ip ? row->host_ip : "(none)", 0, true},
		{"address", row->device_ip, 0, true},
		{"pod", row->super_pod_id, 0, true},
		{"super_device", NULL, row->super_device_id, false},
		{"count", NULL, other ? f->other_count : f->count, false},
		{"n", NULL, m->rules->n, false},
		{"last", NULL, m->rules->n - 1, false},
		{"servers", NULL, m->rules->nservers, false},
		{"table chip", chip_facts(m->rules->chip)->name, 0, false},
		{"devices", list_devices(devices, sizeof(devices), f->devices),
		 0, false},
		{"text", show_piece(shown, f->text, f->text_len), 0, false},
		{"why", f->why, 0, false},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strlen(fields[i].name) == len - skip &&
		    !memcmp(fields[i].name, name + skip, len - skip)) {
			append_value(m, &fields[i]);
			return;
		}
	append_text(m, name - 1, len + 2); /* no field: as it stands */
}

const char *ranktable_fault_text(const struct ranktable_rules *rules,
				 const struct ranktable_fault *fault,
				 const char *format,
				 const struct ranktable_places *places,
				 char *buf, size_t size)
{
	struct message m = {.rules = rules,
			    .fault = fault,
			    .places = places,
			    .buf = buf,
			    .size = size};
	const char *open, *end;

	*buf = '\0';
	while ((open = strchr(format, '{')) && (end = strchr(open, '}'))) {
		append_text(&m, format, (size_t)(open - format));
		append_field(&m, open + 1, (size_t)(end - open) - 1);
		format = end + 1;
	}
	append_text(&m, format, strlen(format));
	return buf;
}
