/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the plugin does in srun when the step exists and its tasks don't yet:
 * ask for rank 0's node, devices and places, try the plan once so that
 * errors appear before anything starts, and pass the findings on in srun's
 * environment. Called by slurm_spank_local_user_init() in spank/plugin.c.
 */
#include "config.h"

#include "core/base/parse.h"
#include "core/base/runlength.h"
#include "core/command/step_command_check.h"
#include "core/command/wrapped_command.h"
#include "core/env/process_env.h"
#include "core/facts/handover.h"
#include "core/facts/port.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "core/plan/recovery.h"
#include "core/plan/step_order.h"
#include "registry/component_options.h"
#include "registry/registry.h"
#include "spank/ending/job_end.h"
#include "spank/ending/srun_liveness.h"
#include "spank/slurm/cmdline.h"
#include "spank/slurm/secret.h"
#include "spank/slurm/slurmctld.h"
#include "spank/slurm/step_job.h"
#include "spank/srun/srun.h"
#include "spank/srun/step_start.h"
#include "sys/child.h"
#include "sys/log.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether the list of --export gives this variable a value. */
static bool has_value(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = list; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (!strncmp(p, name, len) && p[len] == '=')
			return true;
	}
	return false;
}

/* Whether a node without the plugin, or before it acts, shows a marker for
 * this variable. Slurm's own, the vendors' and lists that the user has begun
 * must keep their values; so must what --export gives a value, over which Slurm
 * would put what is in srun's environment. */
static bool is_marked(const struct env_entry *e, const char *vendors,
		      const char *exported)
{
	if (e->kind == ENV_LIST || !strncmp(e->name, "SLURM_", 6) ||
	    (vendors && !strcmp(e->name, vendors)) ||
	    (e->kind != ENV_OURS && has_value(exported, e->name)))
		return false;
	return e->kind != ENV_OURS || !strncmp(e->name, "DIST_TRAIN_", 11);
}

/* Give each variable that the nodes will set a marker as its value, which
 * remains, and says what is wrong, on a node without the plugin. A value that
 * the user has set is kept, unless an outer step of ours has left it. */
static int markers_put(const struct plan *plan, struct err *err)
{
	bool stale = getenv("DIST_TRAIN_STEP") != NULL;
	struct process process;
	struct envset set = {0};
	const char *exported = cmdline_export();
	int rc = plan_process(plan, 0, &process, err);

	if (rc == 0)
		rc = process_env(plan, &process, &set, err);
	for (size_t i = 0; rc == 0 && i < set.n; i++)
		if (is_marked(&set.entry[i], process.devices.variable,
			      exported) &&
		    setenv(set.entry[i].name, ENV_PLUGIN_MISSING,
			   stale || set.entry[i].kind == ENV_OURS) < 0)
			rc = err_memory(err);
	envset_clear(&set);
	return rc;
}

#define PORTS_MAX 512 /* that are tried for the controller */

/* What srun found out about its step. */
struct found {
	char **argv; /* the program and its arguments: SPANK's own; NULL: it
			doesn't tell */
	struct srun_step step;
	struct resolved resolved; /* before the controller is asked */
	struct rank0 rank0;
	struct gres gres;
	struct step_procmap peers;
	char *order;		  /* of the nodes, or NULL (ask_order.c) */
	struct topology topology; /* where it has been asked for */
	char *features; /* of the nodes, for default profiles, or NULL */
	bool launcher;	/* whether the plan needs the launcher */
	struct step_command command; /* that the user gave srun */
	char room[COMMAND_ROOM];     /* of its name */
	bool task_prolog;	     /* it may change what the tasks have got */
};

/* The plan asks only whether it is 1. */
static unsigned tasks_of_a_node(const struct srun_step *step)
{
	return step->ntasks == step->nnodes ? 1 : 2;
}

/* Whether each node may have to know all nodes' devices and tasks, to do
 * without an exchange. */
static bool needs_all_nodes(const struct resolved *w, const struct config *c,
			    const struct srun_step *step)
{
	return w->exchange & EXCHANGE_MAY_INVENTORY && step->nnodes > 1 &&
	       c->inventory;
}

