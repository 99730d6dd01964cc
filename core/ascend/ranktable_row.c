/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/ranktable_row.h"

#include "core/base/parse.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum field {
	RANK,
	DEVICE,
	CHIP,
	NODE,
	SERVER,
	HOST_IP,
	DEVICE_IP,
	SUPER_DEVICE,
	SUPER_POD,
	NFIELDS,
};

/* `max` of a text; the others are numbers or words of their own. */
static const struct field_facts {
	const char *name;
	size_t name_len;
	bool needed;
	size_t max, offset;
} fields[NFIELDS] = {
	[RANK] = {"rank", 4, true, 0, 0},
	[DEVICE] = {"device", 6, true, 0, 0},
	[CHIP] = {"chip", 4, false, 0, 0},
	[NODE] = {"node", 4, true, 255, offsetof(struct ranktable_row, node)},
	[SERVER] = {"server", 6, true, 64,
		    offsetof(struct ranktable_row, server_id)},
	[HOST_IP] = {"host_ip", 7, false, 64,
		     offsetof(struct ranktable_row, host_ip)},
	[DEVICE_IP] = {"device_ip", 9, false, 767,
		       offsetof(struct ranktable_row, device_ip)},
	[SUPER_DEVICE] = {"super_device", 12, false, 0, 0},
	[SUPER_POD] = {"super_pod", 9, false, 127,
		       offsetof(struct ranktable_row, super_pod_id)},
};

static const char *text_of(const struct ranktable_row *row, int field)
{
	const char *text;

	memcpy(&text, (const char *)row + fields[field].offset, sizeof(text));
	return text;
}

static bool is_plain(const char *text, size_t max)
{
	size_t n = 0;

	for (; text[n]; n++)
		if (n >= max || text[n] <= ' ' || text[n] > '~' ||
		    text[n] == '"' || text[n] == '\\')
			return false;
	return n > 0;
}

static int bad_text(int field, const char *text, struct err *err)
{
	char shown[SHOW_SIZE];

	return err_printf(
		err,
		"%s %s of a rank table's row must have 1 to %zu printable "
		"characters without blanks, quotes and backslashes",
		fields[field].name, show(shown, text), fields[field].max);
}

int ranktable_row_check(const struct ranktable_row *row, struct err *err)
{
	for (int i = 0; i < NFIELDS; i++) {
		const char *text = fields[i].max ? text_of(row, i) : NULL;

		if (text && !is_plain(text, fields[i].max))
			return bad_text(i, text, err);
		if (!text && fields[i].max && fields[i].needed)
			return bad_text(i, "", err);
	}
	if (row->rank >= RANKTABLE_RANKS_MAX)
		return err_printf(err,
				  "rank %u: a rank table has at most %d ranks",
				  row->rank, RANKTABLE_RANKS_MAX);
	if (row->device_id > 65535 || (unsigned)row->chip >= CHIP_COUNT)
		return err_printf(err,
				  "node %s, device %u of chip %u: no such "
				  "device is possible",
				  row->node, row->device_id, row->chip);
	return 0;
}

/* Add " NAME=VALUE"; what no longer fits only counts. */
static void append(char *buf, unsigned size, unsigned *used, int field,
		   const char *value)
{
	bool fits = *used < size;
	int n = snprintf(fits ? buf + *used : NULL, fits ? size - *used : 0,
			 "%s%s=%s", *used ? " " : "", fields[field].name,
			 value);

	*used += (unsigned)n;
}

static void append_number(char *buf, unsigned size, unsigned *used, int field,
			  unsigned value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	append(buf, size, used, field, text);
}

int ranktable_row_format(const struct ranktable_row *row, char *buf,
			 unsigned size, struct err *err)
{
	unsigned used = 0;

	if (ranktable_row_check(row, err) < 0)
		return -1;
	append_number(buf, size, &used, RANK, row->rank);
	append_number(buf, size, &used, DEVICE, row->device_id);
	if (row->chip != CHIP_UNKNOWN)
		append(buf, size, &used, CHIP, chip_facts(row->chip)->name);
	if (row->has_super_device)
		append_number(buf, size, &used, SUPER_DEVICE,
			      row->super_device_id);
	for (int i = 0; i < NFIELDS; i++)
		if (fields[i].max && text_of(row, i))
			append(buf, size, &used, i, text_of(row, i));
	if (used >= size)
		return err_printf(err,
				  "node %s, device %u: a line of %u "
				  "bytes where %u are possible",
				  row->node, row->device_id, used, size - 1);
	return 0;
}

/* Cut "NAME=VALUE" off the line into value[]. */
static int cut_field(char **line, const char *value[], struct err *err)
{
	char *word = *line, *equals = word, *end, shown[SHOW_SIZE];

	while (*equals && *equals != '=' && *equals != ' ')
		equals++;
	end = equals;
	while (*end && *end != ' ')
		end++;
	*line = *end ? end + 1 : NULL;
	*end = '\0';
	for (int i = 0; *equals && i < NFIELDS; i++) {
		if (fields[i].name_len != (size_t)(equals - word) ||
		    memcmp(word, fields[i].name, fields[i].name_len) != 0)
			continue;
		if (value[i])
			return err_printf(err, "rank table's row: %s twice",
					  fields[i].name);
		value[i] = equals + 1;
		return 0;
	}
	return err_printf(err, "rank table's row: unknown field %s",
			  show(shown, word));
}

static int parse_field(const char *const value[], int field, long max,
		       long *ret, struct err *err)
{
	char shown[SHOW_SIZE];

	if (!value[field] || parse_number(value[field], 0, max, ret) == 0)
		return 0;
	return err_printf(err,
			  "rank table's row: %s %s is not a number up to %ld",
			  fields[field].name, show(shown, value[field]), max);
}

static int fill_row(const char *const value[], struct ranktable_row *ret,
		    struct err *err)
{
	long rank = 0, device = 0, super_device = 0;
	char shown[SHOW_SIZE];

	if (parse_field(value, RANK, RANKTABLE_RANKS_MAX - 1, &rank, err) < 0 ||
	    parse_field(value, DEVICE, 65535, &device, err) < 0 ||
	    parse_field(value, SUPER_DEVICE, UINT32_MAX, &super_device, err) <
		    0)
		return -1;
	if (value[CHIP] && chip_parse(value[CHIP], &ret->chip) < 0)
		return err_printf(err,
				  "rank table's row: chip %s is not one of %s",
				  show(shown, value[CHIP]), CHIP_NAMES);
	ret->rank = (unsigned)rank;
	ret->device_id = (unsigned)device;
	ret->has_super_device = value[SUPER_DEVICE] != NULL;
	ret->super_device_id = (uint32_t)super_device;
	ret->node = value[NODE];
	ret->server_id = value[SERVER];
	ret->host_ip = value[HOST_IP];
	ret->device_ip = value[DEVICE_IP];
	ret->super_pod_id = value[SUPER_POD];
	return 0;
}

int ranktable_row_parse(char *line, struct ranktable_row *ret, struct err *err)
{
	const char *value[NFIELDS] = {NULL};
	struct ranktable_row row = {.chip = CHIP_UNKNOWN};

	while (line)
		if (cut_field(&line, value, err) < 0)
			return -1;
	for (int i = 0; i < NFIELDS; i++)
		if (fields[i].needed && !value[i])
			return err_printf(err, "rank table's row without %s",
					  fields[i].name);
	if (fill_row(value, &row, err) < 0 ||
	    ranktable_row_check(&row, err) < 0)
		return -1;
	*ret = row;
	return 0;
}
