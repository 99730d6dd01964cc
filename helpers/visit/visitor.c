/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A question to a step, and to the worlds of one with several roles
 * (helpers/roles): each has launchers of its own, and is asked as the step is,
 * at its first node and in the ports of its block. The step's launchers tell
 * where, by the rows "role" (helpers/look/look_roles.c).
 */
#include "helpers/visit/visitor.h"

#include "core/base/parse.h"
#include "core/facts/rows.h"
#include "core/roles/role_names.h"
#include "helpers/visit/visit.h"
#include "registry/registry.h"
#include "sys/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLDS_MAX 256 /* that are asked at a time */
#define SCHEME	   "http://"

struct world {
	struct world *next;
	struct visitor *all;
	char name[ROLE_WORLD_NAME_SIZE];
	bool noted; /* in this look */
	bool asked; /* and hasn't answered */
	bool lost;  /* who leads it doesn't answer any more */
	struct found_node node;
	struct found_step step;
	struct visit visit;
	struct visit_one *one;
};

struct visitor {
	struct loop *loop;
	struct visit visit, of_step; /* as the caller has it; as it is asked */
	struct visitor_calls calls;
	struct visit_one *step;
	struct world *first;
	unsigned n, nleft; /* worlds; of them those that haven't answered */
	bool over;
	bool asking; /* nobody is told that all is done before all are asked */
};

static void done(struct visitor *v, const struct err *err)
{
	if (v->over)
		return;
	v->over = err;
	v->calls.done(v->calls.arg, err);
}

static void say_missing(const struct visit *visit, const char *line)
{
	if (visit->missing)
		visit->missing(visit->arg, line);
	else
		fprintf(stderr, "dist-train: %s\n", line);
}

/* --- which there are --- */

/* "http://HOST:PORT", HOST in brackets or not: where its launchers meet. */
static int read_place(const char *url, struct world *w)
{
	const char *host = url + strlen(SCHEME), *colon = strrchr(url, ':');
	bool brackets = *host == '[';
	int n = (int)(colon ? colon - host : -1) - 2 * brackets;
	long port;

	if (strncmp(url, SCHEME, strlen(SCHEME)) != 0 || n <= 0 ||
	    n >= (int)sizeof(w->node.addr) ||
	    parse_number(colon + 1, 1, 65535, &port) < 0)
		return -1;
	snprintf(w->node.addr, sizeof(w->node.addr), "%.*s", n,
		 host + brackets);
	snprintf(w->node.name, sizeof(w->node.name), "%s", w->node.addr);
	w->step.ports.min = (unsigned)port + ROLE_PORTS_MAX;
	w->step.ports.max = (unsigned)port + ROLE_PORT_BLOCK - 1;
	return 0;
}

static void on_missing(void *arg, const char *text)
{
	const struct world *w = arg;
	char line[600];

	snprintf(line, sizeof(line), "%s: %.500s", w->name, text);
	say_missing(&w->all->visit, line);
}

static void on_shown(void *arg, unsigned member, const char *node, char *rows)
{
	const struct world *w = arg;

	w->all->visit.shown(w->all->visit.arg, member, node, rows);
}

static struct world *new_world(struct visitor *all, const char *name,
			       const char *url)
{
	const struct visit *step = &all->visit;
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->all = all;
	snprintf(w->name, sizeof(w->name), "%s", name);
	w->step = *step->step;
	w->step.world = true;
	w->step.node = &w->node;
	w->step.nfound = 1;
	w->step.srun = (struct found_node){.addr = ""};
	w->step.ports.srun_min = w->step.ports.srun_max = 0;
	w->visit = *step;
	w->visit.step = &w->step;
	w->visit.ports = (struct visit_ports){0};
	w->visit.shown = on_shown;
	w->visit.missing = on_missing;
	w->visit.without = NULL;
	w->visit.arg = w;
	if (read_place(url, w) < 0) {
		free(w);
		return NULL;
	}
	return w;
}

/* NAME WORLD STATE URL TEXT: those that run. */
static void note(struct visitor *all, char *const field[])
{
	struct world **at = &all->first;
	const char *name = field[5];

	if (!strcmp(field[3], "waiting") || !strcmp(field[3], "ended"))
		return;
	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	if (!*at && all->n < WORLDS_MAX) {
		*at = new_world(all, name, field[4]);
		all->n += *at != NULL;
	}
	if (*at)
		(*at)->noted = true;
}

static void note_worlds(struct visitor *all, const char *rows)
{
	cleanup_free char *text = strdup(rows);
	char *rest = text, *field[ROW_FIELDS];

	while (rest && row_next(&rest, field))
		if (!strcmp(field[0], "role"))
			note(all, field);
}

