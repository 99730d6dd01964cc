/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/option.h"

#define PORT_MIN  1
#define PORT_MAX  65535
#define COUNT_MAX 1000000
#define DAY_S	  86400

/* clang-format off */
const struct option_key option_keys[KEY_COUNT] = {
	[KEY_PROCS] = {
		.name = "procs", .words = "auto task device", .value = "N",
		.kind = KIND_NUMBER, .min = 1, .max = 1024,
		.meaning = "who brings up the processes: each Slurm task is "
			   "one, or one per device (or N) in each node's "
			   "single task; auto: device when every node of the "
			   "step has one task and at least one has more than "
			   "one device",
	},
	[KEY_SUPERVISE] = {
		.name = "supervise", .words = "auto yes no",
		.meaning = "put dist-train-launch before each task",
	},
	[KEY_PORT] = {
		.name = "port", .words = "auto", .value = "N",
		.kind = KIND_NUMBER, .min = PORT_MIN, .max = PORT_MAX,
		.meaning = "coordinator port; auto: the step's reserved ports, "
			   "else derived from job, step and restart count in "
			   "the administrator's range",
	},
	[KEY_ADDR] = {
		.name = "addr", .words = "auto name ip", .value = "nic:IFACE",
		.prefix = "nic:", .kind = KIND_IFACE,
		.meaning = "coordinator address: the IP address of rank 0's "
			   "node, else its name (auto), its NodeName, its IP "
			   "address, or that of an interface",
	},
	[KEY_NIC] = {
		.name = "nic", .words = "auto off", .value = "IFACE",
		.kind = KIND_IFACE,
		.meaning = "network interface for NCCL, Gloo, TensorPipe, "
			   "HCCL; auto: the one that routes to rank 0, found "
			   "on each node",
	},
	[KEY_PROFILE] = {
		.name = "profile", .words = "", .value = "NAME[+NAME]",
		.kind = KIND_NAMES,
		.meaning = "files of variables from the administrator's "
			   "profile folder",
	},
	[KEY_DIALECT] = {
		.name = "dialect",
		.words = "none"
#define DIALECT(id, name) " " name
#include "dialects/dialects.def"
#undef DIALECT
		,
		.meaning = "also give the names, files or arguments of that "
			   "platform, so that its scripts run unchanged",
	},
	[KEY_PS] = {
		.name = "ps", .words = "auto", .value = "N",
		.kind = KIND_NUMBER, .min = 0, .max = COUNT_MAX,
		.meaning = "number of parameter servers (tf-ps)",
	},
	[KEY_WORKERS] = {
		.name = "workers", .words = "auto", .value = "N",
		.kind = KIND_NUMBER, .min = 1, .max = COUNT_MAX,
		.meaning = "number of workers (tf-ps)",
	},
	[KEY_CHIEF] = {
		.name = "chief", .words = "", .value = "N",
		.kind = KIND_NUMBER, .min = 0, .max = 1, .initial = 0,
		.meaning = "number of chiefs (tf-ps)",
	},
	[KEY_EVALUATOR] = {
		.name = "evaluator", .words = "", .value = "N",
		.kind = KIND_NUMBER, .min = 0, .max = 1, .initial = 0,
		.meaning = "number of evaluators (tf-ps)",
	},
	[KEY_SERVER] = {
		.name = "server", .words = "own stock",
		.meaning = "tf-ps: the program runs in every role, or beside "
			   "standard servers that are brought",
	},
	[KEY_CONTROLLER] = {
		.name = "controller", .words = "auto mpi gloo",
		.meaning = "horovod: how its ranks find each other; auto: "
			   "gloo in device mode, else mpi",
	},
	[KEY_DASHBOARD] = {
		.name = "dashboard", .words = "no yes",
		.meaning = "ray: start Ray's dashboard beside the head and say "
			   "its address",
	},
	[KEY_TABLE] = {
		.name = "table", .words = "auto 1.0 1.2 2.0 none",
		.meaning = "version of the Ascend rank table; auto: 1.2 where "
			   "the driver tells the super pods of an A3, else "
			   "1.0; none: without a table",
	},
	[KEY_DEVICES_FROM] = {
		.name = "devices-from",
		.words = "auto dcmi hccn-tool hccn-conf inventory",
		.meaning = "where the addresses of NPUs come from; auto: the "
			   "first of these that has them",
	},
	[KEY_EXCHANGE] = {
		.name = "exchange", .words = "auto none pmix tcp",
		.meaning = "how nodes exchange what only they know",
	},
	[KEY_VISIBLE] = {
		.name = "visible", .words = "auto all one",
		.meaning = "devices of the node that a process sees: as Slurm "
			   "gives them, all of the step's, only its own",
	},
	[KEY_LOCAL_RANK] = {
		.name = "local-rank", .words = "process device",
		.meaning = "LOCAL_RANK is the process's number on its node, or "
			   "the index of its own device among those it sees",
	},
	[KEY_BIND] = {
		.name = "bind", .words = "auto off",
		.meaning = "cores and memory near the process's device",
	},
	[KEY_RUN_ON] = {
		.name = "run-on", .words = "all first",
		.meaning = "run the program on every process, or once on the "
			   "first node",
	},
	[KEY_LOG_DIR] = {
		.name = "log-dir", .words = "", .value = "PATTERN",
		.kind = KIND_PATH,
		.meaning = "one file per process and stream; %j %s %n %r as in "
			   "srun",
	},
	[KEY_LABEL] = {
		.name = "label", .words = "no yes",
		.meaning = "prefix each line of output with the rank",
	},
	[KEY_LOG_TEE] = {
		.name = "log-tee", .words = "none", .value = "RANK[,RANK]",
		.kind = KIND_LIST, .min = 0, .max = COUNT_MAX,
		.meaning = "with log-dir: these ranks also to the terminal",
	},
	[KEY_RESTARTS] = {
		.name = "restarts", .words = "", .value = "N",
		.kind = KIND_NUMBER, .min = 0, .max = 1000, .initial = 0,
		.meaning = "restarts of the step's processes in place",
	},
	[KEY_RESTART_ON] = {
		.name = "restart-on", .words = "signal any",
		.value = "CODE[,CODE]", .kind = KIND_LIST, .min = 1, .max = 255,
		.meaning = "which failures are worth a restart",
	},
	[KEY_ON_NODE_LOSS] = {
		.name = "on-node-loss", .words = "fail requeue",
		.meaning = "what a lost node does to the job",
	},
	[KEY_TIMEOUT] = {
		.name = "timeout", .words = "", .value = "SECONDS",
		.kind = KIND_NUMBER, .min = 1, .max = DAY_S, .initial = 60,
		.meaning = "how long a node, an exchange or a role service may "
			   "take to come up",
	},
	[KEY_LEASE] = {
		.name = "lease", .words = "", .value = "SECONDS",
		.kind = KIND_NUMBER, .min = 1, .max = DAY_S, .initial = 15,
		.meaning = "how long without a sign of life from srun or a "
			   "node before it counts as lost",
	},
	[KEY_TIMELINE] = {
		.name = "timeline", .words = "none", .value = "FILE",
		.kind = KIND_PATH,
		.meaning = "append the step's record as JSON lines; %j %s %n "
			   "%N as in log-dir",
	},
	[KEY_PROGRESS] = {
		.name = "progress", .words = "auto yes no",
		.meaning = "one updating line while processes come up",
	},
	[KEY_GRACE] = {
		.name = "grace", .words = "", .value = "SECONDS",
		.kind = KIND_NUMBER, .min = 0, .max = DAY_S, .initial = 30,
		.meaning = "device mode: time between the first process that "
			   "ends in failure and the end of all others",
	},
	[KEY_EARLY_EXIT] = {
		.name = "early-exit", .words = "ok fail",
		.meaning = "what an exit of 0 means while others still run",
	},
	[KEY_OVERWRITE] = {
		.name = "overwrite", .words = "no yes",
		.meaning = "replace values that the user has set",
	},
	[KEY_EXPLAIN] = {
		.name = "explain", .words = "no yes only",
		.meaning = "print what each process gets and from where; only: "
			   "and start nothing",
	},
};
/* clang-format on */
