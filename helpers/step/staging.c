/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key stage: the controller's part. Who gets what from whom its hosts say
 * (helpers/step/stage_hosts.h); here is how far it is, for the terminal, for
 * `status` and for the record.
 */
#include "core/base/text.h"
#include "core/facts/rows.h"
#include "helpers/lead/lead.h"
#include "helpers/server/server.h"
#include "helpers/step/controller.h"
#include "helpers/step/query.h"
#include "helpers/step/stage_hosts.h"

#include <stdlib.h>
#include <string.h>

struct staging {
	struct stage_hosts *hosts;
	uint64_t began_ms;	      /* the first one has asked */
	uint64_t any_ms;	      /* somebody has something whole */
	unsigned long long any_bytes; /* that were there then */
	bool over;		      /* and that is in the record */
};

static void on_tell(void *arg, unsigned member, const char *text)
{
	struct controller *c = arg;

	if (controller_node_of(c, member))
		server_tell(controller_server(c), member, MSG_STAGED, text,
			    strlen(text));
}

static int find_address(void *arg, unsigned member, char ret[IP_TEXT_SIZE])
{
	return server_address(controller_server(arg), member, ret);
}

static bool is_same_node(void *arg, unsigned a, unsigned b)
{
	const char *one = controller_node_of(arg, a);
	const char *other = controller_node_of(arg, b);

	return a == b || (one && other && !strcmp(one, other));
}

static void close_stage(struct controller *c)
{
	if (c->staging)
		stage_hosts_free(c->staging->hosts);
	free(c->staging);
	c->staging = NULL;
}

static int open(struct controller *c, struct err *err)
{
	const struct stage_hosts_options options = {
		.n = c->members->ntasks,
		.tell = on_tell,
		.address = find_address,
		.same_node = is_same_node,
		.arg = c,
	};

	c->staging = calloc(1, sizeof(*c->staging));
	if (c->staging)
		c->staging->hosts = stage_hosts_new(&options);
	if (c->staging && c->staging->hosts)
		return 0;
	close_stage(c);
	return err_memory(err);
}

/* --- how far it is --- */

/* Seconds; -1: nobody knows. While one reads it is the time until that one has
 * all; behind that, until all have. */
static long left_s(const struct staging *g, const struct stage_sum *s,
		   unsigned long long all)
{
	uint64_t from_ms = s->any ? g->any_ms : g->began_ms;
	unsigned long long done = s->any ? s->bytes - g->any_bytes : s->best;
	unsigned long long left = s->any ? all - s->bytes : s->of - s->best;
	double ms = (double)(loop_now_ms() - from_ms);

	if (!done || s->bytes > all || s->bytes < g->any_bytes)
		return -1;
	return (long)(ms / 1000 * (double)left / (double)done + 0.5);
}

static void show(struct controller *c, const struct stage_sum *s)
{
	unsigned n = c->members->ntasks;
	unsigned long long all = s->of * n;
	long left = left_s(c->staging, s, all);
	char text[768] = "";

	if (*s->path)
		text_add(text, sizeof(text), "",
			 "%s to the nodes: %.1f of %.1f MB, %u of %u %s ready",
			 s->path, (double)s->bytes / 1e6, (double)all / 1e6,
			 s->done, n, n == c->step->nnodes ? "nodes" : "tasks");
	if (*text && left >= 0)
		text_add(text, sizeof(text), ", ", "%ld s left", left);
	lead_does(c->lead, text);
}

static void note_over(struct controller *c, const struct stage_sum *s)
{
	struct staging *g = c->staging;
	char text[256], took[32];

	if (g->over || !s->asked || s->done < c->members->ntasks)
		return;
	g->over = true;
	snprintf(text, sizeof(text), "%u of %u %s are ready, %.1f MB, after %s",
		 s->done, c->members->ntasks,
		 c->members->ntasks == c->step->nnodes ? "nodes" : "tasks",
		 (double)s->bytes / 1e6,
		 time_text((double)(loop_now_ms() - g->began_ms), took));
	record_add_text(c, MARK_STAGED, NULL, text);
}

static void look(struct controller *c)
{
	struct staging *g = c->staging;
	struct stage_sum s;

	stage_hosts_sum(g->hosts, &s);
	if (s.asked && !g->began_ms) {
		g->began_ms = loop_now_ms();
		record_add_text(c, MARK_STAGES, NULL, "");
	}
	if (s.any && !g->any_ms) {
		g->any_ms = loop_now_ms();
		g->any_bytes = s.bytes;
	}
	show(c, &s);
	note_over(c, &s);
}

void staging_row(FILE *f, const struct controller *c)
{
	struct stage_sum s;

	if (!c->staging || !c->staging->began_ms)
		return;
	stage_hosts_sum(c->staging->hosts, &s);
	row_begin(f, "stage");
	row_text(f, s.path);
	row_number(f, (long long)s.bytes);
	row_number(f, (long long)(s.of * c->members->ntasks));
	row_number(f, s.done);
	row_number(f, c->members->ntasks);
	row_number(f, left_s(c->staging, &s, s.of * c->members->ntasks));
	row_end(f);
}

static void note(void *arg, unsigned member, const char *text)
{
	struct controller *c = arg;

	if (!c->staging)
		return;
	stage_hosts_note(c->staging->hosts, member, text);
	look(c);
}

static void lost(struct controller *c, unsigned member)
{
	if (!c->staging)
		return;
	stage_hosts_lost(c->staging->hosts, member);
	look(c);
}

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.stages;
}

const struct step_part staging_of_step = {
	.name = "staging",
	.wanted = is_wanted,
	.open = open,
	.close = close_stage,
	.told = (const struct subscription[]){{.type = MSG_STAGE, .take = note},
					      {0}},
	.lost = lost,
};
