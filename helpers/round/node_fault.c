/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/round/round.h"

#include "helpers/check/node_facts.h"
#include "helpers/launch/check_phase/check.h"
#include "helpers/part/launch_view.h"
#include "helpers/part/note.h"
#include "helpers/part/part.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

void node_fault_check(struct launch *l, const struct proc *proc)
{
	char why[128];

	if (!WIFSIGNALED(proc->status) || WTERMSIG(proc->status) != SIGBUS)
		return;
	snprintf(why, sizeof(why),
		 "has faulty memory or a full /dev/shm (rank %u, pid %d, got "
		 "SIGBUS)",
		 proc->process.rank, (int)proc->pid);
	launch_condemn(l, why);
}

struct node_fault {
	struct devices_gone gone;
	bool asked, asks; /* in this round */
};

static void has_asked(void *arg, const char *why)
{
	struct launch_view *v = arg;
	struct node_fault *f = own_of(v->launch, &node_fault_part);
	char text[600];

	f->asks = false;
	if (why) {
		snprintf(text, sizeof(text), "has a device that failed (%s)",
			 why);
		launch_condemn(v->launch, text);
	}
	devices_gone_close(&f->gone);
	v->procs->all_ended(v->procs->arg);
}

/* The step fails without that, too. */
static bool ask(struct launch_view *v, struct devices_gone *gone)
{
	bool npus = v->plan->resolved.npu;
	int gpus = check_gpus_given(v);
	struct err ignored;

	/* What was never well can't be the reason */
	if (!check_is_wanted(v->plan) || (!npus && gpus <= 0))
		return false;
	gone->loop = v->loop;
	gone->done = has_asked;
	gone->arg = v;
	return devices_gone_begin(gone, gpus,
				  npus ? &v->npus->own : &(struct idlist){0},
				  &ignored) == 0;
}

bool node_fault_asks(struct launch *l)
{
	struct launch_view *v = launch_view(l);
	const struct proc *w = v->procs->first_failure;
	struct node_fault *f = own_of(l, &node_fault_part);

	if (!f || f->asked || !w || w->signalled)
		return f && f->asks;
	f->asked = true;
	f->asks = ask(v, &f->gone);
	return f->asks;
}

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.recovery;
}

static void forget(struct launch *l)
{
	struct node_fault *f = own_of(l, &node_fault_part);

	devices_gone_close(&f->gone);
	*f = (struct node_fault){0};
}

const struct part node_fault_part = {
	.name = "node-fault",
	.wanted = is_wanted,
	.size = sizeof(struct node_fault),
	.close = forget,
	.round = forget,
};
