/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/why/why_now.h"

#include "core/facts/rows.h"
#include "helpers/visit/visitor.h"
#include "sys/child.h"
#include "sys/subprocess.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MS	   5000
#define ACCOUNT_MS 3000

void why_now_find(const char *name, struct why_now *ret, struct err *err)
{
	*ret = (struct why_now){.known = false};
	ret->known = step_find(name, &ret->step, err) == 0;
	ret->running = ret->known && ret->step.running;
}

void why_now_clear(struct why_now *now)
{
	if (now->known)
		found_step_clear(&now->step);
	now->known = false;
}

/* rank RANK PID MS ... */
static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	struct why_now *now = arg;
	char *field[ROW_FIELDS];
	double s;

	(void)member;
	(void)node;
	now->nnodes++;
	while (row_next(&rows, field)) {
		if (strcmp(field[0], "rank") != 0)
			continue;
		s = strtod(field[3], NULL) / 1000;
		if (!now->nranks || s > now->oldest_s)
			now->oldest_s = s;
		if (!now->nranks || s < now->newest_s)
			now->newest_s = s;
		now->nranks++;
	}
}

void why_now_visit(struct why_now *now)
{
	struct visit visit = {
		.step = &now->step,
		.what = "status",
		.ms = LOOK_MS,
		.shown = on_shown,
		.arg = now,
	};
	struct err err;

	now->answers = visit_step(&visit, &err) == 0;
	if (!now->answers)
		snprintf(now->silence, sizeof(now->silence), "%.599s",
			 err.text);
}

void why_now_account(const char *step, struct why_now *now)
{
	char file[PATH_MAX], text[4096];
	const char *const argv[] = {file, "-nPX", "-o", "State",
				    "-j", step,	  NULL};
	struct err err;

	if (child_find("sacct", child_path(), file, sizeof(file)) < 0 ||
	    subprocess_ask_program(argv, ACCOUNT_MS, text, sizeof(text), &err) <
		    0)
		return;
	text[strcspn(text, "\n")] = '\0';
	for (const char *p = text; *p; p++)
		if (*p != ' ' && (*p < '0' || *p > 'z'))
			return; /* a message, no state */
	snprintf(now->state, sizeof(now->state), "%.63s", text);
}
