/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/envset.h"
#include "core/base/parse.h"
#include "core/command/step_command_check.h"
#include "core/command/wrapped_command.h"
#include "core/env/process_env.h"
#include "core/facts/auth.h"
#include "core/facts/handover.h"
#include "core/facts/learned.h"
#include "core/facts/share_cores.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "helpers/auth/sack.h"
#include "helpers/cli/command.h"
#include "helpers/cli/exec/exec.h"
#include "helpers/visit/step_find.h"
#include "registry/registry.h"
#include "registry/role_options.h"
#include "sys/child.h"
#include "sys/folder.h"
#include "sys/helper_path.h"
#include "sys/interfaces.h"
#include "sys/kept/marked_folder.h"
#include "sys/log.h"
#include "sys/proc_file.h"
#include "sys/socket.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the plan, and what this process becomes --- */

/* How it failed. */
struct exec_fault {
	int status;  /* the exit code */
	bool common; /* task 0 says the same */
};

/* How many words there are. */
static int exec_words(char **argv)
{
	int n = 0;

	while (argv[n])
		n++;
	return n;
}

/* Whether a launcher names its folder so: PREFIX JOB.STEP.REQUEUE-... */
static bool is_run_dir(const char *name)
{
	unsigned long job, step;
	unsigned requeue;
	char dash;

	return sscanf(name, RUN_DIR_PREFIX "%lu.%lu.%u%c", &job, &step,
		      &requeue, &dash) == 4 &&
	       dash == '-';
}

static void sweep_one(void *unused, int base, const char *name)
{
	(void)unused;
	if (is_run_dir(name))
		marked_folder_remove(base, name, getuid());
}

/* Remove the folders of this user's launchers on this node that were killed
 * (SIGKILL): with the plugin slurmstepd does it, without it the next step. The
 * folder of a launcher that lives is locked (helpers/files/run_dir.c). */
static void sweep(void)
{
	cleanup_close int base =
		open(RUN_DIR_DEFAULT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (base >= 0 && folder_keeps_names(base))
		folder_each(base, sweep_one, NULL);
}

/* Whatever it is worth: Slurm's controller is asked where there is one alone,
 * and not by each task of each cluster. */
static bool has_socket(void)
{
	char path[SACK_PATH_SIZE];

	if (getenv(SACK_VARIABLE))
		return true;
	for (unsigned try = 0;
	     sack_path(getenv("SLURM_CLUSTER_NAME"), try, path); try++)
		if (access(path, F_OK) == 0)
			return true;
	return false;
}

/* How the launchers get a secret from the first one (HANDOVER_SECRET), by who
 * vouches for users on this cluster. Waits for Slurm's controller, where that
 * is Slurm itself. */
#define ISSUER_SIZE 192
static void find_issuer(char ret[ISSUER_SIZE])
{
	struct err unused;
	cleanup_free char *text =
		has_socket() ? scontrol_show("config", NULL, &unused) : NULL;
	char word[AUTH_WORD_MAX];
	struct auth auth = {0};

	if (text)
		auth_of_config(text, &auth);
	auth_write(&auth, word);
	snprintf(ret, ISSUER_SIZE, "%s%s",
		 *word ? HANDOVER_MEET : HANDOVER_BY_MUNGE, word);
}

#define LAUNCHER "dist-train-launch"

/* --- the launcher --- */

/* What the launchers tell each other, and this one's own part of it. */
static int hand_learn(const struct task *task, const struct job *job,
		      unsigned learn, struct err *err)
{
	char words[LEARNED_WORDS_SIZE], count[16], addr[NI_MAXHOST];

	if (!learn)
		return 0;
	snprintf(count, sizeof(count), "%u", device_count(&job->devices));
	if (exec_env_set(NULL, HANDOVER_LEARN, learned_words_text(learn, words),
			 err) < 0 ||
	    (learn & LEARN_COUNTS &&
	     exec_env_set(NULL, HANDOVER_PROCS, count, err) < 0))
		return -1;
	if (!(learn & LEARN_ADDRS) || job->own_addr ||
	    rank0_address(job->node_name, job->nodes, task->ask_node, addr,
			  sizeof(addr)) < 0)
		return 0;
	return exec_env_set(NULL, HANDOVER_OWN_ADDR, addr, err);
}

/* The launchers get their secret from the first one. */
static int hand_secret(const struct job *job, struct err *err)
{
	char how[ISSUER_SIZE];

	find_issuer(how);
	if (job->ntasks == 1 && !strcmp(how, HANDOVER_BY_MUNGE))
		*how = '\0';
	return exec_env_set(NULL, HANDOVER_SECRET, *how ? how : NULL, err);
}

static int become_launcher(const struct task *task, const struct job *job,
			   unsigned learn, char **argv, struct err *err)
{
	size_t n = (size_t)exec_words(argv);
	cleanup_free char **all = calloc(n + 3, sizeof(*all));
	char id[HANDOVER_ID_SIZE], file[PATH_MAX];

	if (!all)
		return err_memory(err);
	helper_path(LAUNCHER, file);
	all[0] = (char *)LAUNCHER;
	all[1] = (char *)"--";
	memcpy(all + 2, argv, n * sizeof(*argv));
	task_handover_id(job, id);
	if (task_hand_over(task, job, id, err) < 0 ||
	    hand_learn(task, job, learn, err) < 0 ||
	    hand_secret(job, err) < 0 ||
	    exec_env_set(NULL, HANDOVER_EXEC, "1", err) < 0)
		return -1;
	sweep();
	execv(file, all);
	return err_printf(err,
			  "%s on node %s: %s; install slurm-dist-train's "
			  "helpers there, or unpack its bundle",
			  file, job->node_name, strerror(errno));
}

/* --- the program itself --- */

static int set_all(const struct envset *set, struct err *err)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct env_entry *e = &set->entry[i];

		if (env_entry_applies(e) &&
		    exec_env_set(NULL, e->name, e->value, err) < 0)
			return -1;
	}
	return 0;
}

