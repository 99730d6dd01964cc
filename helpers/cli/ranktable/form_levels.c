/* SPDX-License-Identifier: Apache-2.0 */
/* Version 2.0: level_list[].rank_addr_list[] of a rank. */
#include "core/base/array.h"
#include "core/base/ip.h"
#include "core/base/parse.h"
#include "helpers/cli/ranktable/table_view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_MAX    8
#define ADDRESSES_MAX 24
#define BACKUPS_MAX   16
#define PORTS_MAX     16
#define INSTANCE_MAX  1024

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

	value_word(r, at, object, "addr_type", false, "EID IPV4 IPV6");
	if (!type || !addr)
		return;
	if (!strcmp(type, "EID"))
		fits = is_eid(addr);
	else
		fits = ip_parse(addr, strlen(addr), &ip) == 0 &&
		       ip.family == (strcmp(type, "IPV6") ? 4 : 6);
	if (!fits)
		report_where(
			r, &where, *addr ? CODE_NONE : CODE_VALUE, "",
			"%s is not an address of that type (an EID has 32 hex "
			"digits)",
			show(shown, addr));
}

/* "die/port", or the host's network card */
static bool is_port(const cJSON *port)
{
	const char *p = cJSON_IsString(port) ? port->valuestring : "";
	size_t die = strspn(p, "0123456789");

	if (!strcmp(p, "d2h"))
		return true;
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
			report_where(r, &where, CODE_NONE,
				     "write it as \"0/1\"",
				     "neither a text DIE/PORT nor \"d2h\"");
	}
	if (n > PORTS_MAX)
		report_where(r, &list, CODE_NONE, "", "%u, more than %d", n,
			     PORTS_MAX);
}

static void check_backups(struct report *r, const struct where *at,
			  const cJSON *object)
{
	const struct where list = {.up = at, .key = "backup_addr"};
	const cJSON *array = value_find(object, list.key);
	int n = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0;

	if (array && !cJSON_IsArray(array))
		report_where(r, &list, CODE_NONE, "write [ ... ]",
			     "%s where an array is needed", value_type(array));
	if (n > BACKUPS_MAX)
		report_where(r, &list, CODE_NONE, "", "%d, more than %d", n,
			     BACKUPS_MAX);
}

/* Returns how many. */
static unsigned check_addresses(struct report *r, const struct where *at,
				const cJSON *level)
{
	const struct where list = {.up = at, .key = "rank_addr_list"};
	const cJSON *array = value_find(level, list.key);
	unsigned n = 0;

	if (!cJSON_IsArray(array)) {
		report_where(r, &list, array ? CODE_VALUE : CODE_KEY,
			     "write [ ... ]", "%s where an array is needed",
			     array ? value_type(array) : "nothing");
		return 0;
	}
	for (const cJSON *a = array->child; a; a = a->next) {
		const struct where where = {.up = &list, .index = n++};

		check_address(r, &where, a);
		check_ports(r, &where, a);
		check_backups(r, &where, a);
		value_text(r, &where, a, "plane_id", false);
	}
	if (n > ADDRESSES_MAX)
		report_where(r, &list, CODE_NONE, "", "%u, more than %d", n,
			     ADDRESSES_MAX);
	return n;
}

static int remember(struct layers *layers, uint32_t number, const char *id,
		    unsigned naddresses, unsigned rank)
{
	struct layer *layer =
		array_append(&layers->layer, layers->n, sizeof(*layer));

	if (!layer)
		return -1;
	layers->n++;
	*layer = (struct layer){
		.number = number,
		.id = id,
		.naddresses = naddresses,
		.rank = rank,
	};
	return 0;
}

static void check_id(struct report *r, const struct where *at, const char *id)
{
	const struct where where = {.up = at, .key = "net_instance_id"};

	if (id && (!*id || strlen(id) > INSTANCE_MAX))
		report_where(r, &where, CODE_NONE, "",
			     "%zu characters; 1 to %d are possible", strlen(id),
			     INSTANCE_MAX);
}

/* Returns the layer, or -1; -2 out of memory. */
static int check_level(struct view *view, struct report *r,
		       const struct where *at, const cJSON *level,
		       unsigned rank, struct layers *layers)
{
	const char *id = document_keep(
		&view->doc, value_text(r, at, level, "net_instance_id", true));
	uint32_t layer = 0;
	int ret = value_integer(r, at, level, "net_layer", true, 0, 7, &layer);
	unsigned n;

	check_id(r, at, id);
	value_word(r, at, level, "net_type", true,
		   "1DMESH 2DMESH A3_SERVER A2_AX_SERVER TOPO_FILE_DESC CLOS");
	value_text(r, at, level, "net_attr", true);
	n = check_addresses(r, at, level);
	if (ret < 0 || !id)
		return -1;
	if (remember(layers, layer, id, n, rank) < 0)
		return -2;
	return (int)layer;
}

int form_levels(struct view *view, struct report *r, const struct where *at,
		const cJSON *rank, struct layers *layers)
{
	const struct where list = {.up = at, .key = "level_list"};
	const cJSON *levels = value_list(r, at, rank, "level_list");
	int former = -1;
	unsigned n = 0;

	for (const cJSON *l = levels ? levels->child : NULL; l; l = l->next) {
		const struct where where = {.up = &list, .index = n++};
		int layer = check_level(view, r, &where, l, at->index, layers);

		if (layer == -2)
			return -1;
		if (layer >= 0 && layer <= former)
			report_where(r, &where, CODE_NONE,
				     "list the layers in rising order",
				     "net_layer %d after %d", layer, former);
		if (layer > former)
			former = layer;
	}
	if (n > LEVELS_MAX)
		report_where(r, &list, CODE_NONE, "", "%u, more than %d", n,
			     LEVELS_MAX);
	return 0;
}

static int compare_layers(const void *pa, const void *pb)
{
	const struct layer *a = pa, *b = pb;
	int order;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	order = strcmp(a->id, b->id);
	if (order)
		return order;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

void form_layers(struct layers *layers, struct report *r)
{
	const struct layer *first = layers->layer;
	char path[WHERE_TEXT_MAX], shown[SHOW_SIZE];

	sort_items(layers->layer, layers->n, sizeof(*layers->layer),
		   compare_layers);
	for (size_t i = 1; i < layers->n; i++) {
		const struct layer *l = &layers->layer[i];

		if (l->number != first->number || strcmp(l->id, first->id)) {
			first = l;
			continue;
		}
		if (l->naddresses == first->naddresses)
			continue;
		snprintf(path, sizeof(path), "rank_list[%u].level_list",
			 l->rank);
		report_path(r, path, CODE_NONE,
			    "give every rank of an instance the same number",
			    "%u addresses in %s of layer %u, and rank_list[%u] "
			    "has %u",
			    l->naddresses, show(shown, l->id), l->number,
			    first->rank, first->naddresses);
	}
	free(layers->layer);
}
