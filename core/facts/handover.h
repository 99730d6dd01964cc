/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names under which srun's side of the plugin hands facts to the nodes,
 * and a node's side to the launcher. They begin with SLURM because only such
 * names pass `--export=NONE`.
 */
#pragma once

#include "core/base/envset.h"

#include <limits.h>
#include <stdbool.h>

/* Raised whenever a name below changes its meaning. */
#define HANDOVER_VERSION 2

/* srun -> nodes: VERSION:JOB.STEP; "refuse, srun has said why"; "do nothing, as
 * without the option"; rank 0's
 * NodeName and IP address; counts by task, "8(x2)"; which task is where
 * (core/facts/taskmap.h); an IP address for each node; the
 * order of nodes (core/facts/places.c); "node[1-2]:0-7;..."; the
 * secret as a MUNGE credential, or HANDOVER_BY_SLURM; two ports of the
 * controller beside srun: for launchers, and for the facts of task 0; "1" when
 * srun's stderr is a terminal; "1" when a TaskProlog may set the devices that a
 * task sees; "FEATURE=node[1-2];..." for default profiles; the user's own
 * defaults, as srun has read them; with the keys end-signal and requeue when
 * the job's time is over (0: it has no limit) and when it was submitted, in
 * seconds since the epoch; our release there, for errors */
#define HANDOVER_ID	    "SLURM_DIST_TRAIN_HANDOVER"
#define HANDOVER_ERROR	    "SLURM_DIST_TRAIN_ERROR"
#define HANDOVER_LEAVE	    "SLURM_DIST_TRAIN_LEAVE"
#define HANDOVER_NODE	    "SLURM_DIST_TRAIN_NODE"
#define HANDOVER_ADDR	    "SLURM_DIST_TRAIN_ADDR"
#define HANDOVER_PROCS	    "SLURM_DIST_TRAIN_PROCS"
#define HANDOVER_TASKMAP    "SLURM_DIST_TRAIN_TASKMAP"
#define HANDOVER_ADDRS	    "SLURM_DIST_TRAIN_ADDRS"
#define HANDOVER_ORDER	    "SLURM_DIST_TRAIN_ORDER"
#define HANDOVER_GRES	    "SLURM_DIST_TRAIN_GRES"
#define HANDOVER_CREDENTIAL "SLURM_DIST_TRAIN_CREDENTIAL"
#define HANDOVER_STEP_PORTS "SLURM_DIST_TRAIN_STEP_PORTS"
/* Where Slurm's own authentication is the cluster's: at the second of these
 * ports, where a controller beside srun waits for task 0's facts, tokens have
 * this behind the step's id. So nobody else takes that one for the step's
 * controller. */
#define FACTS_DOOR	   " facts"
#define HANDOVER_TERMINAL  "SLURM_DIST_TRAIN_TERMINAL"
#define HANDOVER_PROLOG	   "SLURM_DIST_TRAIN_PROLOG"
#define HANDOVER_FEATURES  "SLURM_DIST_TRAIN_FEATURES"
#define HANDOVER_OWN	   "SLURM_DIST_TRAIN_OWN"
#define HANDOVER_END	   "SLURM_DIST_TRAIN_END"
#define HANDOVER_SUBMITTED "SLURM_DIST_TRAIN_SUBMITTED"
#define HANDOVER_RELEASE   "SLURM_DIST_TRAIN_RELEASE"

/* slurmstepd -> tasks and launcher: the option's text; lines of ARG=VALUE; the
 * step's GPUs by index; NAME=step's value of the visible devices; the
 * interface to rank 0, this node's address on it, its interfaces and RDMA
 * ports; the file in which NCCL finds its interfaces; on rank 0's node the
 * address of the key addr=nic; the replaced argv[0]; the secret's pipe, or why
 * there is none; the descriptors of hccn.conf's text and of memory that a
 * node's tasks share; that of the socket by which the keepers of a node's other
 * tasks reach its launcher (core/facts/keeping.h; from srun "no": there are
 * none); the user's LD_PRELOAD, which is for his program and not for the
 * launcher; the profiles' text */
