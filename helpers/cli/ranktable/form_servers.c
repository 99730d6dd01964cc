/* SPDX-License-Identifier: Apache-2.0 */
/* Versions 1.0 and 1.2: server_list[].device[]. */
#include "core/base/parse.h"
#include "helpers/cli/ranktable/table_report.h"
#include "helpers/cli/ranktable/table_view.h"

#include <string.h>

#define SERVER_ID_MAX 64

/* Keys of a device that a row doesn't have: ports first. */
static const char *const other_keys[] = {
	"host_port",	      "device_port",  "device_vnic_port",
	"backup_device_port", "net_position", "net_protocol",
	"backup_device_ip",
};
#define NPORTS	4
#define NOTHERS (sizeof(other_keys) / sizeof(other_keys[0]))

/* One of these keys that the device has; one pass, as hardly any has one. */
static const char *find_other(const cJSON *device)
{
	for (const cJSON *item = device->child; item; item = item->next)
		for (size_t i = 0; i < NOTHERS; i++)
			if (*item->string == *other_keys[i] &&
			    !strcmp(item->string, other_keys[i]))
				return other_keys[i];
	return NULL;
}

static void read_others(struct view *view, struct report *r,
			const struct where *at, const cJSON *device,
			struct ranktable_row *row)
{
	const char *key = find_other(device), *position;
	uint32_t port;

	if (!key)
		return;
	view->lost_key = key;
	for (size_t i = 0; i < NPORTS; i++)
		value_number(r, at, device, other_keys[i], false, 1, 65535,
			     &port);
	position = value_text(r, at, device, "net_position", false);
	row->host_network = position && !strcmp(position, "host");
	value_text(r, at, device, "net_protocol", false);
}

static int read_device(struct view *view, struct report *r,
		       const struct where *at, const cJSON *device,
		       const struct entry *server)
{
	uint32_t max = chip_facts(view->chip)->max_device;
	struct entry *e = view_add(view, server);
	struct ranktable_row *row;

	if (!e)
		return -1;
	e->at[1] = at->index;
	if (!value_is_object(r, at, device))
		return 0;
	row = &e->row;
	row->rank_unknown = value_number(r, at, device, "rank_id", true, 0,
					 UINT32_MAX, &row->rank) < 0;
	row->device_unknown = value_number(r, at, device, "device_id", true, 0,
					   max, &row->device_id) < 0;
	row->device_ip = document_keep(
		&view->doc, value_text(r, at, device, "device_ip", false));
	if (!strcmp(view->version, "1.2"))
		row->has_super_device =
			value_number(r, at, device, "super_device_id", false, 0,
				     UINT32_MAX - 1,
				     &row->super_device_id) == 0;
	read_others(view, r, at, device, row);
	return 0;
}

void form_server_blanks(struct report *r, const struct where *at,
			const char *id)
{
	char shown[SHOW_SIZE];

	if (id && *id && (*id == ' ' || id[strlen(id) - 1] == ' '))
		report_where(r, at, CODE_NONE, "remove them",
			     "%s has blanks at its ends, which the library "
			     "compares at one place and not at another",
			     show(shown, id));
}

static const char *read_id(struct report *r, const struct where *at,
			   const cJSON *server)
{
	const struct where where = {.up = at, .key = "server_id"};
	const char *id = value_text(r, at, server, "server_id", true);

	if (id && !*id)
		report_where(r, &where, CODE_NONE, "name the server",
			     "an empty text");
	if (id && strlen(id) > SERVER_ID_MAX)
		report_where(r, &where, CODE_NONE, "choose a shorter name",
			     "%zu characters, more than %d", strlen(id),
			     SERVER_ID_MAX);
	form_server_blanks(r, &where, id);
	return id;
}

static int read_server(struct view *view, struct report *r,
		       const struct where *at, const cJSON *server,
		       struct names *ids)
{
	struct entry e = {
		.at = {at->index},
		.row = {.rank_unknown = true, .device_unknown = true}};
	const struct where list = {.up = at, .key = "device"};
	const cJSON *devices;
	unsigned i = 0;

	if (!value_is_object(r, at, server))
		return 0;
	e.row.server_id = document_keep(&view->doc, read_id(r, at, server));
	e.row.host_ip = document_keep(
		&view->doc, value_text(r, at, server, "host_ip", false));
	devices = value_list(r, at, server, "device");
	for (const cJSON *d = devices ? devices->child : NULL; d; d = d->next) {
		const struct where where = {.up = &list, .index = i++};

		if (read_device(view, r, &where, d, &e) < 0)
			return -1;
	}
	return names_add(ids, e.row.server_id, at->index, 0);
}

static void check_count(const struct view *view, struct report *r, unsigned n)
{
	const struct where where = {.key = "server_count"};
	uint32_t count;

	if (value_number(r, NULL, view->doc.root, where.key, false, 0,
			 UINT32_MAX, &count) == 0 &&
	    count != n)
		report_where(r, &where, CODE_VALUE,
			     "leave it out or correct it",
			     "%u, but server_list has %u", count, n);
}

int form_servers(struct view *view, struct report *r)
{
	const struct where list = {.key = "server_list"};
	struct elements servers;
	const cJSON *server;
	struct names ids = {
		.list = list.key,
		.key = "server_id",
		.remedy = "put all devices of a server into one entry",
		.says_former = true,
	};
	unsigned i = 0;
	int rc = 0;

	if (!document_list(&view->doc, r, list.key, &servers))
		return 0;
	view->form = FORM_SERVERS;
	check_count(view, r, servers.n);
	while (rc == 0 && (server = elements_next(&servers))) {
		const struct where where = {.up = &list, .index = i++};

		rc = read_server(view, r, &where, server, &ids);
	}
	names_report(&ids, r);
	return rc;
}
