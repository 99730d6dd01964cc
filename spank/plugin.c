/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SPANK hooks, in the order in which Slurm calls them.
 *
 *	hook (slurm_spank_...)	where, as whom; what we do there
 *
 *	init			srun, sbatch, salloc as the user; slurmstepd
 *				as root. Register the option, parse the
 *				plugin's arguments. In the clients also: choose
 *				--no-kill, in srun PMIx and the number of
 *				reserved ports, before they read their options;
 *				in sbatch and salloc forget the option of the
 *				job that submits another one.
 *	init_post_opt		the same programs, after the options were
 *				read. A client refuses a bad option. slurmstepd
 *				parses the option again and prepares what all
 *				tasks of the node share. It parses nothing else
 *				of the user's, and opens no file of his.
 *	local_user_init		srun, as the user: the step exists, its tasks
 *				don't. Find out what no node can know, and pass
 *				it on in srun's environment.
 *	task_init_privileged	each task's process, as root. Remember the root
 *				folder and read the profiles, before another
 *				plugin enters a container.
 *	task_init		each task's process, as the user, just before
 *				exec. Make the plan, set the environment, or
 *				prepend the launcher.
 *	task_exit		slurmstepd, as root. End what a killed launcher
 *				has left running; close what only tasks use.
 *	exit			all of them. In srun requeue the job, if that is
 *				asked for. Remove what a killed launcher
 *				has left in folders; free everything.
 *
 * No hook returns an error, because a non-zero return from an early hook can
 * drain the node: an error is kept and raised in task_init, where it ends that
 * task and nothing else. No hook does anything for a step that doesn't use the
 * option, but registering it, hiding the job's from its tasks, noting in a
 * job that it has --no-kill, and saying that the option stands behind the
 * program.
 */
#include "config.h"

#include "core/facts/handover.h"
#include "core/plan/framework.h"
#include "registry/component_options.h"
#include "registry/registry.h"
#include "spank/ending/job_end.h"
#include "spank/node/container.h"
#include "spank/node/node.h"
#include "spank/node/step_cleanup.h"
#include "spank/options.h"
#include "spank/slurm/adapter.h"
#include "spank/slurm/cmdline.h"
#include "spank/slurm/option_once.h"
#include "spank/slurm/secret.h"
#include "spank/slurm/slurmctld.h"
#include "spank/slurm/step_job.h"
#include "spank/srun/srun.h"
#include "sys/interfaces.h"
#include "sys/log.h"
#include "task/task.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT extern const char plugin_name[], plugin_type[];
EXPORT extern const unsigned int plugin_version, spank_plugin_version;
EXPORT int slurm_spank_init(spank_t sp, int argc, char **argv);
EXPORT int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv);
EXPORT int slurm_spank_local_user_init(spank_t sp, int argc, char **argv);
EXPORT int slurm_spank_task_init_privileged(spank_t sp, int argc, char **argv);
EXPORT int slurm_spank_task_init(spank_t sp, int argc, char **argv);
EXPORT int slurm_spank_task_exit(spank_t sp, int argc, char **argv);
EXPORT int slurm_spank_exit(spank_t sp, int argc, char **argv);

SPANK_PLUGIN(dist_train, 1)

#if HAVE_DECL_SLURM_SPANK_INIT_FAILURE_MODE
/* Since 25.05, where a site has loaded us as "required": should init fail in
 * slurmstepd, the job is to blame and ends, and its node isn't drained. */
EXPORT int slurm_spank_init_failure_mode = ESPANK_JOB_FAILURE;
#endif

static struct adapter self = {.node_memory_fd = -1, .keepers = {-1, -1}};
static struct step_cleanup step_cleanup;

static bool is_client(void)
{
	return spank_context() == S_CTX_LOCAL ||
	       spank_context() == S_CTX_ALLOCATOR;
}

static void fail(const struct err *err)
{
	if (!self.failed)
		self.err = *err;
	self.failed = true;
}

/* Join the plugin's arguments with newlines, for the launcher. */
static char *join_lines(int argc, char **argv)
{
	size_t size = 1;
	char *text;

	for (int i = 0; i < argc; i++)
		size += strlen(argv[i]) + 1;
	text = malloc(size);
	if (!text)
		return NULL;
	*text = '\0';
	for (int i = 0; i < argc; i++) {
		strcat(text, argv[i]);
		strcat(text, i + 1 < argc ? "\n" : "");
	}
	return text;
}