#define HANDOVER_REQUEST    "SLURM_DIST_TRAIN_REQUEST"
#define HANDOVER_CONFIG	    "SLURM_DIST_TRAIN_CONFIG"
#define HANDOVER_GPUS	    "SLURM_DIST_TRAIN_GPUS"
#define HANDOVER_VISIBLE    "SLURM_DIST_TRAIN_VISIBLE"
#define HANDOVER_NIC	    "SLURM_DIST_TRAIN_NIC"
#define HANDOVER_INTERFACES "SLURM_DIST_TRAIN_INTERFACES"
#define HANDOVER_NCCL_CONF  "SLURM_DIST_TRAIN_NCCL_CONF"
#define HANDOVER_OWN_ADDR   "SLURM_DIST_TRAIN_OWN_ADDR"
#define HANDOVER_NIC_ADDR   "SLURM_DIST_TRAIN_NIC_ADDR"
#define HANDOVER_RDMA	    "SLURM_DIST_TRAIN_RDMA"
#define HANDOVER_ARGV0	    "SLURM_DIST_TRAIN_ARGV0"
#define HANDOVER_SECRET	    "SLURM_DIST_TRAIN_SECRET"
#define HANDOVER_HCCN	    "SLURM_DIST_TRAIN_HCCN"
#define HANDOVER_MEMORY	    "SLURM_DIST_TRAIN_MEMORY"
#define HANDOVER_KEEPERS    "SLURM_DIST_TRAIN_KEEPERS"
#define HANDOVER_PRELOAD    "SLURM_DIST_TRAIN_PRELOAD"

/* task 0's launcher -> controller: the folder in which it runs */
#define HANDOVER_FOLDER "SLURM_DIST_TRAIN_FOLDER"

/* What one of the node's tasks has asked Slurm for all of them
 * (spank/node/inherited.c). */
enum node_question { ASKED_NPUS, ASKED_END, NODE_QUESTIONS };

#define NODE_ANSWER_SIZE 1024

struct node_answer {
	int there;		     /* 1; -1: `text` is why it isn't */
	char text[NODE_ANSWER_SIZE]; /* as of struct err */
};

/* What is in that memory, which is zero at first
 * (helpers/ranktable/ranktable_shared.c). */
struct node_memory {
	unsigned arrived;      /* tasks that wait for all */
	unsigned told;	       /* 1: `folder` is there */
	char folder[PATH_MAX]; /* of the node's first launcher */
	struct node_answer answer[NODE_QUESTIONS];
};

/* dist-train exec -> launcher, where no srun has had the plugin. As
 * HANDOVER_SECRET this word: the launchers make a secret and pass it on by
 * MUNGE (helpers/meet/meet.h). In HANDOVER_LEARN what only the other nodes
 * know: some of the words "counts", "addrs", "taskmap", "components", with
 * commas (core/facts/learned.h). This task's own count of devices is in
 * HANDOVER_PROCS then, as a bare number, and its address in HANDOVER_OWN_ADDR.
 * "1": the option may be unknown to srun, and the step hasn't got it. */
#define HANDOVER_BY_MUNGE "munge"
#define HANDOVER_MEET	  "meet " /* the same by HANDOVER_BY_SLURM, behind it */
#define HANDOVER_LEARN	  "SLURM_DIST_TRAIN_LEARN"
#define HANDOVER_EXEC	  "SLURM_DIST_TRAIN_EXEC"

/* A heterogeneous step (doc/design/spank-slurm.md). srun -> nodes, before
 * the step exists, so that all components have it: the option's text of each
 * component, by lines in their order, or one line for all; in place of
 * HANDOVER_ID, VERSION:PORTS, for which the secret is sealed; what Slurm calls
 * the NPUs that the step may have, for each node to ask. slurmstepd ->
 * launcher: the number of the component's first task, and of its tasks; the
 * launchers may learn what the others know, as above. */
