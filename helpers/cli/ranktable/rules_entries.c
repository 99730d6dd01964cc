/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks and devices, in every form of the table. */
#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "helpers/cli/ranktable/rules.h"

#include <stdlib.h>
#include <string.h>

/* Ranks are 0 to N-1, each once. */
static void check_ranks(const struct view *view, struct report *r,
			struct entry *const *e)
{
	char path[WHERE_TEXT_MAX];

	for (size_t i = 0; i < view->n && e[i]->has_rank; i++) {
		if (e[i]->rank >= view->n)
			RULES_FAULT(view, r, e[i], "rank_id", CODE_VALUE,
				    "ranks count from 0 without gaps",
				    "%u, but %zu ranks are 0 to %zu",
				    e[i]->rank, view->n, view->n - 1);
		if (!i || e[i]->rank != e[i - 1]->rank)
			continue;
		view_path(view, e[i - 1], NULL, path);
		RULES_FAULT(view, r, e[i], "rank_id", CODE_VALUE,
			    "ranks count from 0 without gaps, each once",
			    "%u is that of %s, too", e[i]->rank, path);
	}
}

static bool same_server(const struct entry *a, const struct entry *b)
{
	return a->server_id && b->server_id &&
	       !strcmp(a->server_id, b->server_id);
}

/* The servers of one another's devices in order of rank: a server that comes
 * back was interrupted. `seen` are the runs' first entries. */
static int compare_runs(const void *pa, const void *pb)
{
	const struct entry *a = *(struct entry *const *)pa;
	const struct entry *b = *(struct entry *const *)pb;
	int order = strcmp(a->server_id, b->server_id);

	if (order)
		return order;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int check_order(const struct view *view, struct report *r,
		       struct entry *const *e)
{
	cleanup_free struct entry **run =
		calloc(view->n + 1, sizeof(struct entry *));
	char shown[SHOW_SIZE];
	size_t n = 0;

	if (!run)
		return -1;
	for (size_t i = 0; i < view->n && e[i]->has_rank; i++)
		if (e[i]->server_id && (!i || !same_server(e[i - 1], e[i])))
			run[n++] = e[i];
	qsort(run, n, sizeof(struct entry *), compare_runs);
	for (size_t i = 1; i < n; i++)
		if (same_server(run[i - 1], run[i]))
			RULES_FAULT(view, r, run[i], "rank_id", CODE_NONE,
				    "give the ranks of a server without gaps "
				    "(srun --distribution=block)",
				    "rank %u returns to server %s after others",
				    run[i]->rank,
				    show(shown, run[i]->server_id));
	return 0;
}

static void check_set(const struct view *view, struct report *r,
		      struct entry *const *e, size_t i, size_t end)
{
	uint64_t mask = 0;
	char path[WHERE_TEXT_MAX];

	for (size_t j = i; j < end; j++) {
		if (!e[j]->has_device || e[j]->device_id > 63)
			continue;
		if (j > i && e[j - 1]->has_device &&
		    e[j]->device_id == e[j - 1]->device_id) {
			view_path(view, e[j - 1], NULL, path);
			RULES_FAULT(view, r, e[j], "device_id", CODE_VALUE,
				    "each device of a server is there once",
				    "%u is that of %s, too", e[j]->device_id,
				    path);
		}
		mask |= UINT64_C(1) << e[j]->device_id;
	}
	if (!chip_takes_set(view->chip, mask))
		RULES_FAULT(view, r, e[i], NULL, CODE_VALUE,
			    "four of a 910A's devices work together "
			    "as " CHIP_SETS_OF_FOUR,
			    "the server's four devices don't work together");
}

/* The servers, of which the library forms groups by their ids. */
static int check_servers(const struct view *view, struct report *r)
{
	cleanup_free struct entry **e = view_sorted(view, VIEW_BY_DEVICE);
	bool equal = chip_facts(view->chip)->equal_servers;
	char shown[SHOW_SIZE], shown_first[SHOW_SIZE];
	size_t end, first_n = 0;

	if (!e)
		return -1;
	for (size_t i = 0; i < view->n; i = end) {
		end = i + 1;
		while (end < view->n && same_server(e[i], e[end]))
			end++;
		check_set(view, r, e, i, end);
		first_n = first_n ? first_n : end - i;
		if (!equal || end - i == first_n || !e[i]->server_id ||
		    !e[0]->server_id)
			continue;
		RULES_FAULT(view, r, e[i], NULL, CODE_VALUE,
			    "a 910A needs the same number on every server",
			    "server %s has %zu devices and %s has %zu",
			    show(shown, e[i]->server_id), end - i,
			    show(shown_first, e[0]->server_id), first_n);
	}
	return 0;
}

int rules_entries(const struct view *view, struct report *r)
{
	cleanup_free struct entry **e = view_sorted(view, VIEW_BY_RANK);

	if (!e)
		return -1;
	if (view->form != FORM_CLOUD)
		check_ranks(view, r, e);
	if (view->form == FORM_RANKS)
		return 0;
	if (check_servers(view, r) < 0)
		return -1;
	return view->form == FORM_CLOUD ? 0 : check_order(view, r, e);
}
