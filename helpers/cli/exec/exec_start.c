/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/exec/exec.h"

#include "core/env/process_env.h"
#include "core/facts/auth.h"
#include "core/facts/handover.h"
#include "core/facts/learned.h"
#include "core/facts/share_cores.h"
#include "core/plan/plan.h"
#include "helpers/auth/sack.h"
#include "helpers/visit/step_find.h"
#include "sys/child.h"
#include "sys/folder.h"
#include "sys/helper_path.h"
#include "sys/kept/marked_folder.h"
#include "sys/log.h"
#include "sys/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int exec_program(char **argv, int *ret_status, struct err *err)
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

int exec_start(const struct task *task, struct job *job, unsigned learn,
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
