/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/slurm/step_gres.h"

#include "core/base/parse.h"
#include "core/facts/device.h"

#include <string.h>

unsigned long step_gres_total(const job_info_t *job, const char *name)
{
	unsigned long n = 0;
	struct idlist list;

	for (unsigned i = 0; i < job->gres_detail_cnt; i++)
		if (job->gres_detail_str[i] &&
		    gres_detail(job->gres_detail_str[i], name, &list) == 0)
			n += list.n;
	return n;
}

bool step_gres_named(const char *asked)
{
	return asked && strstr(asked, "gres");
}

/* If a step asks for nothing, its record contains the job's request. If the
 * record contains no gres at all (--gres=none, or the job has devices without
 * asking for them, as with --exclusive), the step has no devices. */
bool step_gres_asked(const job_step_info_t *st)
{
	return step_gres_named(st->tres_per_node) ||
	       step_gres_named(st->tres_per_task) ||
	       step_gres_named(st->tres_per_step) ||
	       step_gres_named(st->tres_per_socket);
}

int step_gres_of_job(const job_info_t *job, unsigned at, const char *node,
		     const char *name, struct idlist *ret, struct err *err)
{
	const char *detail =
		at < job->gres_detail_cnt ? job->gres_detail_str[at] : NULL;
	char shown[SHOW_SIZE];

	ret->n = 0;
	if (!detail || gres_detail(detail, name, ret) == 0)
		return 0;
	return err_printf(err,
			  "node %s: can't read Slurm's list of the job's "
			  "devices: %s",
			  node, show(shown, detail));
}

int step_gres_share(const job_info_t *job, const job_step_info_t *st,
		    const char *name, bool single, unsigned available,
		    unsigned *ret, struct err *err)
{
	unsigned long n;

	if (!step_gres_asked(st)) {
		*ret = 0;
		return 0;
	}
	if ((st->tres_per_node && gres_asked(st->tres_per_node, name, &n)) ||
	    (st->tres_per_task && single &&
	     gres_asked(st->tres_per_task, name, &n))) {
		*ret = (unsigned)n;
		return 0;
	}
	if ((st->tres_per_step && gres_asked(st->tres_per_step, name, &n) &&
	     n != step_gres_total(job, name)) ||
	    (st->tres_per_socket && *st->tres_per_socket))
		return err_printf(
			err, "Slurm doesn't say how many of the step's devices "
			     "are on each node; use --gpus-per-node=N, or "
			     "procs=N, which starts N processes per node");
	*ret = available;
	return 0;
}

int step_gres_refuse_part(const char *name, unsigned has, unsigned of,
			  struct err *err)
{
	return err_printf(err,
			  "Slurm doesn't say which %u of the job's %u %s on a "
			  "node belong to this step; give the step all of "
			  "them, or ask the administrator to define them in "
			  "gres.conf as Name=gpu Type=... Flags=no_gpu_env",
			  has, of, name);
}
