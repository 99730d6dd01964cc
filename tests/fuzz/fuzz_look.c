/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the two sides of a look into a step may be told. The first byte says
 * which: rows of launchers, for the command; what scontrol prints of a job and,
 * after an empty line, of its steps; or lines for the controller, the
 * first byte of which is who speaks: a visitor ("v"), one that leaves ("l"),
 * the controller ("m"), a member that is lost ("x") or, by its number, one that
 * answers.
 */
#include "core/facts/rows.h"
#include "helpers/channel/session.h"
#include "helpers/launch/launch.h"
#include "helpers/look/look_state.h"
#include "helpers/part/part.h"
#include "helpers/server/server.h"
#include "helpers/step/query.h"
#include "helpers/visit/step_find.h"

#include "tests/fuzz/fuzz.h"

#define MEMBERS 4
#define GUESTS	3

static struct launch l = {.loop.epoll_fd = -1};
static struct job job = {.ntasks = MEMBERS};
static struct controller c = {.loop = &l.loop, .members = &job};
static unsigned nends[GUESTS];
static char guests[GUESTS];

/* --- the channel's stand-in --- */

struct server *controller_server(const struct controller *controller)
{
	return (struct server *)controller;
}

const char *controller_node_of(const struct controller *controller,
			       unsigned member)
{
	(void)controller;
	RULE(member < MEMBERS);
	return member == MEMBERS - 1 ? NULL : "node1";
}

char *step_rows(const struct controller *controller)
{
	(void)controller;
	return NULL;
}

void controller_lost(struct controller *controller, unsigned member)
{
	(void)controller;
	RULE(member < MEMBERS);
}

void server_send_all(struct server *server, char type, const char *data,
		     size_t n)
{
	(void)server;
	RULE(type == MSG_LOOK && strlen(data) == n && n < 512);
}

void session_send(struct session *session, char type, const char *data,
		  size_t n)
{
	(void)session;
	RULE(type == MSG_SEEN && strlen(data) == n);
}

void server_show(struct connection *to, char type, const char *data, size_t n)
{
	size_t guest = (size_t)((char *)to - guests);

	RULE(guest < GUESTS);
	RULE(strlen(data) == n);
	RULE(type != MSG_SHOWN || ++nends[guest] == 1);
}

/* --- lines for the controller --- */

static struct connection *guest(unsigned i)
{
	return (struct connection *)&guests[i];
}

/* MSG_LOOK */
static void look_told(const char *text)
{
	look_part.messages->take(&l, text);
}

static void line(const char *text, unsigned *ncame)
{
	if (*text == 'v' && *ncame < GUESTS)
		controller_visits(&c)->came(c.visitors, guest((*ncame)++),
					    text + 1);
	else if (*text == 'l' && text[1])
		controller_visits(&c)->left(
			c.visitors, guest((unsigned char)text[1] % GUESTS));
	else if (*text == 'm')
		look_told(text + 1);
	else if (*text == 'x')
		controller_visits(&c)->lost(c.queries,
					    (unsigned char)text[1] % MEMBERS);
	else if (*text)
		query_of_step.told->take(&c, (unsigned char)*text % MEMBERS,
					 text + 1);
}

static void stop(void *arg)
{
	(void)arg;
	loop_stop(&l.loop);
}

/* Whoever has been told all learns that. */
static void let_run(void)
{
	struct loop_timer now = {.expired = stop};
	struct err err;

	loop_arm(&l.loop, &now, 0);
	RULE(loop_run(&l.loop, &err) == 0);
	loop_disarm(&l.loop, &now);
}

static void to_step(char *text)
{
	unsigned ncame = 0;
	struct err err;

	if (l.loop.epoll_fd < 0)
		RULE(loop_open(&l.loop, &err) == 0);
	launch_show(&l);
	RULE(query_of_step.open(&c, &err) == 0);
	RULE(visitors_of_step.open(&c, &err) == 0);
	memset(nends, 0, sizeof(nends));
	while (text)
		line(strsep(&text, "\n"), &ncame);
	let_run();
	visitors_of_step.close(&c);
	query_of_step.close(&c);
	look_part.close(&l);
	RULE(!l.loop.timers.first);
}

/* --- for the command --- */

static void rows(char *text)
{
	const char *end = text + strlen(text);
	char *field[ROW_FIELDS];
	unsigned n;

	while ((n = row_next(&text, field))) {
		RULE(n <= ROW_FIELDS && text <= end);
		for (unsigned i = 0; i < ROW_FIELDS; i++)
			RULE(!strpbrk(field[i], "\n") &&
			     (i == ROW_FIELDS - 1 || !strchr(field[i], '\t')));
	}
	RULE(text == end);
}

static void slurms_text(char *text)
{
	char *steps = strstr(text, "\n\n");
	struct job_text j;
	struct step_text s;
	struct step_name name;
	struct err err;

	if (steps)
		*steps = '\0';
	step_name_read(text, &name, &err);
	if (job_text_read(text, "12", &j, &err) != 0 || !steps)
		return;
	RULE(*j.plain && j.uid != (uid_t)-1);
	step_text_read(steps + 2, &j, -1, &s);
	RULE(s.step < 0 || (s.nodes && s.nrunning && s.uid != (uid_t)-1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = fuzz_text(data + 1, size - 1);
	if (data[0] % 3 == 0)
		to_step(text);
	else if (data[0] % 3 == 1)
		rows(text);
	else
		slurms_text(text);
	free(text);
	return 0;
}