/* Become the program with the environment as it is. Returns only when it fails;
 * *ret_status is the exit code then. */
static int exec_program(char **argv, int *ret_status, struct err *err)
{
	char file[PATH_MAX];

	exec_facts_remove();
	if (child_find(argv[0], getenv("PATH"), file, sizeof(file)) < 0)
		snprintf(file, sizeof(file), "%s", argv[0]);
	argv[0] = file; /* as Slurm has it */
	execv(file, argv);
	*ret_status = errno;
	return err_printf(err, "%s: %s", file, strerror(errno));
}

static int become_program(const struct plan *plan,
			  const struct process *process,
			  const struct envset *set, char **argv,
			  int *ret_status, struct err *err)
{
	char remark[512];

	if (plan_remark(plan, process, remark, sizeof(remark)))
		log_line("%s", remark);
	if (task_plan_explain(plan, process, set, err) < 0 ||
	    set_all(set, err) < 0)
		return -1;
	early_port_start(plan, process, set, argv[0]);
	return exec_program(argv, ret_status, err);
}

/* --- which of them --- */

/* What the plan says to the user's environment. */
static int check(const struct task *task, const struct plan *plan,
		 struct process *process, struct envset *set, struct err *err)
{
	if (plan_process(plan, 0, process, err) < 0 ||
	    process_env(plan, process, set, err) < 0)
		return -1;
	return task_plan_check(task, plan, process, set, err);
}

static int start(const struct task *task, const struct plan *plan, char **argv,
		 int *ret_status, struct err *err)
{
	struct process process;
	struct envset set = {0};
	int rc = check(task, plan, &process, &set, err);

	if (rc == 0 && plan->launcher)
		rc = become_launcher(task, plan->job, 0, argv, err);
	else if (rc == 0)
		rc = become_program(plan, &process, &set, argv, ret_status,
				    err);
	envset_clear(&set);
	return rc;
}

/* The plan is the launcher's, who knows more then. With counts like this
 * node's, which is usual, it can be checked here as ever. */
static int start_learning(const struct task *task, const struct job *job,
			  unsigned learn, char **argv, struct err *err)
{
	struct task learner = *task;
	struct process process;
	struct envset set = {0};
	struct plan plan;
	int rc = 0;

	learner.learns = true;
	if (learn == LEARN_COUNTS &&
	    plan_make(task->request, task->config, job, &plan, err) == 0)
		rc = task_command_check(task, &plan, argv, err) < 0
			     ? -1
			     : check(&learner, &plan, &process, &set, err);
	envset_clear(&set);
	return rc < 0 ? -1 : become_launcher(task, job, learn, argv, err);
}

/* Whether task 0 fails in the same words, with the plan that it makes. Names of
 * nodes would differ. */
static bool fails_everywhere(const struct task *task, const struct job *job,
			     const struct err *err)
{
	struct job first = *job;
	struct plan plan;
	struct err other;
	char nowhere[] = "";

	first.procid = first.localid = first.nodeid = 0;
	first.node_name = nowhere;
	return plan_make(task->request, task->config, &first, &plan, &other) <
		       0 &&
	       !strcmp(other.text, err->text);
}

/* Make the plan of this task, and become its program (`argv`, ends with NULL)
 * with the plan's environment, or the launcher. With explain=only this process
 * prints the plan and ends. Returns only when it fails. */
