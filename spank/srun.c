/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun.h"

#include "core/cleanup.h"
#include "core/counts.h"
#include "core/framework.h"
#include "core/handover.h"
#include "core/plan.h"
#include "spank/controller.h"
#include "spank/gres.h"
#include "spank/job.h"
#include "spank/rank0.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What srun found out about its step. */
struct found {
	struct srun_step step;
	struct rank0 rank0;
	struct gres gres;
};

static bool has_one_task_per_node(const struct srun_step *step)
{
	return step->ntasks == step->nnodes;
}

/* Whether the number of devices of each node decides how many processes there
 * are. */
static bool needs_counts(const struct request *r, const struct srun_step *step)
{
	int procs = request_word(r, KEY_PROCS);

	return (procs == PROCS_AUTO || procs == PROCS_DEVICE) &&
	       has_one_task_per_node(step) && controller_gres_types();
}

static bool needs_address(const struct request *r,
			  const struct srun_step *step)
{
	return (r->framework->needs & NEEDS_COORDINATOR) &&
	       (step->nnodes > 1 || request_word(r, KEY_ADDR) != ADDR_AUTO);
}

static int ask_controller(const struct request *r, struct found *f,
			  struct err *err)
{
	const struct srun_step *s = &f->step;
	bool address = needs_address(r, s);
	bool devices = r->framework->needs & NEEDS_DEVICES;
	bool counts = devices && needs_counts(r, s);
	slurm_step_layout_t *layout;
	int rc = 0;

	devices = counts || (devices && gres_has_generic());
	if (!address && !devices)
		return 0;
	layout = controller_layout(s->job_id, s->step_id, err);
	if (!layout)
		return -1;
	if (address)
		rc = rank0_find(layout, &f->rank0, err);
	if (rc == 0 && devices)
		rc = gres_find(s->job_id, s->step_id, layout, counts, &f->gres,
			       err);
	slurm_job_step_layout_free(layout);
	return rc;
}

/* Devices of task 0, so that its own count fits what was counted. */
static void fill_devices(const char *counts, struct device_facts *d)
{
	unsigned n;
	unsigned long before;

	if (!counts || counts_at(counts, 0, &n, &before) < 0)
		return;
	for (d->step.n = 0; d->step.n < n && d->step.n < IDLIST_MAX;
	     d->step.n++)
		d->step.id[d->step.n] = (unsigned short)d->step.n;
}

/* Refuse here, once and before anything starts, what task 0 would refuse. */
static int try_plan(const struct adapter *a, struct found *f, struct err *err)
{
	static char anywhere[] = "the first node";
	struct job job = {
		.job_id = f->step.job_id,
		.step_id = f->step.step_id,
		.ntasks = f->step.ntasks,
		.nnodes = f->step.nnodes,
		.local_ntasks = has_one_task_per_node(&f->step) ? 1 : 2,
		.node_name = anywhere,
		.rank0_node = *f->rank0.node ? f->rank0.node : anywhere,
		.rank0_addr = *f->rank0.addr ? f->rank0.addr : NULL,
		.procs = f->gres.counts,
	};
	struct plan plan;

	if (request_word(&a->request, KEY_ADDR) < 0) {
		if (f->step.nnodes > 1)
			return err_printf(err,
					  "addr=nic:%s in a step of several "
					  "nodes needs an exchange between "
					  "them, which this version doesn't "
					  "have; addr=ip takes the address of "
					  "NodeAddr",
					  a->request.key[KEY_ADDR].text);
		job.rank0_addr = anywhere;
	}
	if (request_word(&a->request, KEY_ADDR) == ADDR_IP && !job.rank0_addr)
		return err_printf(err,
				  "addr=ip: the address of node %s isn't "
				  "known on this host; addr=name uses its name",
				  job.rank0_node);
	fill_devices(f->gres.counts, &job.devices);
	return plan_make(&a->request, &a->config, &job, &plan, err);
}

static int put(const char *name, const char *value, struct err *err)
{
	if (value && *value ? setenv(name, value, 1) : unsetenv(name))
		return err_memory(err);
	return 0;
}

static int put_all(const struct found *f, struct err *err)
{
	char id[64];

	snprintf(id, sizeof(id), "%d:%u.%u", HANDOVER_VERSION, f->step.job_id,
		 f->step.step_id);
	if (put(HANDOVER_ID, id, err) < 0 ||
	    put(HANDOVER_NODE, f->rank0.node, err) < 0 ||
	    put(HANDOVER_ADDR, f->rank0.addr, err) < 0 ||
	    put(HANDOVER_PROCS, f->gres.counts, err) < 0)
		return -1;
	return put(HANDOVER_GRES, f->gres.indices, err);
}

/* A node without the plugin would start its tasks without their variables:
 * they get a value there that says what is wrong. */
static int put_markers(const struct framework *fw, struct err *err)
{
	const char *name = fw->required;
	const char *outer = getenv("DIST_TRAIN_STEP");

	while (*name) {
		size_t len = strcspn(name, " ");
		cleanup_free char *copy = strndup(name, len);

		if (!copy ||
		    setenv(copy, ENV_PLUGIN_MISSING, outer != NULL) < 0)
			return err_memory(err);
		name += len + (name[len] == ' ');
	}
	return 0;
}

int srun_hand_over(spank_t sp, const struct adapter *adapter, struct err *err)
{
	struct found f = {0};
	int rc;

	unsetenv(HANDOVER_ERROR);
	if (job_of_srun(sp, &f.step, err) < 0)
		return -1;
	rc = ask_controller(&adapter->request, &f, err);
	if (rc == 0)
		rc = try_plan(adapter, &f, err);
	if (rc == 0)
		rc = put_all(&f, err);
	if (rc == 0)
		rc = put_markers(adapter->request.framework, err);
	gres_clear(&f.gres);
	if (rc < 0)
		setenv(HANDOVER_ERROR, "1", 1);
	return rc;
}
