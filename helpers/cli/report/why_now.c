/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/why_now.h"

#include "core/facts/rows.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_MS	   5000
#define ACCOUNT_MS 3000

void why_now_find(const char *name, struct why_now *now, struct err *err)
{
	now->known = step_find(name, &now->step, err) == 0;
	now->running = now->known && now->step.running;
}

void why_now_clear(struct why_now *now)
{
	if (now->known)
		found_step_clear(&now->step);
	now->known = false;
	stacks_free(now->stacks);
	now->stacks = NULL;
	node_names_clear(&now->nodes);
}

/* rank RANK PID MS ... */
static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	struct why_now *now = arg;
	char *field[ROW_FIELDS];
	double s;

	(void)member;
	node_names_add(&now->nodes, node);
	while (row_next(&rows, field)) {
		if (strcmp(field[0], "rank") != 0)
			continue;
		s = strtod(field[3], NULL) / 1000;
		if (!now->nranks || s > now->oldest_s)
			now->oldest_s = s;
		now->nranks++;
	}
}

/* The second question tells it. */
static void on_missing(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

static int count_ranks(struct why_now *now, struct err *err)
{
	const struct visit visit = {
		.step = &now->step,
		.ports = now->ports,
		.what = "status",
		.ms = LOOK_MS,
		.shown = on_shown,
		.missing = on_missing,
		.arg = now,
	};

	return visit_step(&visit, err);
}

/* --- where they are --- */

struct told {
	struct stacks *stacks;
	struct err *err;
	int rc;
};

static void on_stacks(void *arg, unsigned member, const char *node, char *rows)
{
	struct told *told = arg;

	(void)member;
	if (stacks_add(told->stacks, node, rows, told->err) < 0)
		told->rc = -1;
}

static int take_stacks(struct why_now *now, struct err *err)
{
	struct told told = {.stacks = stacks_new(), .err = err};
	const struct visit visit = {
		.step = &now->step,
		.ports = now->ports,
		.what = "stack",
		.ms = STACK_MS,
		.shown = on_stacks,
		.arg = &told,
	};

	if (!told.stacks)
		return err_memory(err);
	if (visit_step(&visit, err) < 0 || told.rc < 0) {
		stacks_free(told.stacks);
		return -1;
	}
	now->stacks = told.stacks;
	now->ngroups = stacks_group(now->stacks, &now->group);
	return 0;
}

void why_now_visit(struct why_now *now)
{
	struct err err;

	now->answers = count_ranks(now, &err) == 0;
	if (!now->answers)
		snprintf(now->silence, sizeof(now->silence), "%.599s",
			 err.text);
	else if (take_stacks(now, &err) < 0)
		snprintf(now->unseen, sizeof(now->unseen), "%.599s", err.text);
}

void why_now_account(const char *step, struct why_now *now)
{
	cleanup_free char *text = sacct_show("State", step, false, ACCOUNT_MS);

	if (!text)
		return;
	text[strcspn(text, "\n")] = '\0';
	for (const char *p = text; *p; p++)
		if (*p != ' ' && (*p < '0' || *p > 'z'))
			return; /* a message, no state */
	snprintf(now->state, sizeof(now->state), "%.63s", text);
}
