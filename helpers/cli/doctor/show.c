/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/colour.h"
#include "helpers/cli/doctor/all_reduce.h"
#include "helpers/cli/doctor/doctor.h"
#include "helpers/cli/json_print.h"

#include <stdio.h>
#include <string.h>

struct widths {
	int check, nodes;
};

static struct widths measure(const struct doctor *d)
{
	struct widths w = {strlen("check"), strlen("nodes")};

	for (size_t i = 0; i < d->nfindings; i++) {
		int check = (int)strlen(d->finding[i].check);
		int nodes = (int)strlen(d->finding[i].nodes);

		w.check = check > w.check ? check : w.check;
		w.nodes = nodes > w.nodes ? nodes : w.nodes;
	}
	return w;
}

static const char *colour(enum doctor_level level)
{
	static const char *const code[] = {"32", "33", "31"};

	return colour_wanted() ? code[level] : NULL;
}

static void put_level(enum doctor_level level)
{
	const char *code = colour(level), *name = doctor_level_name(level);

	if (code)
		printf("\033[%sm%-4s\033[0m", code, name);
	else
		printf("%-4s", name);
}

void doctor_print(const struct doctor *d)
{
	struct widths w = measure(d);
	unsigned count[3] = {0};

	printf("      %-*s  %-*s  finding -> remedy\n", w.check, "check",
	       w.nodes, "nodes");
	for (size_t i = 0; i < d->nfindings; i++) {
		const struct doctor_finding *f = &d->finding[i];
		bool all = f->nnodes == d->nnodes && d->nnodes > 1;

		count[f->level]++;
		put_level(f->level);
		printf("  %-*s  %-*s  %s%s%s\n", w.check, f->check, w.nodes,
		       all ? "all" : f->nodes, f->text,
		       *f->remedy ? " -> " : "", f->remedy);
	}
	printf("\n%u node%s: %u failure%s, %u warning%s\n", d->nnodes,
	       d->nnodes == 1 ? "" : "s", count[DOCTOR_FAIL],
	       count[DOCTOR_FAIL] == 1 ? "" : "s", count[DOCTOR_WARN],
	       count[DOCTOR_WARN] == 1 ? "" : "s");
}

static bool add_finding(cJSON *array, const struct doctor_finding *f)
{
	cJSON *o = json_append(array);

	return o &&
	       cJSON_AddStringToObject(o, "level",
				       doctor_level_name(f->level)) &&
	       cJSON_AddStringToObject(o, "check", f->check) &&
	       cJSON_AddNumberToObject(o, "nnodes", f->nnodes) &&
	       cJSON_AddStringToObject(o, "nodes", f->nodes) &&
	       cJSON_AddStringToObject(o, "finding", f->text) &&
	       cJSON_AddStringToObject(o, "remedy", f->remedy);
}

int doctor_print_json(const struct doctor *d, const struct all_reduce *pairs,
		      const struct all_reduce *measured, struct err *err)
{
	cleanup_json cJSON *o = json_new();
	cJSON *array = NULL;
	bool ok = o && cJSON_AddNumberToObject(o, "nnodes", d->nnodes) &&
		  cJSON_AddStringToObject(o, "worst",
					  doctor_level_name(doctor_worst(d)));

	if (ok)
		array = cJSON_AddArrayToObject(o, "findings");
	ok = ok && array;
	for (size_t i = 0; ok && i < d->nfindings; i++)
		ok = add_finding(array, &d->finding[i]);
	if (ok && pairs)
		ok = all_reduce_add_pairs(d, pairs, o);
	if (ok && measured)
		ok = all_reduce_add_json(d, measured, o);
	return json_print(stdout, ok ? o : NULL, err);
}