static void read_arguments(int argc, char **argv)
{
	struct err err, why;

	if (config_parse(argc, argv, &self.config, &why) == 0)
		return;
	err_printf(&err, "plugstack.conf: %.900s", why.text);
	fail(&err);
}

/* Add the user's own defaults to the administrator's. */
static void read_own_defaults(const char *text)
{
	struct err err;

	if (config_own_defaults(text, &self.config, &err) < 0)
		fail(&err);
}

int slurm_spank_init(spank_t sp, int argc, char **argv)
{

	if (!is_client() && spank_context() != S_CTX_REMOTE)
		return 0;
	read_arguments(argc, argv);
	if (is_client())
		read_own_defaults(getenv(CONFIG_OWN_DEFAULTS));
	options_register(sp, &self.config);
	if (spank_context() == S_CTX_ALLOCATOR)
		job_option_forget(&self.config);
	if (is_client() && !cmdline_is_interactive())
		no_kill_choose(&self.config);
	/* What is set for salloc's shell stays in it */
	if (spank_context() == S_CTX_LOCAL && !cmdline_is_interactive()) {
		components_forget();
		own_job_remember();
		pmi_choose(&self.config);
		resv_ports_choose(&self.config);
	}
	return 0;
}

static int read_request(void)
{
	const struct request *r;
	struct err err;

	if (self.failed)
		return -1;
	self.option_text = options_text();
	r = option_once(self.option_text, &self.config, &err);
	if (!r) {
		fail(&err);
		return -1;
	}
	self.request = *r;
	if (self.request.framework)
		resolve(&self.request, NULL, &self.resolved);
	return 0;
}

/* Whether srun has found an error, and said it. */
static bool srun_has_failed(spank_t sp)
{
	return job_hasenv(sp, HANDOVER_ERROR);
}

/* In slurmstepd: whether srun has told the nodes to do nothing. The program
 * finds no trace of it. */
static bool srun_leaves_it_alone(spank_t sp)
{
	bool mark = job_hasenv(sp, HANDOVER_LEAVE);

	if (mark)
		spank_unsetenv(sp, HANDOVER_LEAVE);
	return mark;
}

/* In slurmstepd and its tasks: whether the option is there and means this
 * step. */
static bool is_meant(spank_t sp)
{
	return options_text() && job_is_srun_step(sp) && !self.left_alone;
}

/* In slurmstepd, where all components of a heterogeneous step have one option:
 * srun has found out which. Slurm tells the one that srun has read last. */
static void take_component(spank_t sp)
{
	const char *texts = job_getenv(sp, HANDOVER_COMPONENTS);

	if (texts && !components_differ(texts) && options_replace(texts) < 0)
		fail(&(struct err){"out of memory"});
}

/* In slurmstepd, once per node and step: parse the option again (what a client
 * has checked isn't trusted) and prepare what all tasks share. */
static void begin_step(spank_t sp, int argc, char **argv)
{
	struct err err;

	if (!job_is_srun_step(sp))
		return;
	job_option_hide(sp, &self.config);
	take_component(sp);
	if (!options_text())
		return;
	self.left_alone = srun_leaves_it_alone(sp);
	/* what srun has read, and not what the job's variable says now */
	read_own_defaults(job_getenv(sp, HANDOVER_OWN));
	if (!self.left_alone && read_request() < 0)
		release_blame(sp, &self.err);
	if (self.left_alone || self.failed || !self.request.framework ||
	    srun_has_failed(sp))
		return;
	self.config_text = join_lines(argc, argv);
	secret_find_munge();
	node_secret_open(sp);
	step_route_find(sp, &self.resolved, &self.route);
	if (self.resolved.interfaces)
		interfaces_find(&self.interfaces);
	step_cleanup_prepare(sp, &self, &step_cleanup);
	if (self.resolved.needs & NEEDS_NPU_ADDRESSES)
		self.hccn_conf = hccn_conf_read();
	self.node_memory_fd = node_memory_make(self.resolved.exchange ||
					       job_hasenv(sp, HANDOVER_HET));
	container_prepare(sp);
	self.later_plugin = container_has_launcher() && later_plugin_find();
	self.cores_single = cores_are_single();
	if (step_devices_keep(sp, &err) < 0 ||
	    keepers_socket_make(
		    sp, self.resolved.node_launcher && !self.later_plugin,
		    &self.keepers, &err) < 0)
		fail(&err);
}

