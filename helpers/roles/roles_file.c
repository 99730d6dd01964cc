/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIST_TRAIN_ROLES_FILE: the worlds of the step and their states, as JSON, in
 * the launcher's folder on each node. It is renamed at each change, so that a
 * reader finds all of it, and who watches the folder hears of it. Beside it is
 * the same as rows, which the launcher tells `dist-train status`
 * (helpers/look/look_roles.c).
 */
#include "helpers/roles/agent.h"

#include "core/facts/handover.h"
#include "core/facts/rows.h"
#include "sys/text_file.h"

#include <stdio.h>
#include <stdlib.h>

#define NAME	 "roles.json"
#define AGAIN_MS 1000

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

static void put_json(FILE *f, const struct agent *a)
{
	fputs("{\"schema\": 1, \"roles\": [\n  ", f);
	for (unsigned w = 0; w < a->roles.n; w++)
		put_world(f, a, w);
	fputs("]}\n", f);
}

static void put_rows(FILE *f, const struct agent *a)
{
	char url[ROLE_URL_SIZE], name[ROLE_WORLD_NAME_SIZE];

	for (unsigned w = 0; w < a->roles.n; w++) {
		const struct role_world *world = &a->roles.world[w];

		row_begin(f, "role");
		row_text(f, a->file.role[world->role].name);
		row_number(f, world->index);
		row_text(f, world_state_name(a->state[w]));
		row_text(f, role_url(&a->address[w], url));
		row_text(f, role_world_name(&a->roles, world, name));
		row_end(f);
	}
}

static int write_as(const struct agent *a, const char *path,
		    void (*put)(FILE *f, const struct agent *a),
		    struct err *err)
{
	cleanup_free char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return err_memory(err);
	put(f, a);
	if (fclose(f) != 0)
		return err_memory(err);
	return write_file(path, text, n, 0600, err);
}

static int write_both(const struct agent *a, struct err *err)
{
	char rows[PATH_MAX + 16];

	snprintf(rows, sizeof(rows), "%s/" ROLES_ROWS, a->run_dir);
	return write_as(a, rows, put_rows, err) < 0
		       ? -1
		       : write_as(a, a->roles_file, put_json, err);
}

int roles_file_open(struct agent *a, struct err *err)
{
	snprintf(a->roles_file, sizeof(a->roles_file), "%s/" NAME, a->run_dir);
	return write_both(a, err);
}

static void notify(struct agent *a)
{
	for (unsigned w = 0; w < a->roles.n; w++) {
		int signal = a->file.role[a->roles.world[w].role].notify;

		if (signal)
			here_tell(&a->here[w], signal);
	}
}

/* A disk that is full leaves the file as it was: who waits for a change has it
 * late. */
static void write_again(void *arg)
{
	struct agent *a = arg;
	struct err err;

	if (write_both(a, &err) == 0) {
		notify(a);
		return;
	}
	if (!a->unwritten.arg)
		agent_say(err.text);
	a->unwritten = (struct loop_timer){.expired = write_again, .arg = a};
	loop_arm(&a->loop, &a->unwritten, AGAIN_MS);
}

void roles_file_change(struct agent *a)
{
	loop_disarm(&a->loop, &a->unwritten);
	write_again(a);
}
