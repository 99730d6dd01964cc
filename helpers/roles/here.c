/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A world's launcher on this node. It is our child, and what it leaves behind
 * when it is killed becomes our child, too (this process is a subreaper): any
 * child that is no launcher of ours is a process without one, and is killed
 * before the end of its launcher is told. So nothing of a round is alive, or
 * at its port, when the next one begins.
 */
#include "helpers/conn/seal.h"
#include "helpers/roles/agent.h"
#include "sys/proc_file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TREE_MAX   4096
#define REST_MS	   5	/* between two looks at what is left */
#define REST_TRIES 1000 /* one that can't be ended hangs in a driver */
/* A launcher that has ended by itself leaves its controller, which still writes
 * the record. */
#define LATE_TRIES 200

/* --- signals --- */

/* `told`: not to the launcher, which is the first, and to those alone that have
 * a handler; others would end by it. */
static void signal_tree(const struct here *h, int signal, bool told)
{
	pid_t pid[TREE_MAX];
	unsigned n;

	if (!h->runs)
		return;
	n = proc_descendants("", h->launcher.pid, pid, TREE_MAX);
	for (unsigned i = told; i < n; i++)
		if (!told || proc_has_signal("", pid[i], "SigCgt", signal))
			kill(pid[i], signal);
}

/* To the launcher and all below it, as Slurm does with a step's processes. */
void here_signal(struct here *h, int signal)
{
	signal_tree(h, signal, false);
}

void here_tell(struct here *h, int signal)
{
	signal_tree(h, signal, true);
}

void here_kill(struct here *h)
{
	here_signal(h, SIGKILL);
}

static void on_kill(void *arg)
{
	here_kill(arg);
}

/* That of its framework's keys, else that of the step. */
static long grace_s(const struct here *h)
{
	return h->grace_s >= 0 ? h->grace_s
			       : request_seconds(&h->agent->request, KEY_GRACE);
}

void here_save(struct here *h)
{
	here_tell(h, h->save.number);
	h->saved = true;
}

/* With its own end-signal its launcher takes SIGTERM as the job's end, and its
 * processes ignore it: one that had that signal has had its time, too. */
void here_end(struct here *h)
{
	if (!h->runs)
		return;
	ready_end(h);
	if (h->saved && h->own_signal)
		return here_kill(h);
	here_signal(h, SIGTERM);
	loop_arm(&h->agent->loop, &h->kill, (uint64_t)grace_s(h) * 1000);
}

/* --- its start --- */

void here_init(struct here *h, struct agent *a, unsigned world)
{
	*h = (struct here){.agent = a, .world = world, .grace_s = -1};
	h->kill = (struct loop_timer){.expired = on_kill, .arg = h};
	ready_init(h);
}

/* No process of another round or world knows it. */
static int make_secret(const struct here *h, unsigned char ret[SECRET_SIZE],
		       struct err *err)
{
	char purpose[64], word[SEAL_WORD_SIZE];

	snprintf(purpose, sizeof(purpose), "world %u round %u", h->world,
		 h->round);
	if (seal_word(h->agent->secret, "roles", purpose, word) < 0)
		return err_printf(err, "no random bytes");
	memcpy(ret, word, SECRET_SIZE);
	return 0;
}

static int start(struct here *h, unsigned index, struct err *err)
{
	struct world_child child = {
		.agent = h->agent,
		.world = h->world,
		.round = h->round,
		.index = index,
		.out = -1,
		.record = h->record,
	};
	const struct subprocess_spec spec = {
		.run = world_child_run,
		.arg = &child,
		.flags = SUBPROCESS_IN,
	};
	int rc;

	if (make_secret(h, child.secret, err) < 0 ||
	    (!index && ready_prepare(h, &child.out, err) < 0))
		return -1;
	rc = subprocess_start(&spec, &h->launcher, err);
	if (child.out >= 0)
		close(child.out);
	if (rc < 0)
		return -1;
	h->runs = true;
	if (write(h->launcher.in, child.secret, SECRET_SIZE) != SECRET_SIZE)
		here_kill(h); /* it has ended already */
	close(h->launcher.in);
	h->launcher.in = -1;
	return 0;
}

void here_start(struct here *h, unsigned round)
{
	struct agent *a = h->agent;
	struct err err;
	unsigned index;

	if (!here_has(a, h->world, &index) || h->runs)
		return;
	h->round = round;
	h->saved = false;
	if (!index)
		record_begin(h);
	if (start(h, index, &err) < 0) {
		agent_say(err.text);
		agent_tell(a, AGENT_ENDED " %u %u %d", h->world, round,
			   EXIT_FAILURE);
		return;
	}
	if (!index)
		ready_begin(h);
}

/* --- its end --- */

static struct here *launcher_of(struct agent *a, pid_t pid)
{
	for (unsigned w = 0; w < a->roles.n; w++)
		if (a->here[w].runs && a->here[w].launcher.pid == pid)
			return &a->here[w];
	return NULL;
}

static bool is_relay(const struct agent *a, pid_t pid)
{
	for (unsigned w = 0; w < a->roles.n; w++)
		if (a->here[w].relay.pid == pid)
			return true;
	return false;
}

struct sweep {
	struct agent *agent;
	unsigned n;
};

static void kill_orphan(void *arg, pid_t pid)
{
	struct sweep *s = arg;

	if (launcher_of(s->agent, pid) || is_relay(s->agent, pid))
		return;
	if (s->agent->hurries || s->agent->ntries >= LATE_TRIES)
		kill(pid, SIGKILL);
	if (waitpid(pid, NULL, WNOHANG) != pid)
		s->n++;
}

static void tell_end(struct here *h)
{
	struct agent *a = h->agent;

	h->ended = false;
	record_end(h);
	ready_end(h);
	loop_disarm(&a->loop, &h->kill);
	subprocess_close(&h->launcher);
	agent_tell(a, AGENT_ENDED " %u %u %d", h->world, h->round, h->code);
}

void here_reap(struct agent *a)
{
	struct sweep s = {.agent = a};
	struct here *h;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		h = launcher_of(a, pid);
		if (!h)
			continue;
		h->runs = false;
		h->ended = true;
		h->code = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
					      : WEXITSTATUS(status);
		a->ntries = 0;
		a->hurries = a->hurries || WIFSIGNALED(status);
	}
	proc_children_each("", getpid(), getpid(), kill_orphan, &s);
	if (s.n && a->ntries++ < REST_TRIES) {
		loop_arm(&a->loop, &a->rest, REST_MS);
		return;
	}
	a->hurries = false;
	for (unsigned w = 0; w < a->roles.n; w++)
		if (a->here[w].ended)
			tell_end(&a->here[w]);
	agent_ended(a);
}

void here_close(struct here *h)
{
	record_end(h);
	ready_end(h);
	loop_disarm(&h->agent->loop, &h->kill);
	subprocess_close(&h->launcher);
	free(h->file);
}
