/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What dist-train-launch knows, and the parts of its life.
 */
#ifndef DT_HELPERS_LAUNCH_LAUNCH_H
#define DT_HELPERS_LAUNCH_LAUNCH_H

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/plan.h"
#include "helpers/channel/session.h"
#include "helpers/launch/host_files.h"
#include "helpers/launch/procs.h"
#include "helpers/launch/readiness.h"
#include "helpers/launch/run_dir.h"
#include "helpers/node/bind.h"
#include "helpers/output/output.h"
#include "helpers/output/timeline.h"
#include "helpers/ranktable/exchange.h"
#include "helpers/ranktable/exchange_pmix.h"
#include "helpers/ranktable/local_rows.h"
#include "helpers/shim/exec_request.h"
#include "helpers/shim/shim_links.h"
#include "helpers/shim/shim_server.h"
#include "sys/loop.h"

#include <limits.h>
#include <stdbool.h>

/* How an order to all says that the step has to be without a rank table. */
#define STARTED_WITHOUT_TABLE "table=none"

/* Where the program is a script that starts the processes
 * (plan->start_command). */
struct script {
	struct shim_server shim; /* of task 0, as the next four are */
	struct shim_links files;
	char **env;
	bool runs, ordered;	   /* has been started; has said what all run */
	bool ending;		   /* the step has failed */
	struct exec_request order; /* what all run */
};

struct launch {
	struct loop loop;
	struct procs procs;
	struct output *output;	  /* NULL: the workers have ours */
	struct session *session;  /* NULL: nothing is started */
	struct loop_watch parent; /* slurmstepd */
	struct config config;
	struct request request;
	struct job job;
	struct plan plan;
	struct bind bind;
	struct run_dir run_dir;
	struct host_files host_files;
	struct timeline timeline;
	struct npu_task npus; /* where the framework's devices are NPUs */
	struct local_rows rows;
	enum exchange_way way;
	struct exchange_pmix pmix;
	char rank_table[PATH_MAX + 32];
	char *shared_table; /* what task 0 is to write there; NULL: nothing */
	size_t shared_table_len;
	struct err fault; /* to be said at its turn */
	uint64_t fault_at_ms;
	struct loop_timer fault_turn, settled;
	struct script script;
	struct readiness waiting; /* for this node's service */
	int service_in;		  /* keeps it alive; 0: none */
	bool others_turn;	  /* the first node's service answers */
	char secret[SEAL_WORD_SIZE];
	long oom_kills; /* before anything was started */
	char program[PATH_MAX];
	char **argv;
	bool stale;	/* variables of an outer step are in the environment */
	unsigned round; /* restarts in place so far */
	int exit_code;	/* as the arbiter says */
	int hccn_fd;	/* hccn.conf as the plugin has read it, or -1 */
	int barrier_fd; /* helpers/ranktable/node_barrier.h, or -1 */
};

/* An env_lookup_fn over this process's environment. */
char *launch_env(void *arg, const char *name);

/* Start the plan's processes; with explain=only show what they would get. When
 * one can't be started the others may run. */
int launch_start(struct launch *l, struct err *err);

/* All else that this node's processes need is there: start what the plan adds
 * to them, if anything. The step is told MSG_READY when it answers, and ended
 * when that takes too long or the step can't have it. */
void launch_serve(struct launch *l);

/* MSG_GO may be for the services of the other nodes: then they are started.
 * Returns 1 for that, 0 otherwise, or -1. */
int launch_next_service(struct launch *l, struct err *err);

/* With explain=only: show what it would get. */
int launch_service_show(struct launch *l, struct err *err);

/* Let go of it. */
void launch_service_end(struct launch *l);

/* Run the script; in task 0, while the others wait for MSG_EXEC_ALL. Fails
 * where the launchers can't meet. */
int launch_script(struct launch *l, struct err *err);

/* MSG_EXEC_ALL: take over what the script wants all to run. */
int launch_exec_request(struct launch *l, const char *data, size_t n,
			struct err *err);

/* All processes of the step have ended: where the script waits for that it is
 * told, and ends by itself. Returns whether there is one. */
bool launch_script_done(struct launch *l);

/* Nothing runs any more: the script should have started something. */
void launch_script_ended(struct launch *l);

/* Let go of it. */
void launch_script_end(struct launch *l);

/* What the processes don't inherit: our own hand-over, and the parent task's
 * PMI, which only one process could use. */
extern const char *const launch_not_inherited[];

/* Print what is to be told about a process, as the key explain asks. */
int launch_show(const struct launch *l, const struct process *process,
		const struct envset *set, struct err *err);

/* Print lines of our own, each with its newline; they tear none of a worker. */
void launch_say(struct launch *l, const char *lines);

/* A message of text to the arbiter. */
void launch_send(struct launch *l, enum message type, const char *text);

/* Make the plan with what has become known since. */
int launch_plan_again(struct launch *l, struct err *err);

/* What comes before the next MSG_GO is done on this node. */
void launch_ready(struct launch *l);

/* Whether the coordinator's address is to be told, and nobody can; then `err`
 * says so. */
bool launch_cannot_learn(const struct launch *l, struct err *err);

/* The address that came with MSG_GO; "" or known already: nothing changes. */
int launch_learn_address(struct launch *l, const char *addr, struct err *err);

/* What is wrong for other launchers too: where each has a arbiter of its own,
 * only one says it. */
void launch_common_fault(struct launch *l, const struct err *err);

/* Make the folder of files where it is of use. A rank table and services need
 * one; torch's error files can do without. */
int launch_folder(struct launch *l, struct err *err);

/* Show all that would be started. Returns 0 or -1. */
int launch_explain(struct launch *l, struct err *err);

/* Start all, together with the step's other launchers, and wait for the end.
 * Returns the exit code, or -1. */
int launch_run(struct launch *l, struct err *err);

/* Where worker `index` may leave its exception. Returns buf. */
const char *launch_error_file(const struct launch *l, unsigned index,
			      char buf[PATH_MAX + 32]);

/* End the whole step after `after_s` seconds, with that exit code and one line
 * that says why. */
void launch_stop(struct launch *l, int code, long after_s, const char *why);

/* Make the rank table: ask for this node's part; go on when everybody's is
 * there (MSG_GATHERED); and let go of what that took. When it is there the
 * arbiter hears MSG_READY. */
void launch_table_begin(struct launch *l);
void launch_table_facts(struct launch *l, const char *data, size_t n);
void launch_table_close(struct launch *l);

/* Everybody is ready: where this launcher shares task 0's file, it must be what
 * it would have written itself. Returns 0 or -1. */
int launch_table_check(struct launch *l, struct err *err);

/* Let go of what launch_run() has opened. */
void launch_end(struct launch *l);

#endif