/* --- asking --- */

static void forget(struct world *w)
{
	visit_one_close(w->one);
	w->one = NULL;
	w->lost = w->asked = false;
}

/* With an error it may have ended, also between two looks, or begins. */
static void on_done(void *arg, const struct err *err)
{
	struct world *w = arg;
	struct visitor *all = w->all;

	w->lost = err;
	if (!w->asked)
		return;
	w->asked = false;
	if (err)
		on_missing(w, err->text);
	if (!--all->nleft && !all->asking)
		done(all, NULL);
}

static void ask(struct world *w)
{
	const struct visitor_calls calls = {.done = on_done, .arg = w};
	struct err err;

	if (w->lost)
		forget(w); /* it may have begun anew */
	w->asked = true;
	w->all->nleft++;
	if (w->one) {
		visit_one_ask_again(w->one);
		return;
	}
	w->one = visit_one_open(&w->visit, w->all->loop, &calls, &err);
	if (!w->one)
		on_done(w, &err);
}

/* Those that were noted since they were asked last. */
static void ask_worlds(struct visitor *all)
{
	all->asking = true;
	for (struct world *w = all->first; w; w = w->next) {
		if (w->noted)
			ask(w);
		else
			forget(w);
		w->noted = false;
	}
	all->asking = false;
	if (!all->nleft)
		done(all, NULL);
}

/* --- the step --- */

static void on_step_shown(void *arg, unsigned member, const char *node,
			  char *rows)
{
	struct visitor *v = arg;

	note_worlds(v, rows);
	v->visit.shown(v->visit.arg, member, node, rows);
}

static void on_step_missing(void *arg, const char *line)
{
	const struct visitor *v = arg;

	say_missing(&v->visit, line);
}

static void on_step_without(void *arg, const char *node, bool away)
{
	const struct visitor *v = arg;

	if (v->visit.without)
		v->visit.without(v->visit.arg, node, away);
}

static void on_step_done(void *arg, const struct err *err)
{
	struct visitor *v = arg;

	if (err)
		done(v, err);
	else
		ask_worlds(v);
}

struct visitor *visitor_open(const struct visit *visit, struct loop *loop,
			     const struct visitor_calls *calls, struct err *err)
{
	struct visitor *v = calloc(1, sizeof(*v));
	const struct visitor_calls its = {.done = on_step_done, .arg = v};

	if (!v)
		return err_memory_null(err);
	v->loop = loop;
	v->calls = *calls;
	v->visit = v->of_step = *visit;
	v->of_step.shown = on_step_shown;
	v->of_step.missing = on_step_missing;
	v->of_step.without = on_step_without;
	v->of_step.arg = v;
	v->step = visit_one_open(&v->of_step, loop, &its, err);
	if (v->step)
		return v;
	visitor_close(v);
	return NULL;
}

void visitor_ask_again(struct visitor *v)
{
	visit_one_ask_again(v->step);
}

void visitor_close(struct visitor *v)
{
	if (!v)
		return;
	while (v->first) {
		struct world *w = v->first;

		v->first = w->next;
		forget(w);
		free(w);
	}
	visit_one_close(v->step);
	free(v);
}

/* --- once --- */

struct once {
	struct loop loop;
	int rc;
	struct err *err;
};

static void once_done(void *arg, const struct err *err)
{
	struct once *once = arg;

	once->rc = err ? -1 : 0;
	if (err)
		*once->err = *err;
	loop_stop(&once->loop);
}

int visit_step(const struct visit *visit, struct err *err)
{
	struct once once = {.rc = -1, .err = err};
	const struct visitor_calls calls = {.done = once_done, .arg = &once};
	struct visitor *v;

	if (loop_open(&once.loop, err) < 0)
		return -1;
	v = visitor_open(visit, &once.loop, &calls, err);
	if (v && loop_run(&once.loop, err) < 0)
		once.rc = -1;
	visitor_close(v);
	loop_close(&once.loop);
	return once.rc;
}

int visit_read_ports(const char *text, struct visit_ports *ret, struct err *err)
{
	struct config config;
	char word[32], *argv[] = {word};
	int rc;

	*ret = (struct visit_ports){0};
	if (!text)
		return 0;
	snprintf(word, sizeof(word), "ports=%s", text);
	rc = config_parse(1, argv, &config, err);
	if (rc == 0)
		*ret = (struct visit_ports){config.port_min, config.port_max};
	config_clear(&config);
	return rc;
}
