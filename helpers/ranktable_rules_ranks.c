/* SPDX-License-Identifier: Apache-2.0 */
/* Version 2.0: rank_list[], for the chip 950 alone. */
#include "core/ip.h"
#include "core/parse.h"
#include "helpers/ranktable_rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX     65536
#define LOCAL_BACKUP  64 /* local_id of a spare rank */
#define LEVELS_MAX    8
#define ADDRESSES_MAX 24
#define PORTS_MAX     16

/* A text that is one of the blank-separated words. */
static void check_word(struct report *r, const struct where *at,
		       const cJSON *object, const char *key, bool needed,
		       const char *words)
{
	const struct where where = {.up = at, .key = key};
	const char *text = value_text(r, at, object, key, needed);
	char shown[SHOW_SIZE];

	if (text && !word_find(words, text, strlen(text), NULL))
		report_where(r, &where, CODE_VALUE, "", "%s is none of %s",
			     show(shown, text), words);
}

static bool is_eid(const char *text)
{
	size_t n = 0;

	while (isxdigit((unsigned char)text[n]))
		n++;
	return n == 32 && !text[n];
}

static void check_address(struct report *r, const struct where *at,
			  const cJSON *object)
{
	const struct where where = {.up = at, .key = "addr"};
	const char *type = value_text(r, at, object, "addr_type", true);
	const char *addr = value_text(r, at, object, "addr", true);
	char shown[SHOW_SIZE];
	struct ip ip = {.family = 0};
	bool fits;

	check_word(r, at, object, "addr_type", false, "EID IPV4 IPV6");
	if (!type || !addr)
		return;
	if (!strcmp(type, "EID"))
		fits = is_eid(addr);
	else
		fits = ip_parse(addr, strlen(addr), &ip) == 0 &&
		       ip.family == (strcmp(type, "IPV6") ? 4 : 6);
	if (!fits)
		report_where(r, &where, CODE_VALUE, "",
			     "%s is no address of that type (an EID has 32 hex "
			     "digits)",
			     show(shown, addr));
}

/* "die/port" */
static bool is_port(const cJSON *port)
{
	const char *p = cJSON_IsString(port) ? port->valuestring : "";
	size_t die = strspn(p, "0123456789");

	return die && p[die] == '/' && p[die + 1] &&
	       strspn(p + die + 1, "0123456789") == strlen(p + die + 1);
}

static void check_ports(struct report *r, const struct where *at,
			const cJSON *object)
{
	const struct where list = {.up = at, .key = "ports"};
	const cJSON *ports = value_list(r, at, object, "ports");
	unsigned n = 0;

	for (const cJSON *p = ports ? ports->child : NULL; p; p = p->next) {
		const struct where where = {.up = &list, .index = n++};

		if (!is_port(p))
			report_where(r, &where, CODE_VALUE,
				     "write it as \"0/1\"", "no text DIE/PORT");
	}
	if (n > PORTS_MAX)
		report_where(r, &list, CODE_VALUE, "", "%u, more than %d", n,
			     PORTS_MAX);
}

static void check_addresses(struct report *r, const struct where *at,
			    const cJSON *level)
{
	const struct where list = {.up = at, .key = "rank_addr_list"};
	const cJSON *array = value_find(level, list.key);
	unsigned n = 0;

	if (!cJSON_IsArray(array)) {
		report_where(r, &list, CODE_KEY, "write [ ... ]",
			     "%s where an array is needed",
			     array ? value_type(array) : "nothing");
		return;
	}
	for (const cJSON *a = array->child; a; a = a->next) {
		const struct where where = {.up = &list, .index = n++};

		check_address(r, &where, a);
		check_ports(r, &where, a);
		value_text(r, &where, a, "plane_id", false);
	}
	if (n > ADDRESSES_MAX)
		report_where(r, &list, CODE_VALUE, "", "%u, more than %d", n,
			     ADDRESSES_MAX);
}

