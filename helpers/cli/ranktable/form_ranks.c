/* SPDX-License-Identifier: Apache-2.0 */
/* Version 2.0: rank_list[], for the chip 950 alone. */
#include "helpers/cli/ranktable/table_view.h"

#include <stdlib.h>

#define RANKS_MAX   65536
#define LOCAL_SPARE 64 /* local_id of a spare rank */

/* What is known of all ranks so far. */
struct ranks {
	struct layers layers;
	bool spare;	   /* there is a spare rank */
	uint32_t replaced; /* whose local_id it takes */
	uint32_t *local;   /* local_id of each entry */
};

/* What stands for the server in this form: where the first layer ends. */
static const char *first_instance(const cJSON *rank)
{
	const cJSON *levels = value_find(rank, "level_list"), *id;

	id = value_find(levels ? levels->child : NULL, "net_instance_id");
	return cJSON_IsString(id) ? id->valuestring : NULL;
}

static void read_spare(struct report *r, const struct where *at,
		       const cJSON *rank, struct ranks *ranks)
{
	if (ranks->spare)
		report_where(r, at, CODE_VALUE, "",
			     "a second spare rank (local_id %d)", LOCAL_SPARE);
	ranks->spare = value_integer(r, at, rank, "replaced_local_id", true, 0,
				     LOCAL_SPARE - 1, &ranks->replaced) == 0;
}

static int read_rank(struct view *view, struct report *r,
		     const struct where *at, const cJSON *rank,
		     struct ranks *ranks)
{
	const struct where plane = {.up = at, .key = "control_plane"};
	uint32_t *local = &ranks->local[at->index], port;
	const struct entry new = {.at = {at->index}};
	struct entry *e = view_add(view, &new);
	struct ranktable_row *row;

	if (!e)
		return -1;
	row = &e->row;
	row->server_id = document_keep(&view->doc, first_instance(rank));
	row->rank_unknown = value_integer(r, at, rank, "rank_id", true, 0,
					  RANKS_MAX - 1, &row->rank) < 0;
	row->device_unknown = value_integer(r, at, rank, "device_id", true, 0,
					    64, &row->device_id) < 0;
	*local = UINT32_MAX;
	value_integer(r, at, rank, "local_id", true, 0, LOCAL_SPARE, local);
	if (*local == LOCAL_SPARE)
		read_spare(r, at, rank, ranks);
	value_integer(r, at, rank, "device_port", false, 1, 65535, &port);
	value_integer(r, at, rank, "host_port", false, 1, 65535, &port);
	if (value_find(rank, plane.key) &&
	    !cJSON_IsObject(value_find(rank, plane.key)))
		report_where(r, &plane, CODE_KEY, "write { ... }", "no object");
	return form_levels(view, r, at, rank, &ranks->layers);
}

/* Whose place the spare rank takes must be gone. */
static void check_replaced(const struct view *view, struct report *r,
			   const struct ranks *ranks)
{
	char path[WHERE_TEXT_MAX];

	for (size_t i = 0; ranks->spare && i < view->n; i++) {
		if (ranks->local[i] != ranks->replaced)
			continue;
		view_path(view, &view->entry[i].row, "local_id", path);
		report_path(r, path, CODE_VALUE, "take the replaced rank out",
			    "%u is replaced by the spare rank",
			    ranks->replaced);
	}
}

static int read_ranks(struct view *view, struct report *r,
		      struct elements *list_of_ranks, struct ranks *ranks)
{
	const struct where list = {.key = "rank_list"};
	const cJSON *rank;
	unsigned n = 0;
	int ret = 0;

	while (ret == 0 && (rank = elements_next(list_of_ranks))) {
		const struct where where = {.up = &list, .index = n++};

		ret = read_rank(view, r, &where, rank, ranks);
	}
	check_replaced(view, r, ranks);
	form_layers(&ranks->layers, r);
	return ret;
}

int form_ranks(struct view *view, struct report *r)
{
	struct elements list;
	bool found = document_list(&view->doc, r, "rank_list", &list);
	cleanup_free uint32_t *local = calloc(list.n + 1, sizeof(*local));
	struct ranks ranks = {.local = local};
	uint32_t count;

	if (!local)
		return -1;
	view->form = FORM_RANKS;
	value_word(r, NULL, view->doc.root, "detour", false, "true false");
	if (found && read_ranks(view, r, &list, &ranks) < 0)
		return -1;
	if (value_integer(r, NULL, view->doc.root, "rank_count", true, 1,
			  RANKS_MAX, &count) == 0 &&
	    found && count != list.n)
		report_path(r, "rank_count", CODE_VALUE, "correct it",
			    "%u, but rank_list has %u", count, list.n);
	return 0;
}