#define HANDOVER_COMPONENTS "SLURM_DIST_TRAIN_COMPONENTS"
#define HANDOVER_HET	    "SLURM_DIST_TRAIN_HET"
#define HANDOVER_NPUS	    "SLURM_DIST_TRAIN_NPUS"
#define HANDOVER_FIRST	    "SLURM_DIST_TRAIN_FIRST"

/* task -> its launcher, in place of facts that it would tell the others: why
 * the step can't be (spank/node/learning.c) */
#define HANDOVER_REFUSAL "SLURM_DIST_TRAIN_REFUSAL"

/* srun -> nodes: the text of the file of roles (core/roles/role_file.h), whose
 * name is the program's. */
#define HANDOVER_ROLES "SLURM_DIST_TRAIN_ROLES"

/* task 0's launcher -> controller: what all have learned, learned_text() */
#define HANDOVER_LEARNED "SLURM_DIST_TRAIN_LEARNED"

#define HANDOVER_PROFILE "SLURM_DIST_TRAIN_PROFILE"

/* agents of a file of roles -> their node's launcher: rows (core/facts/rows.h)
 * "role NAME WORLD STATE URL" of all worlds, in the launcher's folder. */
#define ROLES_ROWS "roles.rows"

/* A world of a step with several roles, to its launchers: how often it has
 * begun anew, and what it is called, "2 rollout.1". */
#define HANDOVER_WORLD "SLURM_DIST_TRAIN_WORLD"

/* sbatch, salloc -> srun: "1": the job has --no-kill, "?": it should have. */
#define HANDOVER_NO_KILL "SLURM_DIST_TRAIN_NO_KILL"

/* Where Slurm's own authentication is the cluster's, HANDOVER_CREDENTIAL and
 * HANDOVER_SECRET are this, SlurmUser's uid and the cluster's name
 * (core/facts/auth.h): each launcher asks the controller for the secret, by
 * tokens (helpers/auth). */
#define HANDOVER_BY_SLURM "slurm "
#define AUTH_TYPE_SLURM	  "auth/slurm"
#define AUTH_WORD_MAX	  128 /* bytes of it, with its NUL */

#define HANDOVER_PREFIX "SLURM_DIST_TRAIN_"

/* Bytes of the secret that a step's launchers and its controller share. */
#define SECRET_SIZE 32

/* Where a launcher keeps its files: BASE/dist-train-JOB.STEP.REQUEUE-... BASE
 * may be a folder that all nodes see; who removes it knows his own ones by
 * their mark (sys/kept/marked_folder.h). */
#define RUN_DIR_DEFAULT "/tmp"
#define RUN_DIR_PREFIX	"dist-train-"

/* The controller beside srun says this to srun when it leads the step. */
#define SRUN_THERE "T"

/* And what when the step is over. */
#define SRUN_ALL_WELL  "N"
#define SRUN_MAY_HANG  "M" /* Slurm may not see the end of all tasks */
#define SRUN_WILL_HANG "E" /* Slurm won't see it */
#define SRUN_LEFT_WELL "W" /* the same, and the others have ended with 0 */
#define SRUN_REQUEUE   "R" /* the same, and the job is to be requeued */

/* The end of the job (doc/design/helpers-ending.md). srun to the
 * controller, after SRUN_THERE: the job ends at another time than it has
 * handed over, and SRUN_END_SIZE bytes, the highest first: seconds since the
 * epoch, 0: never. That one to srun, before its last word: Slurm has sent
 * SIGTERM to a launcher; and how the step has ended, in one byte. The last
 * SRUN_OUTCOME counts. */
#define SRUN_END_TIME "L"
#define SRUN_END_SIZE 8
#define SRUN_TOLD     "t"
#define SRUN_OUTCOME  "o"

/* The bits of that byte. */
enum srun_outcome {
	OUTCOME_SIGNALLED = 1, /* the ranks knew that the end was near */
	OUTCOME_FAILED = 2,    /* a process has failed by itself */
	OUTCOME_NEVER = 4,     /* one has ended with REQUEUE_NEVER_CODE */
	OUTCOME_NODE_LOST = 8, /* and nothing took its place */
};