/* Devices by task, and which ones are generic. */
static int ask_devices(const struct config *c, struct found *f, struct err *err)
{
	const struct srun_step *s = &f->step;
	const struct resolved *w = &f->resolved;
	bool devices = w->needs & NEEDS_DEVICES;
	bool all = needs_all_nodes(w, c, s);
	struct ask_gres_wish wish = {
		.counts = w->device_counts && slurmctld_gres_types(),
		.indices = all,
		.must = all && w->exchange == EXCHANGE_MAY_INVENTORY,
	};

	if (!wish.counts && !all && !(devices && gres_may_be_generic()))
		return 0;
	return ask_gres(s, &wish, &f->gres, err);
}

/* The job's id that tasks see: in a heterogeneous job its first component's,
 * the only one that can be requeued, while Slurm's item tells that of the
 * step's own. */
static unsigned job_of_tasks(const struct srun_step *step)
{
	const char *job = getenv("SLURM_JOB_ID");
	long id;

	if (job && parse_number(job, 1, INT_MAX, &id) == 0)
		return (unsigned)id;
	return step->job_id;
}

/* The components tell each other what they have: what this one of them has
 * decides nothing. */
static void say_uncounted(const struct found *f)
{
	const struct resolved *w = &f->resolved;
	const char *name = NULL;
	unsigned id = job_of_tasks(&f->step);

	if (w->needs & NEEDS_DEVICES && !w->pmi)
		name = gres_uncounted(id, false);
	if (name)
		log_line("the %s of a heterogeneous step aren't counted: each "
			 "task is one process; procs=N starts N for each",
			 name);
}

static int ask_controller(const struct request *r, const struct config *c,
			  struct found *f, struct err *err)
{
	const struct srun_step *s = &f->step;
	const struct resolved *w = &f->resolved;
	const char *inventory;

	if (w->needs & NEEDS_COORDINATOR && !w->loopback &&
	    rank0_find(s, &f->rank0, err) < 0)
		return -1;
	if ((needs_all_nodes(w, c, s) || w->recovery ||
	     (w->chief && s->nnodes > 1) ||
	     ((w->by_topology || w->groups) && s->nnodes > 1) ||
	     w->needs & (NEEDS_PROCMAP | NEEDS_TASKMAP)) &&
	    ask_procmap(s, r, w, &f->peers, err) < 0)
		return -1;
	if (components_there() && request_word(r, KEY_PROCS) != PROCS_N)
		say_uncounted(f);
	else if (ask_devices(c, f, err) < 0)
		return -1;
	inventory = c->inventory && gres_may_have_domain(&f->gres, w)
			    ? c->inventory
			    : NULL;
	return ask_order(r, w, s, &f->peers, inventory, &f->topology, &f->order,
			 err);
}

/* Devices of task 0, so that its own count fits what was counted. */
static void fill_devices(const char *counts, struct device_facts *d)
{
	unsigned n;
	unsigned long before;

	if (!counts || runlength_at(counts, 0, &n, &before) < 0)
		return;
	for (d->step.n = 0; d->step.n < n && d->step.n < IDLIST_MAX;
	     d->step.n++)
		d->step.id[d->step.n] = (unsigned short)d->step.n;
}

static int check_command(const struct plan *plan, bool inherited,
			 const struct step_command *command, struct err *err)
{
	const char *nnodes = inherited ? getenv("SLURM_JOB_NUM_NODES") : NULL;
	char remark[600];

	if (step_command_check(plan, command, getenv, err) < 0)
		return -1;
	if (step_command_remark(plan, command, remark, sizeof(remark)) ||
	    step_command_beside_remark(plan, command, nnodes, remark,
				       sizeof(remark)))
		log_line("%s", remark);
	return 0;
}

/* Make task 0's plan: what task 0 would refuse is refused here, once and before
 * anything starts. The plan's variables are the ones to mark. */
static int try_plan_of(const struct adapter *a, struct found *f,
		       const struct job *step, const struct job *job,
		       struct err *err)
{
	char remark[600];
	struct resolved w;
	struct plan plan;

