/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of Slurm's API, and what slurm.conf says. srun calls these once per
 * step, for steps that use the option; a task calls one of them in a
 * heterogeneous step. Symbols that not all releases of Slurm have are weak.
 */
#include "config.h"

#include "spank/slurm/slurmctld.h"

#include "core/base/text.h"
#include "sys/socket.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <slurm/slurm_errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* srun's own copy of slurm.conf; of a public type, exported by the library
 * that every host of the plugin links, though no header declares it. Weak, so
 * that a release without it loses only what needs it. */
extern slurm_conf_t slurm_conf __attribute__((weak));

/* The same holds for this one; src/common/read_config.h, unchanged in 22.05,
 * 24.11 and 26.05. */
extern int slurm_conf_get_addr(const char *node, slurm_addr_t *addr,
			       uint16_t flags) __attribute__((weak));

/* Slurm's authentication, which srun loads with its first question:
 * before 23.02, and since. */
extern int slurm_auth_init(char *type) __attribute__((weak));
extern int auth_g_init(void) __attribute__((weak));

static slurm_step_id_t step_of(unsigned job_id, unsigned step_id)
{
	slurm_step_id_t id = {
		.job_id = job_id,
		.step_id = step_id,
		.step_het_comp = NO_VAL,
	};

	return id;
}

/* Of the cluster that srun works with: without SHOW_LOCAL Slurm's library asks
 * each time for the federation first, which is an RPC more
 * (slurm_load_federation()). */
#define SHOW_OWN_CLUSTER (SHOW_ALL | SHOW_LOCAL)

static int rpc_failed(const char *what, struct err *err)
{
	return err_printf(err, "slurmctld doesn't provide %s: %s", what,
			  slurm_strerror(errno));
}

slurm_step_layout_t *slurmctld_layout(unsigned job_id, unsigned step_id,
				      struct err *err)
{
	slurm_step_id_t id = step_of(job_id, step_id);
	slurm_step_layout_t *layout = slurm_job_step_layout_get(&id);

	if (!layout)
		rpc_failed("the step's layout", err);
	return layout;
}

int slurmctld_ask_node_addr(const char *node, slurm_addr_t *ret,
			    struct err *err)
{
	node_info_msg_t *msg = NULL;
	cleanup_free char *name = strdup(node);
	int rc = -1;

	if (!name ||
	    slurm_load_node_single(&msg, name, SHOW_DETAIL) != SLURM_SUCCESS)
		return rpc_failed("a node's address", err);
	if (msg->record_count > 0 && msg->node_array[0].node_addr)
		rc = host_address(msg->node_array[0].node_addr, ret);
	slurm_free_node_info_msg(msg);
	return rc < 0 ? err_printf(
				err,
				"the address of node %s can't be resolved here",
				node)
		      : 0;
}

int slurmctld_node_addr(const char *node, slurm_addr_t *ret, struct err *err)
{
	if (&slurm_conf_get_addr &&
	    slurm_conf_get_addr(node, ret, 0) == SLURM_SUCCESS)
		return 0;
	return slurmctld_ask_node_addr(node, ret, err);
}

node_info_msg_t *slurmctld_nodes(const char *node, struct err *err)
{
	cleanup_free char *name = node ? strdup(node) : NULL;
	node_info_msg_t *msg = NULL;
	int rc = name ? slurm_load_node_single(&msg, name, SHOW_ALL)
		      : slurm_load_node(0, &msg, SHOW_OWN_CLUSTER);

	if (rc == SLURM_SUCCESS)
		return msg;
	rpc_failed("the nodes' features", err);
	return NULL;
}

static int load_topology(topo_info_response_msg_t **ret)
{
#if TOPO_LOAD_ARGS == 2
	return slurm_load_topo(ret, NULL);
#else
	return slurm_load_topo(ret);
#endif
}

static void print_topology(FILE *f, topo_info_response_msg_t *msg)
{
#if TOPO_PRINT_ARGS == 5
	slurm_print_topo_info_msg(f, msg, NULL, NULL, 1);
#elif TOPO_PRINT_ARGS == 4
	slurm_print_topo_info_msg(f, msg, NULL, 1);
#else
	if (msg->record_count) /* or it complains itself */
		slurm_print_topo_info_msg(f, msg, 1);
#endif
}

/* The message itself is opaque since 23.11. */
char *slurmctld_topology(struct err *err)
{
	topo_info_response_msg_t *msg = NULL;
	struct text_stream stream;
	FILE *f;

	if (load_topology(&msg) != SLURM_SUCCESS) {
		rpc_failed("its topology", err);
		return NULL;
	}
	f = text_stream_open(&stream);
	if (f && msg)
		print_topology(f, msg);
	if (msg)
		slurm_free_topo_info_msg(msg);
	return text_stream_end(&stream, 0, err);
}

