/* SPDX-License-Identifier: Apache-2.0 */
/* Room for processes: opened, used again for others, closed. */
#include "helpers/procs/procs_state.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int watch_told(struct procs *procs, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	procs->told = (struct loop_watch){
		.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
		.ready = procs_told,
		.arg = procs,
	};
	if (procs->told.fd < 0)
		return err_printf(err, "signalfd: %s", strerror(errno));
	return loop_watch(procs->loop, &procs->told, EPOLLIN, err);
}

int procs_open(struct procs *procs, struct loop *loop, unsigned n,
	       struct err *err)
{
	sigset_t chld;

	procs->loop = loop;
	procs->n = n;
	procs->proc = calloc(n ? n : 1, sizeof(*procs->proc));
	if (!procs->proc)
		return err_memory(err);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	procs->children = (struct loop_watch){
		.fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK),
		.ready = procs_reap,
		.arg = procs,
	};
	procs->deadline = (struct loop_timer){
		.expired = procs_send_next,
		.arg = procs,
	};
	last_words_open(&procs->words, loop, &procs_words, procs);
	procs->doubt =
		(struct loop_timer){.expired = procs_end_doubt, .arg = procs};
	procs->rest =
		(struct loop_timer){.expired = procs_end_rest, .arg = procs};
	if (procs->children.fd < 0)
		return err_printf(err, "signalfd: %s", strerror(errno));
	if (watch_told(procs, err) < 0)
		return -1;
	return loop_watch(loop, &procs->children, EPOLLIN, err);
}

static void reset(struct procs *procs)
{
	procs_disarm_end(procs);
	loop_disarm(procs->loop, &procs->doubt);
	for (unsigned i = 0; i < procs->n; i++)
		if (!procs_is_kept(procs, &procs->proc[i]))
			procs->proc[i] = (struct proc){0};
	procs->first_failure = NULL;
	procs->next_signal = 0;
	procs->complete = false;
}

int procs_again(struct procs *procs, unsigned n, struct err *err)
{
	struct proc *proc;

	if (n != procs->n) {
		proc = calloc(n ? n : 1, sizeof(*proc));
		if (!proc)
			return err_memory(err);
		free(procs->proc);
		procs->proc = proc;
		procs->n = n;
	}
	reset(procs);
	return 0;
}

void procs_close(struct procs *procs)
{
	if (!procs->proc)
		return;
	loop_remove(procs->loop, &procs->children);
	loop_remove(procs->loop, &procs->told);
	procs_disarm_end(procs);
	loop_disarm(procs->loop, &procs->doubt);
	loop_disarm(procs->loop, &procs->rest);
	if (procs->children.fd >= 0)
		close(procs->children.fd);
	if (procs->told.fd >= 0)
		close(procs->told.fd);
	free(procs->proc);
	*procs = (struct procs){0};
}