/* Returns the layer, or -1. */
static int check_level(struct report *r, const struct where *at,
		       const cJSON *level)
{
	const struct where where = {.up = at, .key = "net_instance_id"};
	const char *id = value_text(r, at, level, where.key, true);
	uint32_t layer = 0;
	int ret = value_integer(r, at, level, "net_layer", true, 0, 7, &layer);

	if (id && (!*id || strlen(id) > 1024))
		report_where(r, &where, CODE_VALUE, "",
			     "%zu characters; 1 to 1024 are possible",
			     strlen(id));
	check_word(r, at, level, "net_type", true,
		   "1DMESH 2DMESH A3_SERVER A2_AX_SERVER TOPO_FILE_DESC CLOS");
	value_text(r, at, level, "net_attr", true);
	check_addresses(r, at, level);
	return ret < 0 ? -1 : (int)layer;
}

static void check_levels(struct report *r, const struct where *at,
			 const cJSON *rank)
{
	const struct where list = {.up = at, .key = "level_list"};
	const cJSON *levels = value_list(r, at, rank, "level_list");
	int former = -1;
	unsigned n = 0;

	for (const cJSON *l = levels ? levels->child : NULL; l; l = l->next) {
		const struct where where = {.up = &list, .index = n++};
		int layer = check_level(r, &where, l);

		if (layer >= 0 && layer <= former)
			report_where(r, &where, CODE_VALUE,
				     "list the layers in rising order",
				     "net_layer %d behind %d", layer, former);
		if (layer > former)
			former = layer;
	}
	if (n > LEVELS_MAX)
		report_where(r, &list, CODE_VALUE, "", "%u, more than %d", n,
			     LEVELS_MAX);
}

/* What stands for the server in this form: where the first layer ends. */
static const char *first_instance(const cJSON *rank)
{
	const cJSON *levels = value_find(rank, "level_list"), *id;

	id = value_find(levels ? levels->child : NULL, "net_instance_id");
	return cJSON_IsString(id) ? id->valuestring : NULL;
}

static int read_rank(struct view *view, struct report *r,
		     const struct where *at, const cJSON *rank, bool *ret_spare)
{
	struct entry *e = view_add(view);
	uint32_t local = 0, number;

	if (!e)
		return -1;
	e->at[0] = at->index;
	e->has_rank = value_integer(r, at, rank, "rank_id", true, 0,
				    RANKS_MAX - 1, &e->rank) == 0;
	e->has_device = value_integer(r, at, rank, "device_id", true, 0, 64,
				      &e->device_id) == 0;
	value_integer(r, at, rank, "local_id", true, 0, LOCAL_BACKUP, &local);
	if (local == LOCAL_BACKUP) {
		value_integer(r, at, rank, "replaced_local_id", true, 0,
			      LOCAL_BACKUP - 1, &number);
		if (*ret_spare)
			report_where(r, at, CODE_VALUE, "",
				     "a second spare rank (local_id 64)");
		*ret_spare = true;
	}
	value_integer(r, at, rank, "device_port", false, 1, 65535, &number);
	value_integer(r, at, rank, "host_port", false, 1, 65535, &number);
	check_levels(r, at, rank);
	e->server_id = first_instance(rank);
	return 0;
}

int rules_ranks(struct view *view, struct report *r)
{
	const struct where list = {.key = "rank_list"};
	const cJSON *array = value_list(r, NULL, view->root, "rank_list");
	bool spare = false;
	uint32_t count;
	unsigned n = 0;

	view->form = FORM_RANKS;
	check_word(r, NULL, view->root, "detour", false, "true false");
	for (const cJSON *e = array ? array->child : NULL; e; e = e->next) {
		const struct where where = {.up = &list, .index = n++};

		if (read_rank(view, r, &where, e, &spare) < 0)
			return -1;
	}
	if (value_integer(r, NULL, view->root, "rank_count", true, 1, RANKS_MAX,
			  &count) == 0 &&
	    array && count != n)
		report_path(r, "rank_count", CODE_VALUE, "correct it",
			    "%u, but rank_list has %u", count, n);
	return 0;
}