	resolve(&a->request, job, &w);
	if (step_command_check_words(&a->request, &w, job->ntasks, &f->command,
				     err) < 0 ||
	    plan_make(&a->request, &a->config, job, &plan, err) < 0 ||
	    (plan.launcher && cmdline_check_multi_prog(err) < 0) ||
	    check_command(&plan, a->inherited, &f->command, err) < 0 ||
	    say_groups(&plan, step, &f->topology, err) < 0)
		return -1;
	f->launcher = plan.launcher;
	if (plan.resolved.chief &&
	    chief_order_remark(&plan, remark, sizeof(remark)))
		log_line("%s", remark);
	return markers_put(&plan, err);
}

/* Whether the launchers decide how many processes a task is, of what they tell
 * each other: the request is the last component's, and the step one of them. */
static bool components_decide(const struct request *r)
{
	const char *texts = getenv(HANDOVER_COMPONENTS);

	return components_there() &&
	       (request_word(r, KEY_PROCS) == PROCS_DEVICE ||
		(texts && components_differ(texts)));
}

static int try_plan(const struct adapter *a, struct found *f, struct err *err)
{
	static char anywhere[] = "the first node";
	struct job job = {
		.job_id = f->step.job_id,
		.step_id = f->step.step_id,
		.ntasks = f->step.ntasks,
		.component_tasks = components_there() ? f->step.ntasks : 0,
		.nnodes = f->step.nnodes,
		.local_ntasks = tasks_of_a_node(&f->step),
		.nodeid = f->peers.first_node,
		.node_name = *f->peers.first ? f->peers.first : anywhere,
		.nodes = f->peers.nodes,
		.tasks = f->peers.tasks,
		.taskmap = f->peers.taskmap,
		.addrs = f->peers.addrs,
		.order = f->order,
		.rank0_node = *f->rank0.node ? f->rank0.node : anywhere,
		.rank0_addr = *f->rank0.addr ? f->rank0.addr : NULL,
		.procs = f->gres.counts,
		.devices.npu = f->gres.generic,
		.task_prolog = f->task_prolog,
		.command = f->argv,
	};
	char each[24];
	struct job own;
	const struct job *world;
	int rc;

	if (components_decide(&a->request)) {
		snprintf(each, sizeof(each), "1(x%u)", job.ntasks);
		job.procs = job.node_procs = each;
		job.dealt = true;
	}
	if (request_word(&a->request, KEY_ADDR) == ADDR_NIC)
		job.nic_addr = anywhere;
	if (request_word(&a->request, KEY_ADDR) == ADDR_IP && !job.rank0_addr)
		return err_printf(err,
				  "addr=ip: the address of node %s isn't "
				  "known on this host; addr=name uses its name",
				  job.rank0_node);
	fill_devices(f->gres.counts, &job.devices);
	world = first_world(&a->request, &job, &own, err);
	rc = world ? try_plan_of(a, f, &job, world, err) : -1;
	job_clear(&own);
	return rc;
}

static int put(const char *name, const char *value, struct err *err)
{
	if (value && *value && setenv(name, value, 1) < 0)
		return err_memory(err);
	return 0;
}

/* VERSION:JOB.STEP */
static void name_step(const struct srun_step *step, char *buf, size_t size)
{
	snprintf(buf, size, "%d:%u.%u", HANDOVER_VERSION, job_of_tasks(step),
		 step->step_id);
}

struct port_facts {
	unsigned long job_id, step_id;
	unsigned restart;
	struct port_range range;
};

/* Where commands look for the controller, and then others: who has these ports
 * doesn't keep a step from its controller. */
static unsigned port_to_try(const void *arg, unsigned try)
{
	const struct port_facts *p = arg;

	if (try >= PORTS_MAX)
		return 0;
	return port_of_launchers(p->job_id, p->step_id,
				 p->restart + try / LAUNCHERS_TRIES, &p->range,
				 try % LAUNCHERS_TRIES);
}

/* "PORT FACTS_PORT" of the controller beside srun, and srun's line to it.
 * Returns 0 or -1. */
