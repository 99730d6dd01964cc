/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the job's user that ask what the step does (helpers/visit): what
 * one asks for is asked of all launchers, and shown as they answer. */
#include "core/base/array.h"
#include "helpers/conn/message.h"
#include "helpers/server/server.h"
#include "helpers/step/query.h"

#include <stdlib.h>
#include <string.h>

struct visitors {
	struct controller *c;
	struct visits visits;
	struct credential credential;
	struct visitor *first;
};

struct visitor {
	struct visitors *all;
	struct visitor *next, **prev;
	struct connection *connection;
	struct query *query;
	bool wants_step; /* the step's own rows, with the next answer */
};

static void drop_visitor(struct visitor *v)
{
	if (v->query)
		query_drop(v->query);
	LIST_REMOVE(v);
	free(v);
}

static void show_end(struct connection *c, const char *text)
{
	server_show(c, MSG_SHOWN, text, strlen(text));
}

static void show(void *arg, unsigned member, const char *node, const char *rows)
{
	struct visitor *v = arg;
	cleanup_free char *own = v->wants_step ? step_rows(v->all->c) : NULL;
	cleanup_free char *text = NULL;
	int n = asprintf(&text, "%u %s\n%s%s", member, node, own ? own : "",
			 rows);

	if (n < 0)
		return;
	v->wants_step = false;
	server_show(v->connection, MSG_SHOW, text, (size_t)n);
}

static void show_silent(const struct visitor *v, unsigned member)
{
	char text[HOSTLIST_NAME_MAX + 32];
	int n = snprintf(text, sizeof(text), "%u %s", member,
			 controller_node_of(v->all->c, member));

	server_show(v->connection, MSG_SILENT, text, (size_t)n);
}

/* Who hasn't answered, and how many couldn't be asked. */
static void show_missing(const struct visitor *v)
{
	unsigned nabsent = query_nabsent(v->query);
	char text[16];
	int n;

	for (unsigned i = 0; i < v->all->c->members->ntasks; i++)
		if (query_awaits(v->query, i))
			show_silent(v, i);
	if (!nabsent)
		return;
	n = snprintf(text, sizeof(text), "%u", nabsent);
	server_show(v->connection, MSG_ABSENT, text, (size_t)n);
}

static void shown(void *arg)
{
	struct visitor *v = arg;

	show_missing(v);
	v->query = NULL; /* it goes by itself */
	show_end(v->connection, "");
}

static struct visitor *find_visitor(const struct visitors *all,
				    const struct connection *c)
{
	struct visitor *v = all->first;

	while (v && v->connection != c)
		v = v->next;
	return v;
}

static struct visitor *new_visitor(struct visitors *all, struct connection *c)
{
	struct visitor *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	*v = (struct visitor){
		.all = all,
		.connection = c,
	};
	LIST_ADD(&all->first, v);
	return v;
}

static bool asks_for(const char *text, const char *what)
{
	size_t n = strcspn(text, " ");

	return n == strlen(what) && !strncmp(text, what, n);
}

/* Who asks again before all has been shown isn't heard. */
static void on_came(void *arg, struct connection *c, const char *text)
{
	struct visitors *all = arg;
	struct visitor *v = find_visitor(all, c);
	struct query_calls calls = {.seen = show, .done = shown};
	long ms;

	if (!v)
		v = new_visitor(all, c);
	if (!v) {
		show_end(c, "out of memory");
		return;
	}
	calls.arg = v;
	if (v->query)
		return;
	if (message_number(&text, 1, LOOK_MS_MAX, &ms) < 0)
		show_end(c, "no time is given");
	else if (strlen(text) > QUERY_TEXT_SIZE / 2)
		show_end(c, "the question is too long");
	else if (asks_for(text, SIGHT_ENDING)) /* the controller's alone */
		show_end(c, "visitors only look");
	else if (!(v->query = query_begin(all->c, text, ms, &calls)))
		show_end(c, "its launchers aren't ready: try again");
	v->wants_step = asks_for(text, "status");
}

static void on_left(void *arg, struct connection *c)
{
	struct visitor *v = find_visitor(arg, c);

	if (v)
		drop_visitor(v);
}

static void on_lost(void *arg, unsigned member)
{
	struct visitors *all = arg;

	query_lost(all->c, member);
}

static const char *on_question(void *arg, const char *id,
			       const unsigned char secret[SECRET_SIZE])
{
	struct visitors *all = arg;

	return credential_get(&all->credential, all->c->loop, id, secret);
}

const struct visits *controller_visits(const struct controller *c)
{
	return &c->visitors->visits;
}

/* --- the part --- */

static int open(struct controller *c, struct err *err)
{
	struct visitors *all = c->visitors = calloc(1, sizeof(*all));

	if (!all)
		return err_memory(err);
	all->c = c;
	all->visits = (struct visits){
		.answer = on_question,
		.came = on_came,
		.left = on_left,
		.lost = on_lost,
		.arg = all,
	};
	return 0;
}

static void close_all(struct controller *c)
{
	struct visitors *all = c->visitors;

	if (!all)
		return;
	while (all->first)
		drop_visitor(all->first);
	credential_close(&all->credential);
	free(all);
	c->visitors = NULL;
}

const struct step_part visitors_of_step = {
	.name = "visitors",
	.open = open,
	.close = close_all,
};
