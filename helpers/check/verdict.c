/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/check/pairs.h"

#include "helpers/judge/findings.h"

#include <stdlib.h>
#include <string.h>

struct verdict {
	void (*condemned)(void *arg, unsigned node, const char *text);
	void *arg;
};

static void on_finding(void *arg, enum doctor_level level, unsigned node,
		       const char *text)
{
	const struct verdict *v = arg;

	if (level == DOCTOR_FAIL)
		v->condemned(v->arg, node, text);
}

static int add_facts(struct doctor *d, unsigned node, const char *facts,
		     struct err *err)
{
	cleanup_free char *copy = strdup(facts);
	char *save = NULL;

	if (!copy)
		return err_memory(err);
	for (char *line = strtok_r(copy, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		doctor_add_fact(d, node, line);
	return d->no_memory ? err_memory(err) : 0;
}

int verdict_make(const char *const name[], const char *const facts[],
		 unsigned nnodes,
		 void (*condemned)(void *arg, unsigned node, const char *text),
		 void (*remark)(void *arg, const char *nodes, const char *text),
		 void *arg, struct err *err)
{
	struct verdict v = {condemned, arg};
	struct doctor d;
	int rc = doctor_open_names(&d, name, nnodes, err);

	for (unsigned i = 0; rc == 0 && i < nnodes; i++)
		if (facts[i])
			rc = add_facts(&d, i, facts[i], err);
	d.found = on_finding;
	d.arg = &v;
	if (rc == 0)
		rc = doctor_judge_facts(&d, err);
	for (size_t i = 0; rc == 0 && i < d.nfindings; i++)
		if (d.finding[i].level == DOCTOR_WARN)
			remark(arg, d.finding[i].nodes, d.finding[i].text);
	doctor_clear(&d);
	return rc;
}
