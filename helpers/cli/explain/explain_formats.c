/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/explain_show.h"

#include "core/base/env_secret.h"

#include <string.h>

/* 'value', where a quote is '\'' */
static void put_quoted(FILE *f, const char *value)
{
	fputc('\'', f);
	for (; *value; value++)
		if (*value == '\'')
			fputs("'\\''", f);
		else
			fputc(*value, f);
	fputc('\'', f);
}

/* Why the value can't be written; NULL: it can. */
static const char *reason(const struct env_entry *e)
{
	if (env_is_secret(e, e->value))
		return "a secret, not shown";
	if (e->value && strstr(e->value, ENV_ON_NODE))
		return "known on the node";
	if (e->value && strstr(e->value, ENV_LATER))
		return "known when the step starts";
	return NULL;
}

static void put_sh(FILE *f, const struct env_entry *e)
{
	if (!e->value) {
		fprintf(f, "unset %s\n", e->name);
		return;
	}
	fprintf(f, "export %s=", e->name);
	put_quoted(f, e->value);
	fputc('\n', f);
}

static void put_env_file(FILE *f, const struct env_entry *e)
{
	if (!e->value)
		fprintf(f, "# %s: not set\n", e->name);
	else if (strpbrk(e->value, "\n\r"))
		fprintf(f, "# %s: several lines\n", e->name);
	else
		fprintf(f, "%s=%s\n", e->name, e->value);
}

static int put_process(FILE *f, struct dryrun_view *view, unsigned rank,
		       void (*put)(FILE *f, const struct env_entry *e),
		       struct err *err)
{
	cleanup_process struct process_view p = {0};

	if (process_view_make(view, rank, &p, err) < 0)
		return -1;
	for (size_t i = 0; i < p.set.n; i++) {
		const struct env_entry *e = &p.set.entry[i];

		if (reason(e))
			fprintf(f, "# %s: %s\n", e->name, reason(e));
		else
			put(f, e);
	}
	return 0;
}

int explain_sh(FILE *f, struct dryrun_view *view, unsigned rank,
	       struct err *err)
{
	return put_process(f, view, rank, put_sh, err);
}

int explain_env_file(FILE *f, struct dryrun_view *view, unsigned rank,
		     struct err *err)
{
	return put_process(f, view, rank, put_env_file, err);
}

/* Whether a process may have it: a hint that isn't set here may be on a node.
 */
static bool may_be_set(const struct env_entry *e, bool differs)
{
	return e->value || differs || e->kind == ENV_HINT;
}

int explain_names(FILE *f, struct dryrun_view *view, const unsigned *rank,
		  struct err *err)
{
	cleanup_common struct process_common c = {0};

	if (process_common_make(view, rank, rank ? 1 : view->plan.world_size,
				&c, err) < 0)
		return -1;
	for (size_t i = 0; i < c.set.n; i++)
		if (may_be_set(&c.set.entry[i], c.differs[i]))
			fprintf(f, "%s\n", c.set.entry[i].name);
	return 0;
}
