/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/layout.h"

#include "core/base/env_secret.h"
#include "core/base/text.h"
#include "core/plan/framework.h"
#include "helpers/cli/explain/explain_show.h"
#include "helpers/cli/json_print.h"
#include "helpers/cli/picture.h"

#include <string.h>

#define FOLD_ABOVE    32   /* nodes */
#define ITEMS_OF_SVG  4096 /* drawn at most */
#define ITEMS_OF_PAGE LAYOUT_RANKS_MAX

/* The option and the program, as the user writes them. */
static void command_text(const struct dryrun_view *view, char *buf, size_t size)
{
	char command[400];

	env_secret_command(view->command, command, sizeof(command));
	*buf = '\0';
	if (view->words)
		text_add(buf, size, "", "srun --dist-train=%s %s", view->words,
			 command);
}

static void title_text(const struct dryrun_view *view, const struct layout *l,
		       char *buf, size_t size)
{
	const struct plan *plan = &view->plan;
	const char *name = plan->request->framework->name;
	const char *nodes = plan->nnodes == 1 ? "" : "s";

	if (l->nslots)
		snprintf(buf, size,
			 "%s: one program with room for %u worker%s on %u "
			 "node%s",
			 name, l->nslots, l->nslots == 1 ? "" : "s",
			 plan->nnodes, nodes);
	else if (l->nworkers)
		snprintf(buf, size, "%s: %u worker%s on %u node%s", name,
			 l->nworkers, l->nworkers == 1 ? "" : "s", plan->nnodes,
			 nodes);
	else
		snprintf(buf, size, "%s: %u process%s on %u node%s", name,
			 l->world_size, l->world_size == 1 ? "" : "es",
			 plan->nnodes, nodes);
	if (plan->resolved.spares)
		text_add(buf, size, ", ", "%u spare%s", plan->resolved.spares,
			 plan->resolved.spares == 1 ? "" : "s");
}

static void mode_text(const struct dryrun_view *view, const struct layout *l,
		      const struct layout_drawing *d, char *buf, size_t size)
{
	const struct plan *plan = &view->plan;
	char ladder[LADDER_SENTENCE_SIZE];
	unsigned drawn = d->nranks;

	*buf = '\0';
	text_add(buf, size, "", "%s",
		 l->nslots ? "the program runs once, on the first node, and "
			     "starts the workers"
		 : plan->resolved.launches
			 ? "each node's program starts its workers"
		 : plan->resolved.device_mode
			 ? "device mode: the launcher starts the processes"
			 : "task mode: each task of srun is a process");
	if (plan->resolved.recovery)
		text_add(buf, size, "; ", "when a node is lost: %s",
			 explain_ladder(&plan->resolved.ladder, ladder));
	if (l->nread < l->world_size || d->nnodes < l->nnodes)
		text_add(buf, size, "; ", "drawn: the first %u of %u ranks",
			 drawn, l->world_size);
}

/* What a picture needs besides its layout. */
struct scene {
	struct layout layout;
	struct layout_drawing drawing;
	bool page; /* that can be scrolled: all nodes are there */
};

static void print(FILE *f, const void *arg)
{
	const struct scene *s = arg;

	layout_draw(f, &s->layout, &s->drawing);
}

static void put_page(struct json *j, const void *arg)
{
	const struct scene *s = arg;

	json_add(j, "layout:{schema:%d", JSON_SCHEMA);
	layout_json(j, &s->layout, &s->drawing);
	json_add(j, "}");
}

/* How many nodes are drawn, so that a picture stays one. */
static void limit(struct scene *s)
{
	size_t most = s->page ? ITEMS_OF_PAGE : ITEMS_OF_SVG, n = 0;
	struct layout_drawing *d = &s->drawing;
	const struct layout *l = &s->layout;

	for (d->nnodes = 0; d->nnodes < l->nnodes; d->nnodes++) {
		const struct layout_node *node = &l->node[d->nnodes];

		n += node->nbars + node->ncells;
		if (n > most && d->nnodes)
			return;
		for (unsigned i = 0; i < node->nbars + node->ncells; i++) {
			enum layout_kind kind = l->item[node->first + i].kind;

			if (kind == LAYOUT_RANK || kind == LAYOUT_PROGRAM)
				d->nranks += node->equal;
		}
	}
}

static int draw(struct dryrun_view *view, const char *path, struct scene *s,
		struct err *err)
{
	const struct coordinator *c = &view->plan.coordinator;
	const struct framework *fw = view->request->framework;
	char title[300], command[512], mode[300], meeting[300] = "";
	char examples[EXPLAIN_TEXT_SIZE];

	if (layout_read(view, &s->layout, err) < 0 ||
	    (!s->page && s->layout.nnodes > FOLD_ABOVE &&
	     layout_fold(&s->layout, err) < 0) ||
	    explain_examples(view, examples, err) < 0)
		return -1;
	limit(s);
	title_text(view, &s->layout, title, sizeof(title));
	command_text(view, command, sizeof(command));
	mode_text(view, &s->layout, &s->drawing, mode, sizeof(mode));
	if (c->addr)
		snprintf(meeting, sizeof(meeting), "coordinator %s:%u", c->addr,
			 c->port);
	s->drawing.title = title;
	s->drawing.command = command;
	s->drawing.mode = mode;
	s->drawing.meeting = meeting;
	s->drawing.examples = examples;
	s->drawing.framework = fw->name;
	s->drawing.program =
		fw->launches && !fw->once ? fw->name : "your program";
	return s->page ? page_write(path, put_page, s, err)
		       : picture_write(path, print, s, err);
}

int layout_svg_write(struct dryrun_view *view, const char *path,
		     struct err *err)
{
	struct scene s = {.page = text_ends(path, ".html")};
	int rc;

	rc = draw(view, path, &s, err);
	layout_clear(&s.layout);
	return rc;
}
