/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/cleanup.h"
#include "helpers/cli/doctor/doctor.h"

#include <cjson/cJSON.h>
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
	const char *no_color = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && (!no_color || !*no_color) ? code[level]
								  : NULL;
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
	cJSON *o = cJSON_CreateObject();

	if (!o)
		return false;
	if (!cJSON_AddItemToArray(array, o)) {
		cJSON_Delete(o);
		return false;
	}
	return cJSON_AddStringToObject(o, "level",
				       doctor_level_name(f->level)) &&
	       cJSON_AddStringToObject(o, "check", f->check) &&
	       cJSON_AddNumberToObject(o, "nnodes", f->nnodes) &&
	       cJSON_AddStringToObject(o, "nodes", f->nodes) &&
	       cJSON_AddStringToObject(o, "finding", f->text) &&
	       cJSON_AddStringToObject(o, "remedy", f->remedy);
}

int doctor_print_json(const struct doctor *d, struct err *err)
{
	cJSON *o = cJSON_CreateObject(), *array = NULL;
	bool ok = o && cJSON_AddNumberToObject(o, "nnodes", d->nnodes) &&
		  cJSON_AddStringToObject(o, "worst",
					  doctor_level_name(doctor_worst(d)));
	cleanup_free char *text = NULL;

	if (ok)
		array = cJSON_AddArrayToObject(o, "findings");
	ok = ok && array;
	for (size_t i = 0; ok && i < d->nfindings; i++)
		ok = add_finding(array, &d->finding[i]);
	text = ok ? cJSON_Print(o) : NULL;
	cJSON_Delete(o);
	if (!text)
		return err_memory(err);
	puts(text);
	return 0;
}
