/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIST_TRAIN_ROLES_FILE: the worlds of the step and their states, as JSON, in
 * the launcher's folder on each node. It is renamed at each change, so that a
 * reader finds all of it, and who watches the folder hears of it.
 */
#include "helpers/roles/agent.h"
#include "sys/text_file.h"

#include <stdio.h>
#include <stdlib.h>

#define NAME "roles.json"

static void put_world(FILE *f, const struct agent *a, unsigned w)
{
	const struct role_world *world = &a->roles.world[w];
	char url[ROLE_URL_SIZE];

	fprintf(f,
		"%s{\"role\": \"%s\", \"world\": %u, \"url\": \"%s\", "
		"\"state\": \"%s\"}",
		w ? ",\n  " : "", a->file.role[world->role].name, world->index,
		role_url(&a->address[w], url), world_state_name(a->state[w]));
}

static char *make_text(const struct agent *a, size_t *ret_n)
{
	char *text;
	FILE *f = open_memstream(&text, ret_n);

	if (!f)
		return NULL;
	fputs("{\"schema\": 1, \"roles\": [\n  ", f);
	for (unsigned w = 0; w < a->roles.n; w++)
		put_world(f, a, w);
	fputs("]}\n", f);
	return fclose(f) == 0 ? text : NULL;
}

int roles_file_open(struct agent *a, struct err *err)
{
	snprintf(a->roles_file, sizeof(a->roles_file), "%s/" NAME, a->run_dir);
	return roles_file_write(a, err);
}

int roles_file_write(const struct agent *a, struct err *err)
{
	cleanup_free char *text = NULL;
	size_t n;

	text = make_text(a, &n);
	return text ? write_file(a->roles_file, text, n, 0600, err)
		    : err_memory(err);
}