/* Functions that take a job take a step's id in 26.05, a job's in 24.11 and
 * before. The id's own type doesn't tell: 24.11 has its members already. */
#define JOB_ID_ARGUMENT(job_id)                                                \
	_Generic(&slurm_load_job,                                              \
		 int (*)(job_info_msg_t **, uint32_t, uint16_t)                \
		 : (job_id), default                                           \
		 : step_of(job_id, NO_VAL))

static job_info_msg_t *load_job(unsigned job_id, uint16_t flags,
				const char *what, struct err *err)
{
	job_info_msg_t *msg = NULL;
	int rc;

	rc = slurm_load_job(&msg, JOB_ID_ARGUMENT(job_id), flags);
	if (rc == SLURM_SUCCESS && msg->record_count > 0)
		return msg;
	if (rc == SLURM_SUCCESS)
		slurm_free_job_info_msg(msg);
	rpc_failed(what, err);
	return NULL;
}

job_info_msg_t *slurmctld_job(unsigned job_id, struct err *err)
{
	return load_job(job_id, SHOW_DETAIL | SHOW_LOCAL, "the job's devices",
			err);
}

/* In minutes: slurmctld gives a job without a limit a year. INFINITE and NO_VAL
 * are more. */
#define NO_LIMIT_MIN (365 * 24 * 60)

static enum job_fate fate_of(const job_info_t *job)
{
	if (job->job_state & JOB_REQUEUE)
		return FATE_REQUEUED;
	switch (job->job_state & JOB_STATE_BASE) {
	case JOB_PENDING:
		return FATE_REQUEUED;
	case JOB_RUNNING:
	case JOB_SUSPENDED:
		return FATE_RUNS;
	case JOB_CANCELLED:
		return FATE_CANCELLED;
	case JOB_TIMEOUT:
		return FATE_TIMEOUT;
	case JOB_PREEMPTED:
		return FATE_PREEMPTED;
	case JOB_NODE_FAIL:
		return FATE_NODE_FAIL;
	default:
		return FATE_OVER;
	}
}

const job_info_t *slurmctld_job_of(const job_info_msg_t *msg, unsigned job_id)
{
	for (uint32_t i = 0; i < msg->record_count; i++)
		if (msg->job_array[i].job_id == job_id)
			return &msg->job_array[i];
	return &msg->job_array[0];
}

bool slurmctld_expedites(void)
{
#ifdef EXPEDITED_REQUEUE
	const char *params = &slurm_conf ? slurm_conf.slurmctld_params : NULL;

	return params && strstr(params, "enable_expedited_requeue");
#else
	return false;
#endif
}

static bool is_expedite(const job_info_t *job)
{
#ifdef EXPEDITED_REQUEUE
	return job->bitflags & EXPEDITED_REQUEUE;
#else
	(void)job;
	return false;
#endif
}

int slurmctld_job_life(unsigned job_id, struct job_life *ret, struct err *err)
{
	job_info_msg_t *msg = load_job(job_id, SHOW_ALL, "the job's end", err);
	const job_info_t *job;
	bool ends;

	if (!msg)
		return -1;
	job = slurmctld_job_of(msg, job_id);
	ends = job->time_limit < NO_LIMIT_MIN || job->preempt_time;
	*ret = (struct job_life){
		.fate = fate_of(job),
		.submitted = job->submit_time,
		.end = ends ? job->end_time : 0,
		.preempted = job->preempt_time,
		.restarts = job->restart_cnt,
		.batch = job->batch_flag,
		.may_requeue = job->requeue,
		.expedite = is_expedite(job),
	};
	slurm_free_job_info_msg(msg);
	return 0;
}

job_step_info_response_msg_t *slurmctld_step(unsigned job_id, unsigned step_id,
					     struct err *err)
{
	job_step_info_response_msg_t *msg = NULL;
	int rc;

#if SLURM_STEPS_BY_ID
	slurm_step_id_t id = step_of(job_id, step_id);

	rc = slurm_get_job_steps(&id, &msg, SHOW_OWN_CLUSTER);
#else
	rc = slurm_get_job_steps(0, job_id, step_id, &msg, SHOW_OWN_CLUSTER);
#endif
	if (rc == SLURM_SUCCESS && msg->job_step_count > 0)
		return msg;
	if (rc == SLURM_SUCCESS)
		slurm_free_job_step_info_response_msg(msg);
	rpc_failed("the step's devices", err);
	return NULL;
}

