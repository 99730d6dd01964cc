/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "core/env/process_env.h"
#include "spank/slurm/cmdline.h"

#include <stdlib.h>
#include <string.h>

/* Whether the list of --export gives this variable a value. */
static bool has_value(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = list; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (!strncmp(p, name, len) && p[len] == '=')
			return true;
	}
	return false;
}

/* Whether a node without the plugin, or before it acts, shows a marker for
 * this variable. Slurm's own, the vendors' and lists that the user has begun
 * must keep their values; so must what --export gives a value, over which Slurm
 * would put what is in srun's environment. */
static bool is_marked(const struct env_entry *e, const char *vendors,
		      const char *exported)
{
	if (e->kind == ENV_LIST || !strncmp(e->name, "SLURM_", 6) ||
	    (vendors && !strcmp(e->name, vendors)) ||
	    (e->kind != ENV_OURS && has_value(exported, e->name)))
		return false;
	return e->kind != ENV_OURS || !strncmp(e->name, "DIST_TRAIN_", 11);
}

int markers_put(const struct plan *plan, struct err *err)
{
	bool stale = getenv("DIST_TRAIN_STEP") != NULL;
	struct process process;
	struct envset set = {0};
	const char *exported = cmdline_export();
	int rc = plan_process(plan, 0, &process, err);

	if (rc == 0)
		rc = process_env(plan, &process, &set, err);
	for (size_t i = 0; rc == 0 && i < set.n; i++)
		if (is_marked(&set.entry[i], process.devices.variable,
			      exported) &&
		    setenv(set.entry[i].name, ENV_PLUGIN_MISSING,
			   stale || set.entry[i].kind == ENV_OURS) < 0)
			rc = err_memory(err);
	envset_clear(&set);
	return rc;
}
