/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/keepers/keepers.h"

#include "core/base/parse.h"
#include "core/facts/keeping.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MESSAGE_SIZE (sizeof(((struct err *)NULL)->text) + 2)

struct keeper {
	struct keepers *all;
	struct loop_watch watch; /* fd -1: it isn't here */
	bool came, runs;
	bool over; /* its program has ended or won't start */
	char *go;  /* for one that hasn't come yet; or NULL */
};

struct keepers {
	struct keepers_options o;
	struct loop_watch door;
	struct keeper keeper[];
};

static unsigned number_of(const struct keeper *k)
{
	return (unsigned)(k - k->all->keeper);
}

/* --- one keeper --- */

static void hang_up(struct keeper *k)
{
	loop_remove(k->all->o.loop, &k->watch);
	close_fd(&k->watch.fd);
}

static void lose(struct keeper *k, const char *why)
{
	const struct keepers_options *o = &k->all->o;
	bool over = k->over;

	if (!why)
		hang_up(k);
	k->over = true;
	if (!over)
		o->lost(o->arg, number_of(k), why);
}

static void tell(struct keeper *k, char type, const char *text)
{
	char packet[KEEPING_SIZE + 1];
	int n = snprintf(packet, sizeof(packet), "%c%s", type, text);

	if (k->watch.fd >= 0)
		send(k->watch.fd, packet, (size_t)n + 1,
		     MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void on_ended(struct keeper *k, int status)
{
	const struct keepers_options *o = &k->all->o;
	bool over = k->over;

	k->over = true;
	if (!over)
		o->ended(o->arg, number_of(k), status);
}

/* Returns 0, or -1 when it isn't a message. */
static int handle(struct keeper *k, const char *text)
{
	const struct keepers_options *o = &k->all->o;
	long number;

	if (*text == KEEPING_FAILED) {
		lose(k, text + 1);
		return 0;
	}
	if (parse_number(text + 1, 0, INT_MAX, &number) < 0)
		return -1;
	if (*text == KEEPING_ENDED)
		on_ended(k, (int)number);
	else if (*text != KEEPING_RUNS || number <= 1)
		return -1;
	else if (!k->runs) {
		k->runs = true;
		o->runs(o->arg, number_of(k), (pid_t)number);
	}
	return 0;
}

static void on_message(void *arg, uint32_t events)
{
	struct keeper *k = arg;
	char text[MESSAGE_SIZE];
	ssize_t n = recv(k->watch.fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	text[n > 0 ? n : 0] = '\0';
	if (n <= 0 || handle(k, text) < 0)
		lose(k, NULL);
}

/* --- who comes --- */

/* That of the task, unless it has come before. */
static struct keeper *find_new(struct keepers *all, const char *text)
{
	long task;

	if (parse_number(text, 1, (long)all->o.n - 1, &task) < 0 ||
	    all->keeper[task].came)
		return NULL;
	all->keeper[task].came = true;
	return &all->keeper[task];
}

static void welcome(struct keepers *all, const char *text, int fd)
{
	struct keeper *k = find_new(all, text);
	struct err unused;

	if (!k) {
		close(fd);
		return;
	}
	k->watch.fd = fd;
	if (loop_watch(all->o.loop, &k->watch, EPOLLIN, &unused) < 0)
		return lose(k, NULL);
	if (k->go)
		tell(k, KEEPING_GO, k->go);
	free(k->go);
	k->go = NULL;
}

/* The kernel has dropped the connection, for which this process has no room. */
static void turn_away(struct keepers *all, const char *text)
{
	struct keeper *k = find_new(all, text);

	if (k)
		lose(k, "the node's launcher can't open one more file (ulimit "
			"-n)");
}

/* The one file that came with a message, or -1. */
static int file_of(struct msghdr *message)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(message);
	int fd;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS ||
	    c->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* Returns whether there may be another. */
static bool take_one(struct keepers *all)
{
	char text[MESSAGE_SIZE];
	struct iovec room = {text, sizeof(text) - 1};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &room,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control.room)};
	ssize_t n = recvmsg(all->door.fd, &message,
			    MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int fd;

	if (n < 0)
		return errno == EINTR;
	if (n == 0) { /* nobody has the other end any more */
		loop_remove(all->o.loop, &all->door);
		return false;
	}
	text[n] = '\0';
	fd = file_of(&message);
	if (fd >= 0)
		welcome(all, text, fd);
	else if (message.msg_flags & MSG_CTRUNC)
		turn_away(all, text);
	return true;
}

static void on_door(void *arg, uint32_t events)
{
	(void)events;
	while (take_one(arg))
		;
}

/* --- all of them --- */

struct keepers *keepers_open(const struct keepers_options *options,
			     struct err *err)
{
	struct keepers *all =
		calloc(1, sizeof(*all) + options->n * sizeof(*all->keeper));

	if (!all) {
		close(options->fd);
		return err_memory_null(err);
	}
	all->o = *options;
	all->door = (struct loop_watch){
		.fd = options->fd,
		.ready = on_door,
		.arg = all,
	};
	for (unsigned i = 0; i < options->n; i++)
		all->keeper[i] = (struct keeper){
			.all = all,
			.watch = {.fd = -1,
				  .ready = on_message,
				  .arg = &all->keeper[i]},
		};
	if (loop_watch(options->loop, &all->door, EPOLLIN, err) == 0)
		return all;
	keepers_close(all);
	return NULL;
}

int keepers_go(struct keepers *all, unsigned task, const char *text)
{
	struct keeper *k = &all->keeper[task];

	if (k->came)
		tell(k, KEEPING_GO, text);
	else
		k->go = strdup(text);
	return k->came || k->go ? 0 : -1;
}

unsigned keepers_absent(const struct keepers *all, unsigned *ret_first)
{
	unsigned n = 0;

	for (unsigned i = 1; i < all->o.n; i++)
		if (!all->keeper[i].runs && !all->keeper[i].over && !n++)
			*ret_first = i;
	return n;
}

void keepers_leave(struct keepers *all, int code)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", code);
	on_door(all, 0);
	for (unsigned i = 1; i < all->o.n; i++) {
		all->keeper[i].over = true;
		tell(&all->keeper[i], KEEPING_LEAVE, text);
	}
}

void keepers_close(struct keepers *all)
{
	if (!all)
		return;
	loop_remove(all->o.loop, &all->door);
	close(all->door.fd);
	for (unsigned i = 0; i < all->o.n; i++) {
		hang_up(&all->keeper[i]);
		free(all->keeper[i].go);
	}
	free(all);
}
