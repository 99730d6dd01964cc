/* SPDX-License-Identifier: Apache-2.0 */
#include "core/framework.h"

#include "core/dialect.h"
#include "core/parse.h"
#include "core/plan_first.h"

#include <stdio.h>
#include <string.h>

#define FRAMEWORK(name) extern const struct framework framework_##name;
#include "frameworks/frameworks.def"
#undef FRAMEWORK

static const struct framework *const frameworks[] = {
#define FRAMEWORK(name) &framework_##name,
#include "frameworks/frameworks.def"
#undef FRAMEWORK
};

#define NFRAMEWORKS (sizeof(frameworks) / sizeof(frameworks[0]))

const struct framework *framework_nth(size_t n)
{
	return n < NFRAMEWORKS ? frameworks[n] : NULL;
}

/* Who starts workers himself has no use for what they need from Slurm. */
unsigned request_needs(const struct request *r)
{
	unsigned needs = r->framework->needs | (r->form ? r->form->needs : 0);

	if (plan_runs_first(r))
		needs |= NEEDS_HOST_FILE;
	if (!(needs & NEEDS_HOST_FILE))
		return needs;
	needs &= ~(unsigned)(NEEDS_PMI | NEEDS_PEERS | NEEDS_ERROR_FILE);
	return needs | NEEDS_PLACES | NEEDS_COUNTS;
}

bool request_launches(const struct request *r)
{
	return r->framework->launches || (r->form && r->form->launches);
}

/* A table's version says it, too, where Slurm doesn't tell. */
bool framework_has_npus(const struct request *r, const struct job *job)
{
	int table = request_word(r, KEY_TABLE);
	bool told = table != TABLE_AUTO && table != TABLE_NONE;

	return r->framework->npu ||
	       (r->framework->npu_too && (job->devices.npu || told));
}

static void known_names(char *buf, size_t size, bool aliases)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < NFRAMEWORKS && used < size; i++) {
		const struct framework *fw = frameworks[i];
		bool alias = fw->alias && aliases;

		used += (size_t)snprintf(buf + used, size - used, "%s%s%s ",
					 fw->name, alias ? " " : "",
					 alias ? fw->alias : "");
	}
	if (used < size)
		snprintf(buf + used, size - used, "none");
}

const struct framework *framework_find(const char *name, struct err *err)
{
	char shown[SHOW_SIZE], near[32], known[256];

	for (size_t i = 0; i < NFRAMEWORKS; i++)
		if (!strcmp(frameworks[i]->name, name) ||
		    (frameworks[i]->alias &&
		     !strcmp(frameworks[i]->alias, name)))
			return frameworks[i];
	known_names(known, sizeof(known), true);
	if (word_nearest(known, name, near, sizeof(near)))
		err_printf(err,
			   "unknown framework %s; did you mean '%s'? known: %s",
			   show(shown, name), near, known);
	else
		err_printf(err, "unknown framework %s; known: %s",
			   show(shown, name), known);
	return NULL;
}