/* What is in the pipe, and behind it the credential: a launcher hands that on
 * to who looks into the step, as the same user (helpers/part/sight.h). */
struct handover_secret {
	unsigned char secret[SECRET_SIZE];
};

/* What is in the credential. */
struct handover_sealed {
	char id[64]; /* VERSION:JOB.STEP, padded with zeros */
	struct handover_secret secret;
};

/* Bytes of a credential, with its NUL; in one page of a pipe with the above. */
#define CREDENTIAL_SIZE 4000

/* Between a task's last words and its end. slurmstepd and srun pass output on
 * and report exits independently, and an srun that kills on a bad exit stops
 * listening: without this one line in twenty was lost (Slurm 22.05). */
#define LAST_WORDS_US 100000

/*
 * The file in memory in which the plugin hands an environment to the static
 * launcher (spank/node/later_plugin.c, helpers/container/env_restore.h):
 * strings, each with its NUL. The launcher finds it among its descriptors:
 * their numbers differ between the tasks of a node, and whatever is in the
 * environment may be another task's.
 */

#define HANDOVER_ENV_NAME "dist-train-env"

/* The first byte of a string: NAME=VALUE is to be set, NAME to be unset, the
 * root directory outside as DEVICE:INODE; the launcher is wanted, not the
 * program alone; the step has other nodes, and this one's name. */
#define HANDOVER_ENV_SET      '+'
#define HANDOVER_ENV_UNSET    '-'
#define HANDOVER_ENV_ROOT     '/'
#define HANDOVER_ENV_LAUNCHER '!'
#define HANDOVER_ENV_NODE     '@'

/*
 * The variables that let communication libraries record what they do
 * (doc/design/helpers-recorders.md). All are hints: a user who has set up a
 * recorder keeps it.
 */

/* In the folder: LIBRARY_rank_N, a rank's dump, and LIBRARY_rank_N.pipe, which
 * makes one when something is written to it. */
#define RECORDERS_TORCH "torch_rank_"
#define RECORDERS_HCCL	"hccl_rank_"

/* `folder` NULL: it isn't made yet. ras_port: NCCL's RAS is to answer there,
 * where devices are no NPUs. */
int recorder_env(const char *folder, bool npu, unsigned ras_port,
		 struct envset *set, struct err *err);

/*
 * By which names a process finds where it may report how far it is (key
 * metrics): the variables and paths that the launcher gives and that
 * dist-train-metrics serves (doc/design/helpers-metrics.md).
 */

/* A file of its own. */
#define METRICS_FILE_VARIABLE "DIST_TRAIN_PROGRESS_FILE"

/* Kubeflow Trainer's, which Hugging Face's Trainer finds by itself: the address
 * of the endpoint, and files with its certificate and the token. */
#define METRICS_URL_VARIABLE   "KUBEFLOW_TRAINER_SERVER_URL"
#define METRICS_CERT_VARIABLE  "KUBEFLOW_TRAINER_SERVER_CA_CERT"
#define METRICS_TOKEN_VARIABLE "KUBEFLOW_TRAINER_SERVER_TOKEN"

/* Only a launcher's own processes have to reach it. */
#define METRICS_ADDR "127.0.0.1"

/* Around the rank, in the form that Kubeflow Trainer's paths have. */
#define METRICS_PATH_HEAD                                                      \
	"/apis/trainer.kubeflow.org/v1alpha1/namespaces/dist-train/"           \
	"trainjobs/rank-"
#define METRICS_PATH_TAIL "/status"

/* A report's names: letters, digits and these, so many bytes with a NUL. */
#define METRICS_NAME_MORE "_.-/"
#define METRICS_NAME_MAX  48

/* Those that the endpoint's own figures have. */
#define METRICS_PERCENT	  "percent"
#define METRICS_REMAINING "remaining"
