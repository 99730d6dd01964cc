/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the launcher inherits as open files, by numbers in variables
 * (sys/child.h takes them): the text of /etc/hccn.conf, the memory that the
 * tasks of a node share, and the keepers' way to the launcher. slurmstepd
 * makes them as root, once for all tasks; a task lets its launcher have them.
 */
#include "spank/node/node.h"

#include "core/ascend/hccn.h"
#include "spank/slurm/step_job.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define HCCN_CONF    "/etc/hccn.conf"
#define MEMORY_SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)
#define TEXT_SEALS   (MEMORY_SEALS | F_SEAL_WRITE)

static int tell_number(spank_t sp, const char *name, int fd, struct err *err)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", fd);
	return job_setenv(sp, name, number, err);
}

/* -1: there is no such file. */
static int hand_over(spank_t sp, const char *name, int fd, const char *what,
		     struct err *err)
{
	if (fd < 0)
		return job_setenv(sp, name, NULL, err);
	if (fcntl(fd, F_SETFD, 0) < 0)
		return err_printf(err, "can't pass %s to the launcher: %s",
				  what, strerror(errno));
	return tell_number(sp, name, fd, err);
}

char *hccn_conf_read(void)
{
	cleanup_close int fd =
		open(HCCN_CONF, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	struct err unused;
	char *text;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != 0)
		return NULL;
	text = text_file_read_fd(fd, HCCN_CONF, HCCN_CONF_MAX, &unused);
	if (text)
		hccn_conf_keep_addresses(text);
	return text;
}

int hccn_conf_hand_over(spank_t sp, const char *text, struct err *err)
{
	cleanup_close int fd = -1;

	if (text) {
		fd = memfd_create("hccn.conf", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (fd < 0 || write_full(fd, text, strlen(text)) < 0 ||
		    fcntl(fd, F_ADD_SEALS, TEXT_SEALS) < 0)
			return err_printf(err,
					  "can't pass " HCCN_CONF " to the "
					  "launcher: %s",
					  strerror(errno));
	}
	if (hand_over(sp, HANDOVER_HCCN, fd, HCCN_CONF, err) < 0)
		return -1;
	fd = -1; /* the launcher inherits it */
	return 0;
}

int node_memory_make(bool wanted)
{
	int fd;

	if (!wanted)
		return -1;
	fd = memfd_create("node", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -1;
	if (ftruncate(fd, sizeof(struct node_memory)) == 0 &&
	    fcntl(fd, F_ADD_SEALS, MEMORY_SEALS) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Asks, unless somebody has; the answer, or why there is none, is for all. */
static void ask(int fd, off_t at, node_find_fn *find, void *arg,
		struct node_answer *ret)
{
	struct err err;

	if (fd >= 0 && pread(fd, ret, sizeof(*ret), at) == sizeof(*ret) &&
	    ret->there)
		return;
	ret->there = find(arg, ret->text, &err) < 0 ? -1 : 1;
	if (ret->there < 0)
		snprintf(ret->text, sizeof(ret->text), "%s", err.text);
	if (fd >= 0)
		(void)!pwrite(fd, ret, sizeof(*ret), at);
}

/* The kernel takes the lock from who has it and ends: the next one asks. */
int node_memory_once(int fd, enum node_question question, node_find_fn *find,
		     void *arg, char ret[NODE_ANSWER_SIZE], struct err *err)
{
	const off_t at = offsetof(struct node_memory, answer[question]);
	struct node_answer a = {0};
	struct flock lock = {
		.l_type = F_WRLCK, .l_start = at, .l_len = sizeof(a)};

	if (fd >= 0 && fcntl(fd, F_SETLKW, &lock) < 0)
		fd = -1;
	ask(fd, at, find, arg, &a);
	lock.l_type = F_UNLCK;
	if (fd >= 0)
		fcntl(fd, F_SETLK, &lock);
	a.text[sizeof(a.text) - 1] = '\0';
	if (a.there < 0)
		return err_printf(err, "%s", a.text);
	strcpy(ret, a.text);
	return 0;
}

int node_memory_hand_over(spank_t sp, int fd, struct err *err)
{
	return hand_over(sp, HANDOVER_MEMORY, fd, "the node's memory", err);
}

int keepers_socket_make(spank_t sp, bool wanted, struct keepers_socket *ret,
			struct err *err)
{
	int ends[2];

	if (!wanted || job_hasenv(sp, HANDOVER_KEEPERS)) /* srun forbids it */
		return job_setenv(sp, HANDOVER_KEEPERS, NULL, err);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_printf(err,
				  "slurmstepd has no socket for the keepers of "
				  "the node's tasks: %s",
				  strerror(errno));
	*ret = (struct keepers_socket){ends[0], ends[1]};
	return tell_number(sp, HANDOVER_KEEPERS, ends[0], err);
}

int keepers_socket_hand_over(spank_t sp, const struct keepers_socket *sockets,
			     bool wanted, struct err *err)
{
	return hand_over(sp, HANDOVER_KEEPERS, wanted ? sockets->launcher : -1,
			 "the keepers' socket", err);
}

void keepers_socket_close(struct keepers_socket *sockets)
{
	if (sockets->launcher >= 0) {
		close(sockets->launcher);
		close(sockets->keepers);
	}
	*sockets = (struct keepers_socket){-1, -1};
}
