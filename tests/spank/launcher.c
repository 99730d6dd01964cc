/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launcher of a node's first task, as far as a keeper sees it
 * (core/facts/keeping.h).
 */
#include "core/facts/handover.h"
#include "core/facts/keeping.h"
#include "host.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* The file that comes with the keeper's number. */
static int keeper_file(int node_socket)
{
	char number[16];
	struct iovec text = {number, sizeof(number)};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &text,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control.room)};
	int fd;

	if (recvmsg(node_socket, &message, 0) <= 0 || !CMSG_FIRSTHDR(&message))
		errx(1, "no keeper has come");
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

static void say(int fd, char what, const char *text)
{
	char packet[KEEPING_SIZE];
	int n = snprintf(packet, sizeof(packet), "%c%s", what, text);

	send(fd, packet, (size_t)n + 1, MSG_NOSIGNAL);
}

void tell_keeper(const char *text)
{
	const char *handed = env_get(stage.env, HANDOVER_KEEPERS);
	char heard[KEEPING_SIZE];
	int fd;

	if (!handed)
		errx(1, "the first task has no socket for keepers");
	fd = keeper_file(atoi(handed));
	say(fd, KEEPING_GO, text);
	while (recv(fd, heard, sizeof(heard), 0) > 0) {
		if (*heard == KEEPING_FAILED)
			fprintf(stderr, "launcher: %s\n", heard + 1);
		if (*heard == KEEPING_FAILED)
			say(fd, KEEPING_LEAVE, "1");
		else if (*heard == KEEPING_ENDED)
			say(fd, KEEPING_LEAVE, "0");
	}
}