static int exec_start(const struct task *task, struct job *job, unsigned learn,
		      char **argv, struct exec_fault *ret, struct err *err)
{
	struct plan plan;

	*ret = (struct exec_fault){.status = EXIT_FAILURE};
	job->cores = share_of_task(job, cores_of_self(false));
	if (!job->procid)
		job->cpus_bound = cpus_if_bound();
	job->command = argv;
	if (task_facts_complete(task, job, err) < 0)
		return -1;
	if (learn)
		return start_learning(task, job, learn, argv, err);
	if (plan_make(task->request, task->config, job, &plan, err) < 0) {
		ret->common = fails_everywhere(task, job, err);
		return -1;
	}
	ret->common = true;
	if (task_command_check(task, &plan, argv, err) < 0)
		return -1;
	ret->common = false;
	return start(task, &plan, argv, &ret->status, err);
}

/* --- what can't be had without srun's side --- */

/* From here on the numbers are those of batch scripts, interactive and other
 * steps that srun didn't make (slurm.h, SLURM_MAX_NORMAL_STEP_ID). */
#define SPECIAL_STEPS 0xfffffff0

/* Refuse what isn't a task of an ordinary step; shows the line to write. */
static int exec_check_place(struct err *err)
{
	const char *step = getenv("SLURM_STEP_ID");
	long n;

	if (step && getenv("SLURM_PROCID") && getenv("SLURM_STEP_NUM_TASKS") &&
	    parse_number(step, 0, SPECIAL_STEPS - 1, &n) == 0)
		return 0;
	return err_printf(
		err, "exec: this isn't a task of srun; write: srun -K -N2 "
		     "--ntasks-per-node=1 --gpus-per-node=8 dist-train exec "
		     "ddp -- python3 train.py");
}

/* Refuse a step that has --dist-train or an exec already. */
static int exec_check_first(const struct job *job, struct err *err)
{
	const char *found = getenv("DIST_TRAIN_STEP");

	if (!found || job_is_stale(job, found))
		return 0;
	return err_printf(err,
			  "exec: this step is a distributed one already, by "
			  "srun --dist-train or by another dist-train exec; "
			  "use one of them");
}

/* The variables of PMIx, PMI-1 and PMI-2. */
static bool has_pmi(void)
{
	return getenv("PMIX_RANK") || getenv("PMI_RANK") || getenv("PMI_FD");
}

/* Refuse what only the plugin in srun can do; each error has the cure. */
static int exec_check_request(const struct request *r, const struct resolved *w,
			      struct err *err)
{
	const struct framework *fw = r->framework;

	if (w->recovery)
		return err_printf(err,
				  "exec: spares, and on-node-loss with replace "
				  "or shrink, need the plugin in srun, which "
				  "sees which node is left");
	if (w->requeue || request_text(r, KEY_REQUEUE))
		return err_printf(err,
				  "exec: %s needs the plugin in srun; without "
				  "it sbatch --requeue and Slurm's own rules "
				  "requeue the job",
				  request_text(r, KEY_REQUEUE)
					  ? "requeue"
					  : "on-node-loss=requeue");
	if (w->pmi && !has_pmi())
		return err_printf(err,
				  "%s finds its ranks through PMI, which this "
				  "step doesn't have; use srun --mpi=pmix, or "
				  "--mpi=pmi2; srun --mpi=list shows which "
				  "exist",
				  fw->name);
	return fw->check_user ? fw->check_user(r, own_env, NULL, err) : 0;
}

/* --- the command --- */

/* The controller's NodeAddr, where no name server knows the node. */
static int ask_node(const char *node, struct sockaddr_storage *ret)
{
	struct err unused;
	cleanup_free char *text = scontrol_show("node", node, &unused);
	char addr[HOSTLIST_NAME_MAX];

	if (!text || !text_value(text, "NodeAddr", addr, sizeof(addr)))
		return -1;
	return host_address(addr, ret);
}

/* The words after the request: "--" may stand between. */
static char **program_of(const struct given *g, struct err *err)
{
	int first = g->n > 1 && !strcmp(g->word[1], "--") ? 2 : 1;

	if (g->n > first)
		return g->word + first;
	err_printf(err,
		   "exec: no program after %s; write: dist-train exec "
		   "FRAMEWORK[,KEY=VALUE]... -- PROGRAM [ARG]...",
		   g->n ? g->word[0] : "it");
	return NULL;
}

/* What every task of the step finds in the same way is said by one of them, and
 * the rest by the first of each node. */
static bool says_it(bool common)
{
	const char *id = getenv(common ? "SLURM_PROCID" : "SLURM_LOCALID");

	return !id || !strcmp(id, "0");
}

