/* SPDX-License-Identifier: Apache-2.0 */
#include "core/command/step_command_check.h"

#include "core/base/parse.h"
#include "core/plan/dialect.h"
#include "core/plan/framework.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The framework itself expects torchrun as the program: one launcher per node,
 * which no service (Ray, Dask) and no argument of ours (vLLM) turns into
 * something else. */
static bool expects_torchrun(const struct plan *plan)
{
	const struct framework *fw = plan->request->framework;

	return fw->launches && !fw->once && !fw->args && !fw->program_is_file;
}

/* Each process of the step is a worker of PyTorch's. A platform's dialect may
 * give the command another meaning. */
static bool starts_workers(const struct plan *plan)
{
	return plan->request->framework->local_rank &&
	       !plan->request->dialect && !plan->resolved.launches &&
	       !plan->resolved.run_first;
}

/* In recovery a fixed number of nodes must be that of each round's world. */
static int check_in_worlds(const struct plan *plan,
			   const struct step_command *c, struct err *err)
{
	const struct resolved *w = &plan->resolved;
	char ladder[LADDER_SIZE];

	if (!w->recovery || !c->nnodes ||
	    (c->nnodes == plan->nnodes &&
	     !ladder_has(&w->ladder, LADDER_SHRINK)))
		return 0;
	return err_printf(err,
			  "%s --nnodes=%u, but the world has %u nodes at the "
			  "start (spares=%u, on-node-loss=%s); leave out "
			  "--nnodes, and %s gets those of each round",
			  c->name, c->nnodes, plan->nnodes, w->spares,
			  ladder_text(&w->ladder, ladder), c->name);
}

static int check_in_torchrun(const struct plan *plan,
			     const struct step_command *c, struct err *err)
{
	if (c->standalone && plan->nnodes > 1)
		return err_printf(err,
				  "%s --standalone trains on one node, but "
				  "this step has %u; leave out --standalone, "
				  "and %s gets the nodes from "
				  "--dist-train=torchrun",
				  c->name, plan->nnodes, c->name);
	if (c->nnodes && c->nnodes < plan->nnodes)
		return err_printf(err,
				  "%s --nnodes=%u, but this step has %u nodes; "
				  "leave out --nnodes, and %s gets the nodes "
				  "from --dist-train=torchrun",
				  c->name, c->nnodes, plan->nnodes, c->name);
	if (c->node_rank && plan->nnodes > 1)
		return err_printf(err,
				  "%s --node-rank is one number on all %u "
				  "nodes of this step; leave out --node-rank, "
				  "--master-addr and --master-port, and %s "
				  "gets them from --dist-train=torchrun",
				  c->name, plan->nnodes, c->name);
	return check_in_worlds(plan, c, err);
}

/* As many torchruns as it asks for: each is its first node at an address of
 * its own, and waits for the others without end. */
static int check_meeting(const struct plan *plan, const struct step_command *c,
			 command_getenv *env, struct err *err)
{
	if (plan->world_size == 1 || c->meets || env("PET_NODE_RANK") ||
	    env("PET_RDZV_ENDPOINT"))
		return 0;
	return err_printf(err,
			  "%s has no --rdzv-endpoint, and each of the %u of "
			  "this step would wait for the others at an address "
			  "of its own; use --dist-train=torchrun, which gives "
			  "it one, or python instead of %s",
			  c->name, plan->world_size, c->name);
}

static int check_in_workers(const struct plan *plan,
			    const struct step_command *c, command_getenv *env,
			    struct err *err)
{
	unsigned nnodes = c->nnodes, n = plan->world_size;
	const char *pet = env("PET_NNODES");

	if (c->nnodes_open)
		nnodes = plan->nnodes;
	else if (c->standalone || (!nnodes && !pet))
		nnodes = 1;
	else if (!nnodes)
		nnodes = step_command_nodes(pet);
	if (!nnodes)
		return 0;
	if (nnodes >= n)
		return check_meeting(plan, c, env, err);
	return err_printf(err,
			  "%s starts the processes of a node, but %s has "
			  "started %u already, and each would be a %s for %u "
			  "node%s; use --dist-train=torchrun, or python "
			  "instead of %s",
			  c->name, plan->request->framework->name, n, c->name,
			  nnodes, nnodes == 1 ? "" : "s", c->name);
}

/* It would wait for the platform's names without end. */
static int check_start_script(const struct plan *plan,
			      const struct step_command *c, struct err *err)
{
	const struct dialect *d = plan->request->dialect;

	if (!d || !d->start_script || !c->name ||
	    strcmp(c->name, d->start_script) != 0)
		return 0;
	return err_printf(err,
			  "%s needs sshd and the names of the platform's own "
			  "nodes; leave it out, and Slurm starts the ranks: "
			  "srun --ntasks-per-node=N --dist-train=mpi,"
			  "dialect=%s, then what stands after %s",
			  c->name, d->name, c->name);
}

