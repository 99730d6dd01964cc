/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/step/facts_door.h"

#include "helpers/conn/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LAST_WORDS_MS 200

static void on_lost(void *arg, int why)
{
	struct connection *c = arg;
	struct facts_door *door = c->all->owner;

	(void)why;
	if (door->first == c)
		door->first = NULL;
	connection_drop(c);
}

static void answer(struct connection *c, enum message type, const char *text)
{
	struct msgbuf *msgbuf = msgbuf_new((char)type, text, strlen(text));

	if (msgbuf)
		secure_conn_send(c->conn, msgbuf);
	msgbuf_drop(msgbuf);
}

/* VERSION 0 NODE. Who speaks another one is told so, and looks elsewhere. */
static void hello(struct connection *c, const char *text)
{
	struct facts_door *door = c->all->owner;
	char why[FOREIGN_SIZE];
	long version, member;

	if (!c->refused && message_is_foreign(text, why)) {
		c->refused = true;
		answer(c, MSG_WELCOME, "");
		answer(c, MSG_SAY, why);
		return;
	}
	if (door->first || c->refused ||
	    message_number(&text, MESSAGE_VERSION, MESSAGE_VERSION, &version) <
		    0 ||
	    message_number(&text, 0, 0, &member) < 0) {
		on_lost(c, EPROTO);
		return;
	}
	door->first = c;
	connection_is_known(c);
	answer(c, MSG_WELCOME, "");
}

static void keep(struct facts_door *door, const char *text, size_t n)
{
	char *copy = malloc(n + 1);

	if (!copy)
		return;
	memcpy(copy, text, n);
	copy[n] = '\0';
	free(door->text);
	door->text = copy;
	door->n = n;
	answer(door->first, MSG_HAVE, "");
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct connection *c = arg;
	struct facts_door *door = c->all->owner;

	if (type == MSG_HELLO)
		hello(c, data);
	else if (c != door->first)
		on_lost(c, EPROTO);
	else if (door->led)
		return;
	else if (type == MSG_STEP)
		keep(door, data, n);
	else if (type == MSG_LEAD && door->text)
		loop_arm(door->all.step.loop, &door->full, 0);
}

/* Not in the middle of a message; and what it says then has to be sent. */
static void on_full(void *arg)
{
	struct facts_door *door = arg;

	if (door->led) {
		connections_close(&door->all);
		return;
	}
	door->led = true;
	connections_shut(&door->all);
	loop_arm(door->all.step.loop, &door->full, LAST_WORDS_MS);
	door->leads(door->arg);
}

void facts_door_say(struct facts_door *door, const char *lines)
{
	if (door->first)
		answer(door->first, MSG_SAY, lines);
}

static void say_nothing(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

int facts_door_open(struct facts_door *door, int listen_fd,
		    const struct secure_conn_step *step, struct err *err)
{
	door->all = (struct connections){
		.step = *step,
		.node = "",
		.nmembers = 1,
		.giver = door->giver,
		.message = on_message,
		.lost = on_lost,
		.owner = door,
		.say = say_nothing,
	};
	connections_init(&door->all);
	door->full = (struct loop_timer){.expired = on_full, .arg = door};
	return connections_take(&door->all, listen_fd, err) < 0
		       ? -1
		       : connections_accept(&door->all, err);
}

void facts_door_close(struct facts_door *door)
{
	loop_disarm(door->all.step.loop, &door->full);
	connections_close(&door->all);
	free(door->text);
	door->text = NULL;
}
