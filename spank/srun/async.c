/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "core/base/parse.h"
#include "core/facts/handover.h"
#include "core/plan/recovery.h"
#include "spank/slurm/cmdline.h"
#include "spank/slurm/slurmctld.h"
#include "sys/log.h"

#include <limits.h>
#include <stdlib.h>

static unsigned own_job_id(void)
{
	const char *text = getenv("SLURM_JOB_ID");
	long id;

	return text && parse_number(text, 1, INT_MAX, &id) == 0 ? (unsigned)id
								: 0;
}

/* What somebody has to be there for when the step ends or loses a node. */
static const char *needs_srun(const struct request *r, const struct resolved *w,
			      char buf[RECOVERY_ASKED])
{
	if (w->recovery || w->requeue)
		return recovery_asked(w, buf);
	if (request_text(r, KEY_REQUEUE))
		return "requeue";
	return request_given(r, KEY_GROUPS_STRICT) ? "groups-strict" : NULL;
}

/* The job's devices of which no node is told how many its step has; NULL: none,
 * or what Slurm calls gpu is there and counts. */
static const char *uncounted(const struct request *r, const struct resolved *w)
{
	bool gpus = getenv("SLURM_JOB_GPUS") || cmdline_has("--gpu") ||
		    cmdline_has("--gres=gpu");

	if (!(w->needs & NEEDS_DEVICES) || (gpus && !r->framework->npu))
		return NULL;
	return gres_uncounted(own_job_id(), true);
}

static int refuse(const struct request *r, const struct resolved *w,
		  struct err *err)
{
	char buf[RECOVERY_ASKED];
	const char *what = needs_srun(r, w, buf), *name;

	if (what)
		return err_printf(err,
				  "%s needs srun to stay beside the step, and "
				  "with --async it leaves; write & behind "
				  "srun instead, and wait at the script's end",
				  what);
	name = uncounted(r, w);
	if (name)
		return err_printf(err,
				  "a step of srun --async can't know which of "
				  "the job's %s are its own; write & behind "
				  "srun instead, and wait at the script's end",
				  name);
	return srun_check_user(r, w, err);
}

static void say_no_effect(const struct resolved *w)
{
	const char *key = w->by_topology ? "order=topology" : "groups";

	if (w->by_topology || w->groups)
		log_line("%s has no effect with srun --async, which doesn't "
			 "know the step's nodes; their order is Slurm's",
			 key);
}

int async_begin(const struct adapter *a, struct err *err)
{
	if (!cmdline_is_async())
		return 0;
	if (stale_handover_unset(err) < 0)
		return -1;
	if (components_left_alone()) {
		slurmctld_undo_kill_on_bad_exit();
		return setenv(HANDOVER_LEAVE, "1", 1) < 0 ? err_memory(err) : 0;
	}
	if (setenv(HANDOVER_OWN,
		   a->config.own_defaults ? a->config.own_defaults : "", 1) < 0)
		return err_memory(err);
	srun_say_remarks(&a->request);
	if (refuse(&a->request, &a->resolved, err) < 0)
		return -1;
	say_no_effect(&a->resolved);
	return 0;
}
