/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of roles on a step that isn't there: worlds, nodes, order, names and
 * commands, for a person.
 *
 * roles_view.c	from the words of the command and the step to this view
 * roles_show.c	in the form that was asked for: roles_text.c as text,
 *		roles_json.c as JSON (doc/json.md), roles_picture.c as SVG
 */
#pragma once

#include "core/roles/role_names.h"
#include "helpers/cli/dryrun/dryrun_step.h"
#include "helpers/cli/explain/explain_show.h"

struct roles_view {
	char *text;
	struct role_file file;
	struct role_plan plan; /* borrows the file: the view stays in place */
	char **node;	       /* names, by the step's order */
	unsigned char order[ROLES_MAX]; /* in which roles may start */
};

/* Read the file that the command names and place its roles on the step. Fails
 * as srun does. roles_view_clear() in both cases, on what was zero before. */
int roles_view_make(char *const *command, const struct config *config,
		    const struct dryrun *step, struct roles_view *ret,
		    struct err *err);
void roles_view_clear(struct roles_view *view);

/* Show it; returns the exit status, as explain_show(). */
int roles_show(const struct roles_view *view, const struct explain_wish *wish,
	       struct err *err);

int roles_text(FILE *f, const struct roles_view *view, struct err *err);
int roles_json(FILE *f, const struct roles_view *view, const char *notes,
	       struct err *err);
int roles_picture(const struct roles_view *view, const char *path,
		  struct err *err);

/* "node[1-4]", for the caller to free; NULL: out of memory. */
char *roles_nodes(const struct roles_view *view,
		  const struct role_world *world);

/* Its devices on its first node, "0-3", "2" or "". Returns buf. */
#define ROLES_DEVICES_SIZE 24
const char *roles_devices(const struct roles_view *view,
			  const struct role_world *world,
			  char buf[ROLES_DEVICES_SIZE]);

/* The command of a role, words with blanks between, names as they are written;
 * values that are secrets aren't shown. Fails when out of memory. */
#define ROLES_COMMAND_SIZE 2048
int roles_command(const struct roles_view *view, unsigned role,
		  char ret[ROLES_COMMAND_SIZE], struct err *err);
