/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the two sides of a look into a step may be told. The first byte says
 * which: rows of launchers, for the command; what scontrol prints of a job and,
 * after an empty line, of its steps; or lines for the leading launcher, the
 * first byte of which is who speaks: a visitor ("v"), one that leaves ("l"),
 * the centre ("m"), a member that is lost ("x") or, by its number, one that
 * answers.
 */
#include "core/facts/rows.h"
#include "helpers/channel/session.h"
#include "helpers/launch/launch.h"
#include "helpers/launch/part.h"
#include "helpers/look/look_state.h"
#include "helpers/visit/step_text.h"

#include "tests/fuzz/fuzz.h"

#define MEMBERS 4
#define GUESTS	3

static struct launch l = {.loop.epoll_fd = -1};
static struct job job = {.ntasks = MEMBERS};
static unsigned nends[GUESTS];
static char guests[GUESTS];

/* --- the channel's stand-in --- */

void session_look(struct session *session, const char *text)
{
	(void)session;
	RULE(strlen(text) < 512);
}

const char *session_node_of(const struct session *session, unsigned member)
{
	(void)session;
	RULE(member < MEMBERS);
	return member == MEMBERS - 1 ? NULL : "node1";
}

void session_send(struct session *session, char type, const char *data,
		  size_t n)
{
	(void)session;
	RULE(type == MSG_SEEN && strlen(data) == n);
}

void server_show(struct connection *c, char type, const char *data, size_t n)
{
	size_t guest = (size_t)((char *)c - guests);

	RULE(guest < GUESTS);
	RULE(strlen(data) == n);
	RULE(type != MSG_SHOWN || ++nends[guest] == 1);
}

/* --- lines for the leading launcher --- */

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
		look_came(l.view.look, guest((*ncame)++), text + 1);
	else if (*text == 'l' && text[1])
		look_left(l.view.look, guest((unsigned char)text[1] % GUESTS));
	else if (*text == 'm')
		look_told(text + 1);
	else if (*text == 'x')
		look_lost(l.view.look, (unsigned char)text[1] % MEMBERS);
	else if (*text)
		look_seen(&l, (unsigned char)*text % MEMBERS, text + 1);
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

static void to_centre(char *text)
{
	unsigned ncame = 0;
	struct err err;

	if (l.loop.epoll_fd < 0)
		RULE(loop_open(&l.loop, &err) == 0);
	l.view.members = l.view.step = &job;
	launch_show(&l);
	RULE(look_part.open(&l, &err) == 0);
	memset(nends, 0, sizeof(nends));
	while (text)
		line(strsep(&text, "\n"), &ncame);
	let_run();
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
		to_centre(text);
	else if (data[0] % 3 == 1)
		rows(text);
	else
		slurms_text(text);
	free(text);
	return 0;
}