/* It would be started by each task, and its daemons wait for Slurm, or its
 * ranks for one another. */
static int check_mpirun(const struct request *r, const struct resolved *w,
			const struct step_command *c, struct err *err)
{
	const char *fits = strcmp(c->name, "horovodrun") ? "mpi" : "horovod";

	if (w->run_first || r->dialect ||
	    !(r->framework->local_rank || r->framework->launches ||
	      w->needs & NEEDS_PMI))
		return 0;
	return err_printf(err,
			  "%s starts the processes of all nodes itself, but "
			  "with %s each of the step's processes would be one "
			  "%s; use --dist-train=%s,run-on=first, or leave out "
			  "%s, and srun starts the processes",
			  c->name, r->framework->name, c->name, fits, c->name);
}

int step_command_check_words(const struct request *r, const struct resolved *w,
			     unsigned ntasks, const struct step_command *c,
			     struct err *err)
{
	if (c->kind == COMMAND_PAIR &&
	    request_key_find(r, c->name, strcspn(c->name, "=")) >= 0)
		return err_printf(
			err,
			"%.80s is a key and no program: keys follow a "
			"comma, without a blank; write --dist-train="
			"%s,%.80s",
			c->name, r->framework->name, c->name);
	if (c->kind == COMMAND_MPIRUN && (ntasks > 1 || w->device_mode))
		return check_mpirun(r, w, c, err);
	return 0;
}

int step_command_check(const struct plan *plan, const struct step_command *c,
		       command_getenv *env, struct err *err)
{
	if (check_start_script(plan, c, err) < 0)
		return -1;
	if (c->kind != COMMAND_TORCHRUN)
		return 0;
	if (expects_torchrun(plan))
		return check_in_torchrun(plan, c, err);
	if (starts_workers(plan))
		return check_in_workers(plan, c, env, err);
	return 0;
}

static void say_script(const struct step_command *c, char *buf, unsigned size)
{
	snprintf(buf, size,
		 "python runs %.80s, which finds no RANK: with "
		 "--dist-train=torchrun each node would train alone; write "
		 "torchrun instead of python, or use --dist-train=ddp",
		 c->name);
}

static void say_part(const struct plan *plan, const struct step_command *c,
		     char *buf, unsigned size)
{
	snprintf(buf, size,
		 "%s --nnodes=%u, but this step has %u node%s, and doesn't "
		 "reach other steps; start all nodes by one srun, or each with "
		 "--dist-train=none",
		 c->name, c->nnodes, plan->nnodes,
		 plan->nnodes == 1 ? "" : "s");
}

static void say_launcher(const struct plan *plan, const struct step_command *c,
			 char *buf, unsigned size)
{
	snprintf(buf, size,
		 "%s starts processes itself, but %s has started %u already, "
		 "each with %s; python instead is enough",
		 c->name, plan->request->framework->name, plan->world_size,
		 c->name);
}

/* The script of a platform where such a file is. */
static bool say_host_file(const struct plan *plan, const struct step_command *c,
			  char *buf, unsigned size)
{
	if (!c->host_file ||
	    !(plan->request->dialect || plan->resolved.needs & NEEDS_HOST_FILE))
		return false;
	snprintf(buf, size,
		 "%s names %s, which only the platform's own nodes have: %s",
		 c->name, c->host_file->path, c->host_file->instead);
	return true;
}

bool step_command_remark(const struct plan *plan, const struct step_command *c,
			 char *buf, unsigned size)
{
	if (c->kind == COMMAND_SCRIPT && expects_torchrun(plan))
		say_script(c, buf, size);
	else if (c->kind == COMMAND_TORCHRUN && c->nnodes > plan->nnodes)
		say_part(plan, c, buf, size);
	else if (c->kind == COMMAND_LAUNCHER && starts_workers(plan) &&
		 plan->world_size > 1)
		say_launcher(plan, c, buf, size);
	else
		return say_host_file(plan, c, buf, size);
	return true;
}

bool step_command_beside_remark(const struct plan *plan,
				const struct step_command *c,
				const char *job_nnodes, char *buf,
				unsigned size)
{
	const char *name = c->name ? c->name : "the program";
	long n;

	if (plan->nnodes > 1 || plan->nprocs < 2 || !job_nnodes ||
	    !plan->resolved.device_mode ||
	    parse_number(job_nnodes, 2, INT_MAX, &n) < 0)
		return false;
	snprintf(buf, size,
		 "this srun has 1 of the job's %ld nodes and the job's "
		 "--dist-train=%s, so %.80s starts %u times, a world of its "
		 "own; srun --dist-train=none starts it once, as a server "
		 "beside the training needs it",
		 n, plan->request->framework->name, name, plan->nprocs);
	return true;
}