static int start_step(const struct config *c, const struct found *f,
		      const struct handover_secret *secret,
		      const char *credential, int *ret_line_fd,
		      char ret_ports[32], struct err *err)
{
	const char *restart = getenv("SLURM_RESTART_COUNT");
	struct port_facts facts = {
		.job_id = job_of_tasks(&f->step),
		.step_id = f->step.step_id,
		.restart = restart ? (unsigned)atoi(restart) : 0,
		.range = slurmctld_spare_ports(c->port_min, c->port_max),
	};
	const struct step_ports ports = {.port = port_to_try, .arg = &facts};
	char name[64];
	struct step_doors doors;
	struct step_start step = {
		.name = name,
		.secret = secret,
		.credential = credential,
		.doors = &doors,
	};

	snprintf(name, sizeof(name), "%lu.%lu.%s", facts.job_id, facts.step_id,
		 restart ? restart : "0");
	if ((components_there() ? components_doors(&doors, err)
				: step_doors_open(&ports, &doors, err)) < 0 ||
	    step_start(&step, ret_line_fd, err) < 0)
		return -1;
	snprintf(ret_ports, 32, "%u %u", doors.port, doors.facts_port);
	return 0;
}

/* Once for all components of a heterogeneous step. */
static void say_without_step(const char *why)
{
	static bool said;

	if (!said)
		log_line("the step's controller can't be started beside srun: "
			 "%s; it runs on task 0's node, and srun doesn't "
			 "notice when nodes are lost",
			 why);
	said = true;
}

/* Start the controller, and listen to it. Where it can't be started, task 0's
 * launcher starts it on its node, and srun hears nothing of the step: one that
 * outlives a lost node, or whose job's end is ours to see, is refused. */
static int find_company(const struct request *r, const struct config *c,
			const struct found *f,
			const struct handover_secret *secret,
			const char *credential, struct err *err)
{
	struct srun_liveness_options lease = {
		.told = job_end_told,
		.recovery = f->resolved.recovery,
	};
	const struct resolved *w = &f->resolved;
	char ports[32], ladder[RECOVERY_ASKED], key[JOB_END_ASKED];
	const char *what;
	struct err why;

	if (start_step(c, f, secret, credential, &lease.line_fd, ports, &why) ==
	    0) {
		srun_liveness_open(&lease);
		return put(HANDOVER_STEP_PORTS, ports, err);
	}
	what = w->recovery || w->requeue ? recovery_asked(w, ladder)
					 : job_end_asked(r, key);
	if (what)
		return err_printf(err,
				  "%s: the step's controller can't be started "
				  "beside srun: %s",
				  what, why.text);
	say_without_step(why.text);
	return 0;
}

/* Set what the launchers need to talk to each other and to notice srun's end.
 * Without a secret they work without it. */
static int put_company(const struct request *r, const struct config *c,
		       const struct found *f, const char *id, struct err *err)
{
	cleanup_free char *credential = NULL;
	struct handover_secret secret;
	struct err why;
	int rc = 0;

	if (components_there()) {
		if (components_secret(&secret))
			credential = secret_seal(id, &secret, &why);
	} else if (f->launcher) {
		secret_find_munge();
		credential = secret_make(id, &secret, &why);
	}
	if (credential) {
		rc = find_company(r, c, f, &secret, credential, err);
		explicit_bzero(&secret, sizeof(secret));
	}
	if (rc < 0 || components_there())
		return rc;
	if (put(HANDOVER_TERMINAL,
		f->launcher && isatty(STDERR_FILENO) ? "1" : NULL, err) < 0)
		return -1;
	return put(HANDOVER_CREDENTIAL, credential, err);
}

static int put_all(const struct adapter *a, const struct found *f,
		   struct err *err)
{
	char id[64];

	name_step(&f->step, id, sizeof(id));
	if (put(HANDOVER_FEATURES, f->features, err) < 0)
		return -1;
	if (components_there())
		return put_company(&a->request, &a->config, f, id, err);
	if (put(HANDOVER_ID, id, err) < 0 ||
	    put(HANDOVER_RELEASE, PACKAGE_VERSION, err) < 0 ||
	    put(HANDOVER_NODE, f->rank0.node, err) < 0 ||
	    put(HANDOVER_ADDR, f->rank0.addr, err) < 0 ||
	    put(HANDOVER_PROCS, f->gres.counts, err) < 0 ||
	    put(HANDOVER_TASKMAP, f->peers.taskmap, err) < 0 ||
	    put(HANDOVER_ADDRS, f->peers.addrs, err) < 0 ||
	    put(HANDOVER_ORDER, f->order, err) < 0 ||
	    put(HANDOVER_GRES, f->gres.indices, err) < 0 ||
	    put(HANDOVER_PROLOG, f->task_prolog ? "1" : NULL, err) < 0 ||
	    put(HANDOVER_OWN, a->config.own_defaults, err) < 0)
		return -1;
	return put_company(&a->request, &a->config, f, id, err);
}

