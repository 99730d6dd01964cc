/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of the keys that are no framework's own: names, values, limits,
 * defaults, and one sentence of meaning for --help, manual page and completion.
 * The order is that of enum key_id.
 */
#include "core/option/option.h"

#include "core/option/file_pattern.h"

#define PORT_MIN 1
#define PORT_MAX 65535
#define DAY_S	 86400

/* clang-format off */
const struct option_key option_keys[KEY_COUNT] = {
	[KEY_PROCS] = {
		.name = "procs", .words = "auto task device", .value = "N",
		.kind = KIND_NUMBER, .min = 1, .max = 1024,
		.everyday = true,
		.meaning = "what a process is. task: each Slurm task is one "
			   "process; device (or N): dist-train-launch starts "
			   "one process per device (or N processes) in the "
			   "node's only task; auto: device when every node of "
			   "the step has one task and at least one node has "
			   "more than one device, else task",
	},
	[KEY_SUPERVISE] = {
		.name = "supervise", .words = "auto yes no",
		.meaning = "whether dist-train-launch starts and watches the "
			   "processes of each task; auto: where another key "
			   "or the framework needs it",
	},
	[KEY_PORT] = {
		.name = "port", .words = "auto", .value = "N",
		.kind = KIND_NUMBER, .min = PORT_MIN, .max = PORT_MAX,
		.meaning = "port of the coordinator; auto: a port that Slurm "
			   "has reserved for the step, else one that is "
			   "derived from job, step and restart count, in the "
			   "administrator's range",
	},
	[KEY_ADDR] = {
		.name = "addr", .words = "auto name ip", .value = "nic:IFACE",
		.prefix = "nic:", .kind = KIND_IFACE,
		.meaning = "address of the coordinator. auto: the IP address "
			   "of rank 0's node, or its name if the address "
			   "isn't known; name: its NodeName; ip: its IP "
			   "address; nic:IFACE: the address of that interface",
	},
	[KEY_NIC] = {
		.name = "nic", .words = "auto all off",
		.value = "IFACE[,IFACE]", .kind = KIND_IFACES,
		.everyday = true,
		.meaning = "network interfaces. auto: libraries that meet on "
			   "one (Gloo, TensorPipe, HCCL) get the one that "
			   "routes to rank 0; NCCL, Open MPI and UCX choose "
			   "themselves, and get a list only where they would "
			   "take one that leads to no other node; all: never "
			   "a list; off: nothing is set; IFACE: these, or the "
			   "first of them that the node has",
	},
	[KEY_PROFILE] = {
		.name = "profile", .words = "", .value = "NAME[+NAME]",
		.kind = KIND_NAMES,
		.meaning = "environment variables from these files in the "
			   "administrator's profile folder",
	},
	[KEY_DIALECT] = {
		.name = "dialect",
		.words = "none"
#define DIALECT(id, name) " " name
#include "dialects/dialects.def"
#undef DIALECT
		,
		.meaning = "also provide the variables, files or arguments of "
			   "this platform, so that its scripts run unchanged",
	},
	[KEY_TABLE] = {
		.name = "table", .words = "auto 1.0 1.2 2.0 none",
		.group = KEYS_OF_NPUS,
		.meaning = "version of the Ascend rank table; auto: 1.2 where "
			   "the driver reports the super pods of an A3, else "
			   "1.0; none: no table",
	},
	[KEY_DEVICES_FROM] = {
		.name = "devices-from",
		.words = "auto dcmi hccn-tool hccn-conf inventory",
		.group = KEYS_OF_NPUS,
		.meaning = "where NPU addresses come from; auto: the first of "
			   "these sources that knows them",
	},
	[KEY_EXCHANGE] = {
		.name = "exchange", .words = "auto none pmix tcp",
		.group = KEYS_OF_NPUS,
		.meaning = "how nodes exchange their NPU addresses; none: no "
			   "exchange, the inventory knows all addresses",
	},
	[KEY_VISIBLE] = {
		.name = "visible", .words = "auto all one",
		.meaning = "devices of the node that a process sees. auto: "
			   "those that Slurm shows; all: all devices of the "
			   "step; one: its own device only",
	},
	[KEY_LOCAL_RANK] = {
		.name = "local-rank", .words = "process device",
		.group = KEYS_OF_LOCAL_RANK,
		.meaning = "what LOCAL_RANK is. process: the process's number "
			   "on its node; device: the index of its own device "
			   "among those that it sees",
	},
	[KEY_BIND] = {
		.name = "bind", .words = "auto off",
		.meaning = "bind each process to cores and memory near its "
			   "device",
	},
	[KEY_RUN_ON] = {
		.name = "run-on", .words = "all first",
		.meaning = "run the program in every process, or only once, "
			   "on the first node",
	},
	[KEY_ORDER] = {
		.name = "order", .words = "slurm topology",
		.meaning = "the order of nodes in the world. slurm: that of "
			   "their tasks; topology: nodes of a block (an NVLink "
			   "domain, a super pod) follow each other, in it "
			   "those of a switch, as Slurm's topology and the "
			   "inventory tell; rank 0 stays on its node",
	},
	[KEY_GROUPS] = {
		.name = "groups", .words = "none", .kind = KIND_GROUPS,
		.value = "NAME:N[+NAME:N]",
		.meaning = "the parallel groups of ranks, the fastest-varying "
			   "first: srun says which cross a block or a switch",
	},
	[KEY_GROUPS_STRICT] = {
		.name = "groups-strict", .words = "no yes", .with = KEY_GROUPS,
		.value = "NAME[+NAME]", .kind = KIND_NAMES,
		.meaning = "refuse the step where one of them does",
	},
	[KEY_LOG_DIR] = {
		.name = "log-dir", .words = "", .value = "PATTERN",
		.kind = KIND_PATH,
		.fields = FILE_PATTERN_OF_RANK,
		.everyday = true,
		.meaning = "write the output of each process to files of its "
			   "own, one for stdout and one for stderr; %j job, "
			   "%s step, %n node's number, %N node's name, %r rank",
	},
	[KEY_LABEL] = {
		.name = "label", .words = "no yes",
		.everyday = true,
		.meaning = "put the rank before each line of output",
	},
	[KEY_LOG_TEE] = {
		.name = "log-tee", .words = "none", .value = "RANK[,RANK]",
		.kind = KIND_LIST, .min = 0, .max = OPTION_COUNT_MAX,
		.with = KEY_LOG_DIR,
		.meaning = "with log-dir: also show the output of these ranks "
			   "on the terminal",
	},
	[KEY_RESTARTS] = {
		.name = "restarts", .words = "", .value = "N",
		.kind = KIND_NUMBER, .min = 0, .max = 1000, .initial = 0,
		.everyday = true,
		.meaning = "how often the step's processes, or those of one "
			   "of its replica groups, are restarted in place "
			   "after a failure",
	},
	[KEY_RESTART_ON] = {
		.name = "restart-on", .words = "any signal",
		.value = "CODE[,CODE]", .kind = KIND_LIST, .min = 1, .max = 255,
		.with = KEY_RESTARTS,
		.meaning = "which failures trigger a restart. any: every exit "
			   "status but 126 and 127, with which a program "
			   "can't be started; signal: 128 and above; CODE: "
			   "these exit statuses",
	},
	[KEY_SPARES] = {
		.name = "spares", .words = "", .value = "N",
		.kind = KIND_NUMBER, .min = 0, .max = OPTION_COUNT_MAX,
		.initial = 0,
		.everyday = true,
		.meaning = "keep N of the step's nodes in reserve: the world "
			   "has the others, and a spare takes the place of a "
			   "node that is lost",
	},
	[KEY_ON_NODE_LOSS] = {
		.name = "on-node-loss", .words = "auto fail requeue replace",
		.value = "WORD[+WORD]", .kind = KIND_LADDER,
		.meaning = "what happens when a node is lost: these words, "
			   "tried in order. replace: all processes start "
			   "again, a spare has the lost node's ranks; "
			   "shrink:MIN: the same with fewer nodes, at least "
			   "MIN; requeue: the job is requeued; fail: the step "
			   "ends. auto: replace+fail with spares, else fail",
	},
	[KEY_ON_SILENCE] = {
		.name = "on-silence", .words = "wait fail",
		.meaning = "what happens when a node's launcher hasn't "
			   "answered within timeout. wait: the step goes on, "
			   "and the node may come later; fail: the step ends. "
			   "Steps that need all nodes to start end in any case",
	},
	[KEY_TIMEOUT] = {
		.name = "timeout", .words = "", .value = "SECONDS",
		.kind = KIND_SECONDS, .min = 1, .max = DAY_S, .initial = 60,
		.meaning = "how long a node, an exchange of addresses or a "
			   "service may take to start",
	},
	[KEY_LEASE] = {
		.name = "lease", .words = "", .value = "SECONDS",
		.kind = KIND_SECONDS, .min = 5, .max = DAY_S, .initial = 15,
		.meaning = "after how long without a sign of life srun or a "
			   "node counts as lost",
	},
	[KEY_CHECK] = {
		.name = "check", .words = "off fast full",
		.meaning = "look at each node before its processes start: "
			   "devices and their health, ports, /dev/shm, the "
			   "folder for files. full: pairs of nodes also "
			   "measure their network. The step is refused with "
			   "the name of a node that is unfit",
	},
	[KEY_CHECK_PROGRAM] = {
		.name = "check-program", .words = "none", .value = "FILE",
		.kind = KIND_PATH, .with = KEY_CHECK,
		.meaning = "with check: run this program once on each node "
			   "before the processes start; a node where it "
			   "doesn't end with 0 within timeout is unfit",
	},
	[KEY_HANG] = {
		.name = "hang", .words = "off",
		.value = "SECONDS[:report|:restart|:fail]",
		.kind = KIND_HANG, .min = 5, .max = DAY_S,
		.everyday = true,
		.meaning = "look for a hang: when no rank has shown a sign of "
			   "work for so long, say where each one is and who is "
			   "to blame, also by what the communication libraries "
			   "record meanwhile. report: nothing more; restart: "
			   "the processes start again, as after a failure; "
			   "fail: the step ends with exit code 124",
	},
	[KEY_END_SIGNAL] = {
		.name = "end-signal", .words = "none",
		.value = "[SIG@]SECONDS",
		.kind = KIND_END_SIGNAL, .min = 1, .max = DAY_S,
		.everyday = true,
		.meaning = "send SIG (USR1) to every rank SECONDS before the "
			   "time limit, or when the job is preempted or "
			   "cancelled, so that it can save. Each gets it once, "
			   "even under a shell, torchrun or a container; ranks "
			   "without a handler don't get it",
	},
	[KEY_REQUEUE] = {
		.name = "requeue", .words = "none", .value = "CAUSE[+CAUSE]",
		.kind = KIND_REQUEUE,
		.everyday = true,
		.meaning = "requeue the job when its step has ended because of "
			   "time-limit, preemption, node-loss or failure; "
			   "never after exit code 93 or scancel",
	},
	[KEY_REQUEUES] = {
		.name = "requeues", .words = "", .value = "N",
		.kind = KIND_NUMBER, .min = 1, .max = OPTION_COUNT_MAX,
		.initial = 100,
		.with = KEY_REQUEUE,
		.meaning = "how often requeue may requeue the job",
	},
	[KEY_PROGRESS_FILE] = {
		.name = "progress-file", .words = "none", .value = "FILE",
		.kind = KIND_PATH,
		.with = KEY_REQUEUE,
		.meaning = "the program writes an integer to this file, the "
			   "steps that are saved: the job is no longer "
			   "requeued when it hasn't grown in three runs",
	},
	[KEY_TIMELINE] = {
		.name = "timeline", .words = "none", .value = "FILE",
		.kind = KIND_PATH,
		.fields = FILE_PATTERN_OF_NODE,
		.meaning = "append the step's record, with its processes, to "
			   "this file, as JSON lines; %j %s %n %N as in "
			   "log-dir",
	},
	[KEY_RECORD] = {
		.name = "record", .words = "auto off", .value = "DIR",
		.kind = KIND_PATH,
		.meaning = "keep a short record of the step, which dist-train "
			   "why and timeline read. auto: in the user's state "
			   "folder (XDG_STATE_HOME or ~/.local/state, "
			   "dist-train) where srun's host can write to it, "
			   "the newest 200; DIR: in this folder, for ever. "
			   "Steps without launchers have none",
	},
	[KEY_PROGRESS] = {
		.name = "progress", .words = "auto yes no",
		.meaning = "show one line, updated in place, while processes "
			   "start; auto: on a terminal",
	},
	[KEY_METRICS] = {
		.name = "metrics", .words = "off on",
		.meaning = "let the processes report how far they are, for "
			   "dist-train status: Hugging Face's Trainer does it "
			   "by itself (KUBEFLOW_TRAINER_SERVER_URL), others "
			   "write to the file DIST_TRAIN_PROGRESS_FILE",
	},
	[KEY_GRACE] = {
		.name = "grace", .words = "", .value = "SECONDS",
		.kind = KIND_SECONDS, .min = 0, .max = DAY_S, .initial = 30,
		.meaning = "after a process has failed: how long the others "
			   "may go on before all of them are ended",
	},
	[KEY_EARLY_EXIT] = {
		.name = "early-exit", .words = "ok fail",
		.meaning = "whether a process that exits with 0 while others "
			   "still run is a success or a failure",
	},
	[KEY_OVERWRITE] = {
		.name = "overwrite", .words = "no yes",
		.meaning = "replace environment variables that the user has "
			   "set",
	},
	[KEY_EXPLAIN] = {
		.name = "explain", .words = "no yes only",
		.everyday = true,
		.meaning = "print the variables of each process and where "
			   "they come from; only: print, and start nothing",
	},
};
/* clang-format on */
