/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules look through, and how they report. */
#include "core/ascend/ranktable_rules_parts.h"
#include "core/base/array.h"

#include <stdlib.h>

void ranktable_report(struct ranktable_rules *rules,
		      const struct ranktable_fault *fault)
{
	if (rules->nfaults++ == 0 || !rules->first_only)
		rules->report(rules, fault);
}

static int compare_runs(const void *pa, const void *pb)
{
	const struct ranktable_run *a = pa, *b = pb;
	int order = strcmp(a->text ? a->text : "", b->text ? b->text : "");

	if (order)
		return order;
	return a->begin < b->begin ? -1 : 1;
}

struct ranktable_run *
ranktable_runs(const struct ranktable_rules *rules,
	       const char *(*text)(const struct ranktable_row *row),
	       size_t *ret_n)
{
	struct ranktable_run *run = calloc(rules->n + 1, sizeof(*run));
	size_t n = 0;

	for (size_t i = 0; run && i < rules->n; i++) {
		const char *t = text(rules->row[i]);

		if (!n || !same_text(run[n - 1].text, t))
			run[n++] = (struct ranktable_run){t, i, i};
		run[n - 1].end = i + 1;
	}
	sort_items(run, n, sizeof(*run), compare_runs);
	*ret_n = n;
	return run;
}

bool ranktable_run_goes_on(const struct ranktable_rules *rules, size_t i)
{
	return i && same_text(rules->run[i - 1].text, rules->run[i].text);
}