/* Check srun's own options and environment. */
int srun_check_user(const struct request *r, const struct resolved *w,
		    struct err *err)
{
	const struct framework *fw = r->framework;

	if (fw->check_user && fw->check_user(r, own_env, NULL, err) < 0)
		return -1;
	if (w->exchange == EXCHANGE_MAY_PMIX && pmi_check_exchange(err) < 0)
		return -1;
	return w->pmi ? pmi_check(fw->name, err) : 0;
}

static void resolve_step(const struct request *r, struct found *f)
{
	struct job job = {
		.ntasks = f->step.ntasks,
		.nnodes = f->step.nnodes,
		.local_ntasks = tasks_of_a_node(&f->step),
		.task_prolog = f->task_prolog,
	};

	resolve(r, &job, &f->resolved);
}

/* Once for all components of a heterogeneous step. */
void srun_say_remarks(const struct request *r)
{
	char remark[REQUEST_REMARK_SIZE];
	static bool said;

	for (size_t n = 0; !said && request_remark(r, n, remark); n++)
		log_line("%s", remark);
	said = true;
}

static int find_and_put(const struct adapter *adapter, struct found *f,
			struct err *err)
{
	const struct request *r = &adapter->request;

	f->task_prolog =
		resolve_divides_view(r) &&
		(slurmctld_has_task_prolog() || cmdline_has_task_prolog());
	resolve_step(r, f);
	if (srun_check_user(r, &f->resolved, err) < 0 ||
	    no_kill_check_job(&f->resolved, err) < 0 ||
	    ask_controller(r, &adapter->config, f, err) < 0 ||
	    ask_features(r, &adapter->config, &f->features, err) < 0 ||
	    try_plan(adapter, f, err) < 0 ||
	    (r->framework->program_is_file && f->argv && !components_there() &&
	     roles_place(f->argv[0], f->step.nnodes, f->gres.counts,
			 &adapter->config, err) < 0) ||
	    job_end_begin(r, &f->resolved, job_of_tasks(&f->step), err) < 0)
		return -1;
	return put_all(adapter, f, err);
}

/* In srun: under a parallel debugger tell the nodes to do without keepers.
 * slurmstepd then waits for each task in turn to stop at its program's start,
 * and those with keepers don't. Returns 0, or -1 when out of memory. */
static int debugger_tell(struct err *err)
{
	/* srun's own; the name is that of the MPI Process Acquisition Interface
	 */
	const int *debugged = dlsym(RTLD_DEFAULT, "MPIR_being_debugged");

	if (!debugged || !*debugged || setenv(HANDOVER_KEEPERS, "no", 1) == 0)
		return 0;
	return err_memory(err);
}

static int hand_over(spank_t sp, const struct adapter *a, struct found *f,
		     struct err *err)
{
	char **argv;
	int argc;

	if (stale_handover_unset(err) < 0 || debugger_tell(err) < 0 ||
	    job_of_srun(sp, &f->step, err) < 0)
		return -1;
	if (job_argv(sp, &argc, &argv, err) == 0) {
		wrapped_command_read(argc, argv, script_reader(a), f->room,
				     &f->command);
		f->argv = argv;
	}
	if (components_there()
		    ? components_left_alone()
		    : leave_alone_wanted(a, &f->command, f->step.nnodes))
		return leave_alone(a, &f->command, err);
	srun_say_remarks(&a->request);
	return find_and_put(a, f, err);
}

int srun_hand_over(spank_t sp, const struct adapter *adapter, struct err *err)
{
	struct found f = {0};
	int rc = hand_over(sp, adapter, &f, err);

	gres_clear(&f.gres);
	step_procmap_clear(&f.peers);
	topology_clear(&f.topology);
	free(f.order);
	free(f.features);
	if (rc < 0)
		setenv(HANDOVER_ERROR, "1", 1);
	return rc;
}