const char *slurmctld_gres_types(void)
{
	return &slurm_conf ? slurm_conf.gres_plugins : NULL;
}

static bool is_named(const char *plugins)
{
	return plugins && *plugins;
}

bool slurmctld_alters_requests(void)
{
	return !&slurm_conf || is_named(slurm_conf.job_submit_plugins) ||
	       is_named(slurm_conf.cli_filter_plugins);
}

bool slurmctld_has_task_prolog(void)
{
	return &slurm_conf && is_named(slurm_conf.task_prolog);
}

const char *slurmctld_plugin_dirs(void)
{
	return &slurm_conf ? slurm_conf.plugindir : NULL;
}

const char *slurmctld_mpi_default(void)
{
	return &slurm_conf ? slurm_conf.mpi_default : NULL;
}

unsigned slurmctld_resv_ports(void)
{
	const char *params = &slurm_conf ? slurm_conf.mpi_params : NULL;
	const char *ports = params ? strstr(params, "ports=") : NULL;

	return ports ? port_reserved_count(ports + strlen("ports=")) : 0;
}

static bool kills; /* and slurm.conf says that it doesn't */

void slurmctld_kill_on_bad_exit(void)
{
	if (!&slurm_conf || slurm_conf.kill_on_bad_exit)
		return;
	slurm_conf.kill_on_bad_exit = 1;
	kills = true;
}

void slurmctld_undo_kill_on_bad_exit(void)
{
	if (kills)
		slurm_conf.kill_on_bad_exit = 0;
	kills = false;
}

void slurmctld_keep_going(void)
{
	if (!&slurm_conf)
		return;
	slurm_conf.kill_on_bad_exit = 0;
	slurm_conf.wait_time = 0;
}

void slurmctld_stay_loaded(void)
{
	Dl_info info;

	if (dladdr(&kills, &info))
		dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static void always(int status, void *code)
{
	if (status != (int)(intptr_t)code)
		exit((int)(intptr_t)code);
}

void slurmctld_exit_with(int code)
{
	slurmctld_stay_loaded();
	on_exit(always, (void *)(intptr_t)code);
}

/* srun's exit status is the highest that a task has reported, so it is 0 when
 * no task has reported one. An exit handler replaces that 0; the remaining
 * handlers run in the exit() below. */
static void never_zero(int status, void *code)
{
	if (status == 0)
		exit((int)(intptr_t)code);
}

/* SIGPIPE does in srun what SIGTERM does, and --ignore-signals (26.05) can't
 * take it away. */
void slurmctld_give_up(int code)
{
	slurmctld_stay_loaded();
	if (code)
		on_exit(never_zero, (void *)(intptr_t)code);
	if (&slurm_conf)
		slurm_conf.kill_wait = code ? 1 : 0;
	kill(getpid(), SIGPIPE);
}

bool slurmctld_requeues_jobs(void)
{
	return !&slurm_conf || slurm_conf.job_requeue;
}

int slurmctld_requeue(unsigned job_id, struct err *err)
{
	if (slurm_requeue(JOB_ID_ARGUMENT(job_id), 0) == SLURM_SUCCESS ||
	    errno == ESLURM_JOB_PENDING)
		return 0;
	return err_printf(err, "%s", slurm_strerror(errno));
}

void slurmctld_auth(struct auth *ret)
{
	*ret = (struct auth){0};
	if (&slurm_conf)
		auth_of(slurm_conf.authtype, slurm_conf.slurm_user_id,
			slurm_conf.cluster_name, ret);
}

void slurmctld_load_auth(void)
{
	if (auth_g_init)
		auth_g_init();
	else if (slurm_auth_init)
		slurm_auth_init(NULL);
}

char *slurmctld_munge_socket(void)
{
	const char *info = &slurm_conf ? slurm_conf.authinfo : NULL;
	const char *at = info ? strstr(info, "socket=") : NULL;

	return at ? strndup(at + 7, strcspn(at + 7, ",")) : NULL;
}

struct port_range slurmctld_spare_ports(unsigned min, unsigned max)
{
	struct port_range range = {.min = min, .max = max};

	if (&slurm_conf)
		port_range_spare_slurms(&range, slurm_conf.mpi_params);
	return range;
}

bool slurmctld_srun_ports(struct port_range *ret)
{
	const uint16_t *range = &slurm_conf ? slurm_conf.srun_port_range : NULL;

	if (!range || !range[0] || range[1] < range[0])
		return false;
	*ret = slurmctld_spare_ports(range[0], range[1]);
	return true;
}
