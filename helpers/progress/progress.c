/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/progress/progress.h"

#include "core/facts/handover.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_MS    400 /* a step that is up by then shows nothing */
#define TERMINAL_MS 200
#define LINES_MS    1000
#define NAMES_MAX   4

#define CLEAR "\r\033[K"

/* Nothing when it would say the same again. */
static void show_line(struct progress *p)
{
	char line[sizeof(p->last)];
	FILE *f = fmemopen(line, sizeof(line), "w");

	if (!f)
		return;
	fprintf(f, "%sdist-train: %u/%u processes up", p->terminal ? CLEAR : "",
		p->up, p->total);
	if (p->up < p->total && *p->does) {
		fprintf(f, "; %s", p->does);
	} else if (p->up < p->total) {
		fprintf(f, ", waiting for ");
		if (!absent_nodes(&(struct present){p->members, NULL}, p->nodes,
				  NAMES_MAX, f))
			fprintf(f, "the rest");
	}
	if (!p->terminal)
		fputc('\n', f);
	if (fclose(f) != 0 || !strcmp(line, p->last))
		return;
	memcpy(p->last, line, sizeof(line));
	p->say(p->arg, line);
	p->shown = true;
}

static void tick(void *arg)
{
	struct progress *p = arg;

	show_line(p);
	loop_arm(p->loop, &p->timer, p->terminal ? TERMINAL_MS : LINES_MS);
}

static bool wanted(const struct plan *plan, bool terminal)
{
	int word = request_word(plan->request, KEY_PROGRESS);

	if (word == PROGRESS_AUTO)
		return terminal && !getenv("SLURM_LABELIO");
	return word == PROGRESS_YES;
}

void progress_open(struct progress *p, struct loop *loop,
		   const struct plan *plan, const struct connections *members,
		   void (*say)(void *arg, const char *text), void *arg)
{
	bool terminal = getenv(HANDOVER_TERMINAL) != NULL;

	*p = (struct progress){
		.loop = loop,
		.timer = {.expired = tick, .arg = p},
		.members = members,
		.total = plan->world_size,
		.nodes = getenv("SLURM_STEP_NODELIST"),
		.on = wanted(plan, terminal),
		.terminal = terminal,
		.say = say,
		.arg = arg,
	};
	if (p->on)
		loop_arm(loop, &p->timer, FIRST_MS);
}

void progress_add(struct progress *p, unsigned n)
{
	p->up += n;
	if (!p->on || p->up < p->total)
		return;
	if (p->shown && p->terminal)
		p->say(p->arg, CLEAR);
	else if (p->shown || !p->terminal)
		show_line(p);
	progress_close(p);
}

void progress_does(struct progress *p, const char *text)
{
	snprintf(p->does, sizeof(p->does), "%s", text);
}

void progress_close(struct progress *p)
{
	if (p->on)
		loop_disarm(p->loop, &p->timer);
	p->on = false;
}
