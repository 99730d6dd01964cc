/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What dist-train-launch knows, and the parts of its life.
 */
#ifndef DT_HELPERS_LAUNCH_H
#define DT_HELPERS_LAUNCH_H

#include "core/config.h"
#include "core/err.h"
#include "core/job.h"
#include "core/option.h"
#include "core/plan.h"
#include "helpers/bind.h"
#include "helpers/crew.h"
#include "helpers/host_files.h"
#include "helpers/loop.h"
#include "helpers/npu_rows.h"
#include "helpers/output.h"
#include "helpers/run_dir.h"
#include "helpers/team.h"
#include "helpers/timeline.h"

#include <limits.h>
#include <stdbool.h>

struct launch {
	struct loop loop;
	struct crew crew;
	struct output *output;	  /* NULL: the workers have ours */
	struct team *team;	  /* NULL: nothing is started */
	struct loop_watch parent; /* slurmstepd */
	struct config config;
	struct request request;
	struct job job;
	struct plan plan;
	struct bind bind;
	struct run_dir run_dir;
	struct host_files host_files;
	struct timeline timeline;
	struct npu_task npus; /* where the framework's devices are NPUs */
	struct npu_rows rows;
	char rank_table[PATH_MAX + 32];
	long oom_kills; /* before anything was started */
	char program[PATH_MAX];
	char **argv;
	bool stale;	/* variables of an outer step are in the environment */
	unsigned round; /* restarts in place so far */
	int exit_code;	/* as the referee says */
	int hccn_fd;	/* hccn.conf as the plugin has read it, or -1 */
};

/* An env_lookup_fn over this process's environment. */
char *launch_env(void *arg, const char *name);

/* Start the plan's processes; with explain=only show what they would get. When
 * one can't be started the others may run. */
int launch_start(struct launch *l, struct err *err);

/* Start all, together with the step's other launchers, and wait for the end.
 * Returns the exit code, or -1. */
int launch_run(struct launch *l, struct err *err);

/* The folder of files that the processes need, and the files, where the plan
 * asks for some. Returns 0 or -1. */
int launch_make_folder(struct launch *l, struct err *err);

/* Where worker `index` may leave its exception. Returns buf. */
const char *launch_error_file(const struct launch *l, unsigned index,
			      char buf[PATH_MAX + 32]);

/* End the whole step after `after_s` seconds, with that exit code and one line
 * that says why. */
void launch_stop(struct launch *l, int code, long after_s, const char *why);

/* Let go of what launch_run() has opened. */
void launch_end(struct launch *l);

#endif
