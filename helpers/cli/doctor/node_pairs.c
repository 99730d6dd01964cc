/* SPDX-License-Identifier: Apache-2.0 */
/* On a node: measure the network to another one, as check=full does. */
#include "helpers/check/pair_talk.h"
#include "helpers/cli/doctor/doctor.h"
#include "sys/host_address.h"
#include "sys/socket.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static int door = -1;

void doctor_open_door(const struct doctor_options *o)
{
	struct sockaddr_storage first, at;
	socklen_t size = sizeof(at);
	char addr[64];

	door = socket_listen(NULL, 0, SOMAXCONN);
	if (door < 0 || getsockname(door, (struct sockaddr *)&at, &size) < 0)
		return;
	if (host_address(o->first_addr, &first) < 0 ||
	    host_address_towards(&first, addr, sizeof(addr)) < 0)
		strcpy(addr, "-");
	/* The port is in the same place for both families */
	doctor_tell("door", "%s %u", addr,
		    ntohs(((struct sockaddr_in *)&at)->sin_port));
}

void doctor_meet(const char *line)
{
	char a[256], b[256], word[PAIR_WORD_SIZE + 1];
	struct pair_talk_wish wish = {.listen_fd = -1};
	struct pair_figure figure;
	unsigned round;
	bool first;

	if (sscanf(line, "meet %u %255s %255s %63s %u %64s", &round, a, b,
		   wish.ip, &wish.port, word) != 6 ||
	    strlen(word) != PAIR_WORD_SIZE)
		return;
	first = !strcmp(a, doctor_here());
	if (!first && strcmp(b, doctor_here()) != 0)
		return;
	if (first)
		wish.listen_fd = door;
	/* Each one proves itself by a half of the word */
	memcpy(wish.say, word + (first ? 0 : PAIR_WORD_SIZE / 2),
	       PAIR_WORD_SIZE / 2);
	memcpy(wish.expect, word + (first ? PAIR_WORD_SIZE / 2 : 0),
	       PAIR_WORD_SIZE / 2);
	pair_talk_run(&wish, PAIR_MS, PAIR_BYTES, &figure);
	doctor_tell("met", "%u %.0f %u", round, figure.rate, figure.again);
}