/* When the options have been read, in srun or where a job is submitted. */
static void set_no_kill(void)
{
	bool recovery = self.request.framework && self.resolved.recovery;

	if (spank_context() == S_CTX_ALLOCATOR)
		no_kill_mark_job(recovery);
	else if (recovery)
		no_kill_keep_step();
	else if (self.request.framework)
		slurmctld_kill_on_bad_exit();
}

/* Where a job is submitted. */
static int check_submission(void)
{
	if (spank_context() != S_CTX_ALLOCATOR || !self.request.framework)
		return 0;
	return requeue_check(&self.request, &self.err);
}

/* A bad option ends srun, sbatch or salloc, before anything is queued. It never
 * ends a daemon. */
static void end_client(const struct err *err)
{
	log_line("%s", err->text);
	exit(EXIT_FAILURE);
}

/* In srun, once for each component of a heterogeneous step. */
static void note_component(void)
{
	const char *own = options_of_component();
	struct err err;

	if (spank_context() == S_CTX_LOCAL && !self.failed &&
	    components_note(own, options_text(), &self.config, &err) < 0)
		end_client(&err);
}

int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv)
{
	dist_option_end();
	if (spank_context() == S_CTX_REMOTE) {
		begin_step(sp, argc, argv);
		return 0;
	}
	note_component();
	if (!options_text()) {
		if (spank_context() == S_CTX_ALLOCATOR)
			set_no_kill();
		else if (!options_given())
			cmdline_say_stray(self.config.option);
		return 0;
	}
	if (!is_client())
		return 0;
	if (read_request() < 0 || check_submission() < 0)
		end_client(&self.err);
	self.inherited = options_inherited();
	set_no_kill();
	if (spank_context() == S_CTX_LOCAL && self.request.framework &&
	    (components_leave(&self, &self.err) < 0 ||
	     components_meet(&self, &self.err) < 0 ||
	     async_begin(&self, &self.err) < 0))
		end_client(&self.err);
	return 0;
}

int slurm_spank_local_user_init(spank_t sp, int argc, char **argv)
{
	struct err err;

	(void)argc;
	(void)argv;
	/* The step exists already, so srun must not end here: the step would
	 * stay in its allocation. Instead every task ends before its program
	 * starts; in a heterogeneous step those of one component, and Slurm
	 * ends the others for that. */
	if (!self.request.framework || !job_is_srun_step(sp) ||
	    srun_hand_over(sp, &self, &err) == 0)
		return 0;
	log_line("%s", err.text);
	if (components_there())
		slurmctld_exit_with(EXIT_FAILURE);
	return 0;
}

/* The only place that raises an error, in the task's own process. */
static void end_task(spank_t sp, const struct err *err)
{
	if (err && apply_shows_errors(sp)) {
		log_line("%s", err->text);
		usleep(LAST_WORDS_US);
	}
	_exit(EXIT_FAILURE);
}

/* In the task's own process, before another plugin's task_init enters a
 * container. */
static void begin_task(spank_t sp)
{
	struct err err;

	apply_prepare();
	container_remember_root();
	if (task_profile_keep(sp, &self, &err) < 0)
		fail(&err);
}

int slurm_spank_task_init_privileged(spank_t sp, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (is_meant(sp) && !self.failed && self.request.framework &&
	    !srun_has_failed(sp))
		begin_task(sp);
	return 0;
}

int slurm_spank_task_init(spank_t sp, int argc, char **argv)
{
	struct err err;

	(void)argc;
	(void)argv;
	if (!is_meant(sp))
		return 0;
	if (self.failed)
		end_task(sp, &self.err);
	if (!self.request.framework)
		return 0;
	if (srun_has_failed(sp))
		end_task(sp, NULL);
	if (apply_task(sp, &self, &err) < 0)
		end_task(sp, &err);
	return 0;
}

int slurm_spank_task_exit(spank_t sp, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	keepers_socket_close(&self.keepers);
	secret_forget();
	step_cleanup_task_ended(&step_cleanup, sp);
	return 0;
}

int slurm_spank_exit(spank_t sp, int argc, char **argv)
{
	(void)sp;
	(void)argc;
	(void)argv;
	job_end_finish();
	step_cleanup_run(&step_cleanup);
	self.request = (struct request){0};
	option_once_clear();
	config_clear(&self.config);
	options_clear();
	components_clear();
	free(self.config_text);
	self.config_text = NULL;
	free(self.hccn_conf);
	self.hccn_conf = NULL;
	container_forget();
	secret_forget();
	keepers_socket_close(&self.keepers);
	close_fd(&self.node_memory_fd);
	return 0;
}
