/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text_table.h"
#include "helpers/cli/command.h"
#include "helpers/cli/doctor/all_reduce.h"
#include "helpers/cli/json_print.h"

#include <stdio.h>
#include <string.h>

static void add_level(struct text_table *t, enum doctor_level level)
{
	static const char *const code[] = {"32", "33", "31"};
	const char *name = doctor_level_name(level);

	if (colour_wanted())
		text_table_add(t, "\033[%sm%s\033[0m", code[level], name);
	else
		text_table_add(t, "%s", name);
}

int doctor_print(const struct doctor *d, struct err *err)
{
	cleanup_table struct text_table t = {0};
	unsigned count[3] = {0};

	text_table_column(&t, COLUMN_LEFT, "    ");
	text_table_column(&t, COLUMN_LEFT, "check");
	text_table_column(&t, COLUMN_LEFT, "nodes");
	text_table_column(&t, COLUMN_LEFT, "finding -> remedy");
	for (size_t i = 0; i < d->nfindings; i++) {
		const struct doctor_finding *f = &d->finding[i];
		bool all = f->nnodes == d->nnodes && d->nnodes > 1;

		count[f->level]++;
		add_level(&t, f->level);
		text_table_add(&t, "%s", f->check);
		text_table_add(&t, "%s", all ? "all" : f->nodes);
		text_table_add(&t, "%s%s%s", f->text, *f->remedy ? " -> " : "",
			       f->remedy);
	}
	if (text_table_print(stdout, &t, err) < 0)
		return -1;
	printf("\n%u node%s: %u failure%s, %u warning%s\n", d->nnodes,
	       d->nnodes == 1 ? "" : "s", count[DOCTOR_FAIL],
	       count[DOCTOR_FAIL] == 1 ? "" : "s", count[DOCTOR_WARN],
	       count[DOCTOR_WARN] == 1 ? "" : "s");
	return 0;
}

void doctor_print_json(const struct doctor *d, const struct all_reduce *pairs,
		       const struct all_reduce *measured)
{
	struct json j = json_begin(stdout);

	json_add(&j, "nnodes:%u worst:%s findings:[", d->nnodes,
		 doctor_level_name(doctor_worst(d)));
	for (size_t i = 0; i < d->nfindings; i++) {
		const struct doctor_finding *f = &d->finding[i];

		json_add(&j,
			 "{level:%s check:%s nnodes:%u nodes:%s finding:%s "
			 "remedy:%s}",
			 doctor_level_name(f->level), f->check, f->nnodes,
			 f->nodes, f->text, f->remedy);
	}
	json_add(&j, "]");
	if (pairs)
		all_reduce_json_pairs(&j, d, pairs);
	if (measured)
		all_reduce_json(&j, d, measured);
	json_end(&j);
}