/* Show an error, unless another task does, and end. */
static int fail(int status, bool common, const struct err *err)
{
	if (says_it(common))
		log_line("%s", err->text);
	usleep(LAST_WORDS_US);
	_exit(status);
}

struct prepared {
	struct config config;
	struct request request;
	struct resolved resolved;
	struct interfaces interfaces;
	struct job job;
	unsigned learn; /* a set of LEARN_... */
};

/* A file of roles, which each node's task reads. */
static int put_roles(char **argv, const struct prepared *p, struct err *err)
{
	cleanup_free char *text = NULL;
	struct role_file file;

	if (exec_check_request(&p->request, &p->resolved, err) < 0 ||
	    role_program_read(exec_words(argv), argv, text_file_read, own_env,
			      NULL, &p->config, &text, &file, err) < 0)
		return -1;
	role_file_clear(&file);
	return exec_env_set(NULL, HANDOVER_ROLES, text, err);
}

/* What all tasks find in the same way. */
static int prepare(const char *text, char **argv, struct prepared *p,
		   struct err *err)
{
	char room[COMMAND_ROOM];
	struct step_command command;
	char remark[REQUEST_REMARK_SIZE];

	if (exec_check_place(err) < 0 ||
	    config_parse(0, NULL, &p->config, err) < 0 ||
	    config_own_defaults(getenv(CONFIG_OWN_DEFAULTS), &p->config, err) <
		    0 ||
	    request_parse(text, p->config.defaults, NULL, &p->request, err) < 0)
		return -1;
	for (size_t n = 0;
	     says_it(true) && request_remark(&p->request, n, remark); n++)
		log_line("%s", remark);
	if (!p->request.framework)
		return 0;
	if (exec_facts(&p->request, &p->job, &p->learn, err) < 0 ||
	    exec_check_first(&p->job, err) < 0)
		return -1;
	resolve(&p->request, &p->job, &p->resolved);
	if (says_it(true) && p->resolved.by_topology && p->job.nnodes > 1)
		log_line("exec: order=topology has no effect: it needs the "
			 "plugin in srun, which asks slurmctld; the nodes' "
			 "order stays Slurm's");
	if (says_it(true) && p->resolved.groups && p->job.nnodes > 1)
		log_line("exec: groups has no effect: it needs the plugin in "
			 "srun, which asks slurmctld");
	if (p->request.framework->program_is_file)
		return put_roles(argv, p, err);
	wrapped_command_read(exec_words(argv), argv, text_file_read, room,
			     &command);
	if (step_command_check_words(&p->request, &p->resolved, p->job.ntasks,
				     &command, err) < 0)
		return -1;
	return exec_check_request(&p->request, &p->resolved, err);
}

/* As srun --dist-train=help does; one task shows it. */
static bool show_words(const char *text)
{
	FILE *f = says_it(true) ? stdout : fopen("/dev/null", "we");
	bool asked = f && help_asked(f, text, NULL);

	if (f && f != stdout)
		fclose(f);
	return asked;
}

static int run(struct given *g, struct err *err)
{
	const char *text = g->n ? g->word[0] : NULL;
	struct prepared p = {.config.port_min = 0};
	struct task task = {
		.env = {own_env, exec_env_set, NULL},
		.option_text = text,
		.config = &p.config,
		.request = &p.request,
		.resolved = &p.resolved,
		.interfaces = &p.interfaces,
		.ask_node = ask_node,
	};
	struct exec_fault fault = {.status = EXIT_FAILURE};
	char **program;

	if (text && !strcmp(text, "--help"))
		return SHOW_HELP;
	if (text && show_words(text))
		return EXIT_DONE;
	program = program_of(g, err);
	if (!program)
		return EXIT_USAGE;
	if (prepare(text, program, &p, err) < 0)
		return fail(EXIT_FAILURE, true, err);
	if (p.resolved.interfaces)
		interfaces_find(&p.interfaces);
	if (!p.request.framework)
		exec_program(program, &fault.status, err);
	else
		exec_start(&task, &p.job, p.learn, program, &fault, err);
	return fail(fault.status, fault.common, err);
}

const struct command exec_command = {
	.name = "exec",
	.summary = "start training on a cluster without the plugin",
	.usage = "FRAMEWORK[,KEY=VALUE]... [--] PROGRAM [ARG]...",
	.about = "Does under a plain srun what srun --dist-train does "
		 "where the plugin is installed: it becomes PROGRAM "
		 "with the framework's variables, or starts one "
		 "process per device. It needs no root.",
	.example = "srun -N4 --gpus-per-node=8 dist-train exec ddp -- "
		   "python3 main.py",
	.page = "dist-train-exec",
	.reads = true,
	.run = run,
};
