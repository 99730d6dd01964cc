/* SPDX-License-Identifier: Apache-2.0 */
#include "core/env/process_env.h"

#include "core/option/option.h"

#include <string.h>

static const char source[] = "profile";

/* Whether the value comes from a key that the user has given, which is stronger
 * than a profile. */
static bool is_users_key(const struct plan *plan, const struct env_entry *e)
{
	const struct request *r = plan->request;

	return (request_given(r, KEY_NIC) && !strcmp(e->source, "key nic")) ||
	       (request_given(r, KEY_VISIBLE) &&
		!strcmp(e->source, "key visible"));
}

static int add_folder(const struct profile_line *l, const struct env_entry *e,
		      struct envset *set, struct err *err)
{
	if (!e || e->kind != ENV_FOLDERS)
		return envset_add(set, ENV_FOLDERS, source, err, l->name, "%s",
				  l->value);
	return envset_add(set, ENV_FOLDERS, source, err, l->name, "%s:%s",
			  l->value, e->value);
}

int profile_add(const struct plan *plan, struct envset *set, struct err *err)
{
	const struct profile *profile = &plan->job->profile;

	for (size_t i = 0; i < profile->n; i++) {
		const struct profile_line *l = &profile->line[i];
		const struct env_entry *e = envset_find(set, l->name);
		int rc;

		if (e && env_kind_is_true(e->kind))
			return err_printf(err,
					  "the profile sets %s, but a profile "
					  "can't set a variable that the step "
					  "computes for each process",
					  l->name);
		if (e && is_users_key(plan, e))
			continue;
		rc = l->folder ? add_folder(l, e, set, err)
			       : envset_add(set, ENV_HINT, source, err, l->name,
					    "%s", l->value);
		if (rc < 0)
			return -1;
	}
	return 0;
}
