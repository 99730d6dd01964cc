/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/procs/procs.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* The node's numbers: a process that sees one device calls it 0. */
static void put_devices(FILE *f, const struct plan *plan,
			const struct process *p)
{
	char text[IDLIST_MAX * 6];
	struct idlist its;

	if (p->added || !p->devices.own.n)
		return;
	plan_devices_on_node(plan, p->rank - plan->first_rank, &its);
	if (its.n && idlist_format(&its, text, sizeof(text)) == 0)
		fprintf(f, ", device%s %s", its.n > 1 ? "s" : "", text);
}

static void put_who(FILE *f, const struct plan *plan, const struct proc *w)
{
	char name[SERVICE_NAME_SIZE];

	if (plan->job->world)
		fprintf(f, "%s: ", plan->job->world);
	if (w->process.added && plan->start_command)
		fprintf(f, "the script on %s", plan->job->node_name);
	else if (w->process.added)
		fprintf(f, "service %s on %s", service_name(plan, name),
			plan->job->node_name);
	else if (plan->nreplicas)
		fprintf(f, "rank %u of replica group %u (%s) on %s",
			w->process.world.rank, w->process.world.replica,
			role_name(w->process.role), plan->job->node_name);
	else
		fprintf(f, "rank %u (%s) on %s", w->process.rank,
			role_name(w->process.role), plan->job->node_name);
}

static void put_cause(FILE *f, int status)
{
	const char *name;

	if (!WIFSIGNALED(status)) {
		fprintf(f, "exit code %d", WEXITSTATUS(status));
		return;
	}
	name = sigabbrev_np(WTERMSIG(status));
	fprintf(f, "signal %d", WTERMSIG(status));
	if (name)
		fprintf(f, " (SIG%s)", name);
}

void report_first_failure(FILE *f, const struct plan *plan,
			  const struct proc *w,
			  const struct report_facts *facts)
{
	double seconds = (double)(w->ended_ms - w->started_ms) / 1000;

	fputs("dist-train: ", f);
	put_who(f, plan, w);
	put_devices(f, plan, &w->process);
	if (w->pid) /* else its keeper has never told it */
		fprintf(f, ", pid %d", (int)w->pid);
	fputs(": ", f);
	if (facts->out_of_memory && WIFSIGNALED(w->status))
		fprintf(f, "out of memory");
	else
		put_cause(f, w->status);
	fprintf(f, " after %.1f s (first failure%s%s)\n", seconds,
		facts->only_here ? " on " : "",
		facts->only_here ? plan->job->node_name : "");
	if (*facts->exception)
		fprintf(f, "dist-train: %s\n", facts->exception);
	if (*facts->last_lines)
		fprintf(f, "dist-train: its last lines:\n%s",
			facts->last_lines);
	fflush(f);
}

void report_hang(FILE *f, const struct plan *plan, const struct proc *w,
		 const char *what, const char *after)
{
	fputs("dist-train: ", f);
	put_who(f, plan, w);
	fprintf(f, " hasn't ended by SIGTERM: %s%s\n", what, after);
}
