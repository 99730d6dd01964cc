/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/launch.h"

#include "core/base/env_secret.h"
#include "core/explain/explain.h"
#include "core/facts/handover.h"
#include "helpers/stage/stage.h"
#include "sys/left_signals.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What processes don't inherit: our own hand-over, and the parent task's PMI,
 * which only one process could use. */
static const char *const not_inherited[] = {
	HANDOVER_PREFIX, "PMIX_", "PMI_", "SLURM_PMIX", "SLURM_PMI_", NULL,
};

void spawn_init(const struct launch *l, unsigned index, struct spawn *ret)
{
	*ret = (struct spawn){
		.index = index,
		.without = not_inherited,
		.child = {.file = l->program,
			  .argv = l->argv,
			  .in = -1,
			  .out = -1,
			  .err = -1},
	};
}

int spawn_prepend_path(const struct launch *l, struct spawn *s,
		       const char *source, struct err *err)
{
	const char *dirs = getenv("PATH");

	return envset_add(&s->set, ENV_OURS, source, err, "PATH", "%s%s%s",
			  l->run_dir.path, dirs ? ":" : "", dirs ? dirs : "");
}

void spawn_resolve(const struct launch *l, struct spawn *s, bool overwrite)
{
	envset_resolve(&s->set, own_env, NULL, overwrite, l->stale);
}

/* What the task couldn't say before its TaskProlog. */
static void say_kept_devices(const struct launch *l, const struct spawn *s)
{
	const char *name = s->process.devices.variable;
	const struct env_entry *e = name ? envset_find(&s->set, name) : NULL;
	char line[ENV_KEPT_SIZE];

	if (e && e->kind == ENV_FACT && e->state == ENV_KEPT &&
	    !s->process.rank && !l->job.round)
		fprintf(stderr, "dist-train: %s\n",
			env_kept(e, e->value, line));
}

int spawn_show(const struct launch *l, struct spawn *s, struct err *err)
{
	int word = request_word(&l->request, KEY_EXPLAIN);
	FILE *out = word == EXPLAIN_ONLY ? stdout : stderr;
	cleanup_free char *text = NULL;
	char remark[512];

	spawn_resolve(l, s, request_yes(&l->request, KEY_OVERWRITE));
	if (plan_remark(&l->plan, &s->process, remark, sizeof(remark)))
		fprintf(stderr, "dist-train: %s\n", remark);
	say_kept_devices(l, s);
	if (word == EXPLAIN_NO)
		return 0;
	text = explain_process(&l->plan, &s->process, &s->set, NULL,
			       EXPLAIN_ALL, err);
	if (!text)
		return -1;
	fputs(text, out);
	fflush(out);
	return 0;
}

int spawn_attach(struct launch *l, struct spawn *s, struct err *err)
{
	if (!l->view.output)
		return 0;
	return output_attach(l->view.output, s->index, &s->process,
			     &s->child.out, &s->child.err, err);
}

int spawn_start(struct launch *l, struct spawn *s, struct err *err)
{
	__attribute__((
		cleanup(stage_command_clear))) struct stage_command own = {
		.argv = NULL};
	struct child child = s->child;
	pid_t pid;

	s->child.env = child_env(&s->set, s->without);
	if (!s->child.env)
		return err_memory(err);
	child.env = s->child.env;
	if (stage_child(l, &child, &own, err) < 0)
		return -1;
	pid = child_start(&child, err);
	if (pid < 0)
		return -1;
	procs_started(&l->procs, s->index, &s->process, pid);
	/* Who ends a world has signalled all of its processes, this one not yet
	 */
	if (l->job.world && signal_is_pending(SIGTERM))
		kill(pid, SIGTERM);
	return 0;
}

void spawn_clear(struct spawn *s)
{
	int fd[] = {s->child.in, s->child.out, s->child.err};

	for (size_t i = 0; i < sizeof(fd) / sizeof(*fd); i++)
		close_fd(&fd[i]);
	child_free_env((char **)s->child.env);
	envset_clear(&s->set);
}
