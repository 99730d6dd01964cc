/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train-launch, from its begin to its end. It runs on each node of a step,
 * as the user, as the child of slurmstepd and in the place of the user's
 * program. It starts the node's processes and waits until they have ended.
 *
 * main() (dist-train-launch.c) reads the hand-over and makes the plan. run.c
 * opens the event loop and the parts of parts.def, such as the channel to the
 * step's other launchers and the output, and walks the phases of phases.def. A
 * phase asks, waits or starts something; phase.c calls it and goes on to the
 * next one when it is done. A part takes messages and is told what happens
 * until the step ends (part.c).
 * What its processes do (proc_events.c) is told to the arbiter of the step
 * (helpers/channel/session.h), which decides when all go on, when all end, and
 * with which exit code.
 *
 * The launcher never decides for the step: also a fault of its own is a message
 * to the step's controller (helpers/step). Everything runs in one thread, in
 * callbacks of one loop that don't block; what may block (the NPUs' driver,
 * PMIx) runs in a child.
 *
 * This file has what the phases of this room share. What a phase has for itself
 * is in its own file, and other files ask for it by the functions of its
 * header. Other rooms see the launcher's view (launch_view.h), and no more.
 */
#ifndef DT_HELPERS_LAUNCH_LAUNCH_H
#define DT_HELPERS_LAUNCH_LAUNCH_H

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/plan.h"
#include "helpers/channel/session.h"
#include "helpers/files/files.h"
#include "helpers/node/bind.h"
#include "helpers/npu/devinfo.h"
#include "helpers/output/output.h"
#include "helpers/output/timeline.h"
#include "helpers/part/launch_view.h"
#include "helpers/procs/input.h"
#include "helpers/procs/procs.h"
#include "sys/loop.h"

#include <limits.h>
#include <stdbool.h>

/* What the launcher has made for the plan; each new plan gets it again
 * (launch_plan_again()). */
struct made_for_plan {
	char rank_table[PATH_MAX + 32]; /* by table.c; "": none */
	char secret[SEAL_WORD_SIZE];	/* by start_service.c; "": none */
	struct host_files host_files;
	struct cert_files cert_files; /* by start_service.c */
};

struct launch {
	struct launch_view view; /* what other rooms see of all this; the first
				    member (launch_view()) */

	/* what was asked for, and what the processes are */
	struct config config;
	struct request request;
	struct job job; /* of the step; with recovery of this round's world */
	struct job_of_nodes by_node; /* with one launcher for each node */
	struct plan plan;
	struct made_for_plan made;
	char program[PATH_MAX]; /* which they run */
	char **argv;
	struct met_secret met; /* where srun hasn't had the plugin */
	bool stale; /* variables of an outer step are in the environment */

	/* what this node gives them */
	struct bind bind;
	struct npu_task npus; /* by facts.c, where devices are NPUs */
	struct run_dir run_dir;
	int hccn_fd;	    /* hccn.conf as the plugin has read it, or -1 */
	int node_memory_fd; /* helpers/ranktable/ranktable_shared.c, or -1 */

	/* what runs, and who is told */
	struct loop loop;
	struct procs procs;
	struct input *input;	    /* the same */
	unsigned nreaders;	    /* of it */
	struct own_lines own_lines; /* without output */
	struct timeline timeline;
	struct loop_watch parent; /* slurmstepd */
	long oom_kills;		  /* before anything was started */

	/* what the phases own; NULL before they begin */
	struct running_service *service;
};

#endif
