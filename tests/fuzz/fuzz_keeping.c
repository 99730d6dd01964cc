/* SPDX-License-Identifier: Apache-2.0 */
/* What the launcher of a node's first task tells a keeper (KEEPING_GO). */
#include "core/facts/keeping.h"

#include "tests/fuzz/fuzz.h"

#include <stdbool.h>

static bool same_lists(const struct npu_task *a, const struct npu_task *b)
{
	return a->own.n == b->own.n && a->step.n == b->step.n &&
	       !memcmp(a->own.id, b->own.id, a->own.n * sizeof(*a->own.id)) &&
	       !memcmp(a->step.id, b->step.id, a->step.n * sizeof(*a->step.id));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), again[KEEPING_SIZE];
	struct keeping k, same;
	struct err err = {""};

	if (keeping_parse(text, &k, &err) < 0) {
		fuzz_check_error(err.text);
	} else {
		RULE(k.launcher > 0 && !strchr(k.table, '\n'));
		RULE(k.npus.own.n == k.npus.at.n);
		for (unsigned i = 0; i < k.npus.at.n; i++)
			RULE(k.npus.at.id[i] < k.npus.step.n);
		RULE(keeping_format(&k, again) == 0);
		RULE(keeping_parse(again, &same, &err) == 0);
		RULE(same.launcher == k.launcher &&
		     !strcmp(same.table, k.table) &&
		     !strcmp(same.error_file, k.error_file) &&
		     same_lists(&same.npus, &k.npus));
	}
	free(text);
	return 0;
}
