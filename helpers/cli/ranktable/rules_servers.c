/* SPDX-License-Identifier: Apache-2.0 */
/* Versions 1.0 and 1.2: server_list[].device[]. */
#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "helpers/cli/ranktable/rules.h"

#include <stdlib.h>
#include <string.h>

#define SERVER_ID_MAX 64

static void check_ports(struct report *r, const struct where *at,
			const cJSON *device)
{
	static const char *const keys[] = {"host_port", "device_port",
					   "device_vnic_port",
					   "backup_device_port"};
	uint32_t port;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		value_number(r, at, device, keys[i], false, 1, 65535, &port);
}

static int read_device(struct view *view, struct report *r,
		       const struct where *at, const cJSON *device,
		       const struct entry *server, unsigned index)
{
	uint32_t max = chip_facts(view->chip)->max_device;
	struct entry *e = view_add(view);

	if (!e)
		return -1;
	*e = *server;
	e->at[1] = index;
	if (!cJSON_IsObject(device)) {
		report_where(r, at, CODE_KEY, "write { ... }",
			     "%s where an object is needed",
			     value_type(device));
		return 0;
	}
	e->has_rank = value_number(r, at, device, "rank_id", true, 0,
				   UINT32_MAX, &e->rank) == 0;
	e->has_device = value_number(r, at, device, "device_id", true, 0, max,
				     &e->device_id) == 0;
	e->device_ip = value_text(r, at, device, "device_ip", false);
	if (!strcmp(view->version, "1.2"))
		e->has_super_device =
			value_number(r, at, device, "super_device_id", false, 0,
				     UINT32_MAX - 1, &e->super_device_id) == 0;
	check_ports(r, at, device);
	value_text(r, at, device, "net_position", false);
	value_text(r, at, device, "net_protocol", false);
	return 0;
}

static const char *read_id(struct report *r, const struct where *at,
			   const cJSON *server)
{
	const struct where where = {.up = at, .key = "server_id"};
	const char *id = value_text(r, at, server, "server_id", true);

	if (id && !*id)
		report_where(r, &where, CODE_VALUE, "name the server",
			     "an empty text");
	if (id && strlen(id) > SERVER_ID_MAX)
		report_where(r, &where, CODE_VALUE, "choose a shorter name",
			     "%zu characters, more than %d", strlen(id),
			     SERVER_ID_MAX);
	return id;
}

static int read_server(struct view *view, struct report *r,
		       const struct where *at, const cJSON *server,
		       unsigned index)
{
	struct entry e = {.at = {index}, .server = index};
	const struct where list = {.up = at, .key = "device"};
	const cJSON *devices;
	unsigned i = 0;

	if (!cJSON_IsObject(server)) {
		report_where(r, at, CODE_KEY, "write { ... }",
			     "%s where an object is needed",
			     value_type(server));
		return 0;
	}
	e.server_id = read_id(r, at, server);
	e.host_ip = value_text(r, at, server, "host_ip", false);
	devices = value_list(r, at, server, "device");
	for (const cJSON *d = devices ? devices->child : NULL; d; d = d->next) {
		const struct where where = {.up = &list, .index = i};

		if (read_device(view, r, &where, d, &e, i++) < 0)
			return -1;
	}
	return 0;
}

static void check_count(const struct view *view, struct report *r)
{
	const struct where where = {.key = "server_count"};
	uint32_t count;

	if (value_number(r, NULL, view->root, "server_count", false, 0,
			 UINT32_MAX, &count) < 0 ||
	    count == view->nservers)
		return;
	report_where(r, &where, CODE_VALUE, "leave it out or correct it",
		     "%u, but server_list has %zu", count, view->nservers);
}

/* The entries [i, end) have one server_id; those of which elements? */
static void check_run(struct entry *const *e, size_t i, size_t end,
		      struct report *r)
{
	char shown[SHOW_SIZE], path[WHERE_TEXT_MAX];
	unsigned first = e[i]->server;

	for (size_t j = i; j < end; j++)
		if (e[j]->server < first)
			first = e[j]->server;
	for (; i < end; i++) {
		if (e[i]->server == first || e[i]->at[1] != 0)
			continue;
		snprintf(path, sizeof(path), "server_list[%u].server_id",
			 e[i]->server);
		report_path(r, path, CODE_VALUE,
			    "put all devices of a server into one entry",
			    "%s is that of server_list[%u], too",
			    show(shown, e[i]->server_id), first);
	}
}

static int check_unique(const struct view *view, struct report *r)
{
	cleanup_free struct entry **e = view_sorted(view, VIEW_BY_DEVICE);
	size_t end;

	if (!e)
		return -1;
	for (size_t i = 0; i < view->n; i = end) {
		end = i + 1;
		while (e[i]->server_id && end < view->n && e[end]->server_id &&
		       !strcmp(e[i]->server_id, e[end]->server_id))
			end++;
		if (e[i]->server_id)
			check_run(e, i, end, r);
	}
	return 0;
}

int rules_servers(struct view *view, struct report *r)
{
	const struct where list = {.key = "server_list"};
	const cJSON *servers = value_list(r, NULL, view->root, "server_list");
	unsigned i = 0;

	if (!servers)
		return 0;
	view->form = FORM_SERVERS;
	for (const cJSON *s = servers->child; s; s = s->next)
		view->nservers++;
	check_count(view, r);
	for (const cJSON *s = servers->child; s; s = s->next) {
		const struct where where = {.up = &list, .index = i};

		if (read_server(view, r, &where, s, i++) < 0)
			return -1;
	}
	return check_unique(view, r);
}
