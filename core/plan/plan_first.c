/* SPDX-License-Identifier: Apache-2.0 */

#include "core/plan/framework.h"
#include "core/plan/recovery.h"

#include <string.h>

int plan_first(struct plan *p, struct err *err)
{
	const struct request *r = p->request;

	if (r->framework->roles || r->framework->npu)
		return err_printf(err,
				  "run-on=first: the processes of %s are "
				  "started by the step itself, not by a "
				  "program on the first node",
				  r->framework->name);
	if (p->resolved.no_launcher)
		return err_printf(err, "supervise=no: run-on=first needs the "
				       "launcher");
	if (recovery_check(p, err) < 0)
		return -1;
	if (request_number(r, KEY_RESTARTS))
		return err_printf(
			err, "restarts: not supported with run-on=first, where "
			     "the program starts its processes itself");
	if (p->resolved.hang.seconds)
		return err_printf(
			err, "hang: not supported with run-on=first, where the "
			     "program starts its processes itself");
	p->launcher = true;
	p->role = ROLE_LAUNCHER;
	p->nprocs = p->job->procid == 0;
	p->first_rank = !p->nprocs; /* those that wait have none */
	p->world_size = p->nodes_procs = p->nports = 1;
	p->node_rank = p->job->nodeid;
	return 0;
}

/* What a variable is to hold. The daemons of Open MPI on other nodes look for
 * the agent, too. */
enum holds { RSH, AGENT, HOSTS, MACHINES, TEXT };

/* Open MPI 4 and 5 (PRRTE), MPICH and Intel MPI (both Hydra), pdsh. They know
 * Slurm too and would start their daemons by srun, with srun's own idea of how
 * many and where; the list of hosts decides here. */
static const struct variable {
	const char *name;
	enum holds holds;
	const char *text;
} variables[] = {
	{"DIST_TRAIN_HOSTFILE", HOSTS, NULL},
	{"OMPI_MCA_plm", TEXT, "rsh"},
	{"OMPI_MCA_plm_rsh_agent", AGENT, NULL},
	{"OMPI_MCA_ras", TEXT, "^slurm"},
	{"OMPI_MCA_orte_default_hostfile", HOSTS, NULL},
	{"PRTE_MCA_plm", TEXT, "ssh"},
	{"PRTE_MCA_plm_ssh_agent", AGENT, NULL},
	{"PRTE_MCA_ras", TEXT, "^slurm"},
	{"PRTE_MCA_prte_default_hostfile", HOSTS, NULL},
	{"HYDRA_LAUNCHER", TEXT, "ssh"},
	{"HYDRA_LAUNCHER_EXEC", RSH, NULL},
	{"HYDRA_HOST_FILE", MACHINES, NULL},
	{"I_MPI_HYDRA_BOOTSTRAP", TEXT, "ssh"},
	{"I_MPI_HYDRA_BOOTSTRAP_EXEC", RSH, NULL},
	{"I_MPI_HYDRA_HOST_FILE", MACHINES, NULL},
	{"PDSH_RCMD_TYPE", TEXT, "ssh"},
};

static int add_variable(const struct plan *plan, const struct variable *v,
			struct envset *set, struct err *err)
{
	const char *texts[] = {
		[RSH] = plan->files.rsh,
		[AGENT] = plan->files.agent,
		[HOSTS] = plan->files.hosts,
		[MACHINES] = plan->files.machines,
		[TEXT] = v->text,
	};
	const char *text = texts[v->holds];
	bool ours = !strncmp(v->name, "DIST_TRAIN_", 11);

	return envset_add(set, ours ? ENV_OURS : ENV_HINT,
			  "for launchers: Slurm instead of ssh", err, v->name,
			  "%s", text ? text : ENV_LATER);
}

int plan_launcher_env(const struct plan *plan, struct envset *set,
		      struct err *err)
{
	const struct job *job = plan->job;

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (add_variable(plan, &variables[i], set, err) < 0)
			return -1;
	if (envset_add(set, ENV_OURS, "SLURM_STEP_NODELIST", err,
		       "DIST_TRAIN_HOSTS", "%s",
		       job->nodes ? job->nodes : job->node_name) < 0)
		return -1;
	if (!job->addrs)
		return envset_unset(set, ENV_OURS, "names will do", err,
				    "DIST_TRAIN_HOST_ADDRS");
	return envset_add(set, ENV_OURS, "addresses of these nodes", err,
			  "DIST_TRAIN_HOST_ADDRS", "%s", job->addrs);
}
