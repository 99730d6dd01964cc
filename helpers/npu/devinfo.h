/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of this node's NPUs, asked of the driver and its files as the job's
 * user.
 *
 * devinfo.h	all facts of given NPUs, from all sources or from one; what is
 *		taken where sources differ
 * devinfo_tool.c, devinfo_dcmi.c	hccn_tool, npu-smi, the driver's library
 * devinfo_files.c	/etc/hccn.conf and the administrator's inventory
 * devinfo_nodes.c	which NPUs there are, and which this process may open
 * npu_task.c	which of them are the task's, and how it sees them
 *
 * A driver may hang. helpers/ranktable asks its library in a child of the
 * launcher and the rest, where it is needed, in another; dist-train devices and
 * dist-train doctor call this as well. It never writes to a device and never
 * resets one. What the answers mean is decided in
 * core/ascend, which reads texts alone.
 */
#pragma once

#include "core/ascend/inventory.h"
#include "core/ascend/npu.h"
#include "core/ascend/npu_ids.h"
#include "core/base/err.h"
#include "core/plan/plan.h"
#include "sys/subprocess.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Before all paths of the driver, of /dev and of /etc/hccn.conf: for tests, and
 * for a container that has the host's files in another place. It chooses what
 * this process reads and runs as its own user, which is the user's to choose;
 * nothing that is privileged looks at it. */
#define DEVINFO_ROOT_VARIABLE "DIST_TRAIN_NPU_ROOT"

/* Where addresses come from: the words of the key devices-from. */
enum devinfo_from {
	DEVINFO_AUTO,
	DEVINFO_DCMI,
	DEVINFO_HCCN_TOOL,
	DEVINFO_HCCN_CONF,
	DEVINFO_INVENTORY,
};

/* What the process of devinfo_library_start() has written. */
struct devinfo_answers {
	const char *bytes;
	size_t n;
	const char *given_up; /* why it wasn't waited for; NULL: it has ended */
};

struct devinfo_options {
	const char *root; /* "" or what DEVINFO_ROOT_VARIABLE says */
	const char *node; /* NodeName, for the inventory and for messages */
	enum devinfo_from from;
	const char *inventory; /* the administrator's file, or NULL */
	int hccn_conf_fd;      /* what the plugin has read as root, or -1 */
	unsigned timeout_s;
	unsigned nservers; /* of the step; 0: there is none */
	bool told;	   /* another process of this node tells what troubles
			      its driver has */
	FILE *warnings;	   /* one line each: what is odd but stops nothing */
	FILE *how;	   /* one line per source: what it said; or NULL */
	const struct devinfo_answers *library; /* NULL: it hasn't been asked */
	bool quick; /* with answers: don't do what may take its time */
};

/* The value of DEVINFO_ROOT_VARIABLE, or "". */
const char *devinfo_root(void);

/* The NPUs that /dev shows. Returns 0, or -1 when /dev can't be read. */
int devinfo_nodes(const char *root, struct npu_nodes *ret, struct err *err);

/* Tell the driver's own judgement of each device with one of these physical
 * ids (helpers/npu/dcmi.h); nothing where its library can't be had. Blocks as
 * long as the driver does, and loads its libraries: call it in a child. */
void devinfo_health(const struct idlist *ids,
		    void (*tell)(void *arg, unsigned id, unsigned health),
		    void *arg);

/* The facts of the devices with these physical ids, in their order, into
 * ret[ids->n]. A device without an address is an error where a step of several
 * servers of that chip needs it; else its addr_from says so, and a warning why.
 * Blocks up to timeout_s
 * seconds and a fraction, whatever hangs; a program with an event loop calls
 * it in a child. Fails when a device
 * isn't there, when devices-from names a source that can't be had, and when the
 * node's own addresses aren't those of the inventory; *ret is untouched then.
 * Returns 0 or -1; 1, and nothing is done, when options->quick is set and a
 * tool or the inventory is needed. */
int devinfo_read(const struct devinfo_options *options,
		 const struct idlist *ids, struct npu *ret, struct err *err);

/* The first step of devinfo_read(), for a program with an event loop: start the
 * process that asks the driver's library, for at most devinfo_library_ms().
 * What it writes until its end is for the options of devinfo_read(). Returns 0,
 * or -1 where it can't be started. */
int devinfo_library_start(const struct devinfo_options *options,
			  const struct idlist *ids, struct subprocess *ret,
			  struct err *err);
int devinfo_library_ms(const struct devinfo_options *options);

/* Read the administrator's file; inventory_clear() frees it. The error of a
 * file that can't be read says how to cure it. */
int devinfo_inventory(const char *path, struct inventory *ret, struct err *err);

/*
 * The sources of devinfo.c, one function each. Each adds to npu[n] the facts
 * that a device lacks, and writes what it has met into `note`.
 */

#define DEVINFO_CALL_MS 10000 /* for one answer of the driver */

/* In the note of a source for which the others have left nothing. */
#define DEVINFO_NO_TIME "not asked: the time of the key timeout is over"

struct devinfo_query {
	const struct devinfo_options *options;
	uint64_t deadline_ms; /* on the clock of loop_now_ms() */
	struct npu *npu;
	unsigned n;
	struct err note; /* why it said nothing, or less than all; or "" */
};

/* How long one call may take: never more than half of what is left. */
int devinfo_call_ms(const struct devinfo_query *query);

/* A path of the driver below the root; fails when it is too long. */
int devinfo_path(const char *root, const char *path, char *buf, size_t size);

/* Returns 0; -1 when the source can't be had (the note says why). DCMI puts the
 * id of a device that the driver doesn't know into *ret_absent, else -1. */
int devinfo_dcmi(struct devinfo_query *query, int *ret_absent);
int devinfo_hccn_tool(struct devinfo_query *query);
int devinfo_npu_smi(struct devinfo_query *query);

/*
 * All that is asked about a node's NPUs, before it is judged: the inside of
 * devinfo_read().
 */

#define DEVINFO_CONF "/etc/hccn.conf"

/* What the device itself says, and what files say of it. */
enum { VIEW_DRIVER, VIEW_CONF, VIEW_INVENTORY, NVIEWS };

/* note: why a source said nothing, or less than all; or "". */
struct survey {
	const struct devinfo_options *options;
	uint64_t deadline_ms;
	unsigned n;
	struct npu *view[NVIEWS];
	bool asked[NPU_SOURCES], had[NPU_SOURCES];
	struct err note[NPU_SOURCES];
};

/* Read the two files. A fault of hccn.conf is a note; one of the inventory an
 * error, for the administrator has named it. */
void survey_conf(struct survey *survey);
int survey_inventory(struct survey *survey, struct err *err);

/*
 * Which NPUs a task's processes have, in the driver's numbers: Slurm's indices
 * met with what this node and this process's cgroup show in /dev.
 */

/* Fails when a process has no device or several, when two have the same, and
 * when the driver doesn't show what Slurm gave. */
int npu_task_find(const struct plan *plan, struct npu_task *ret,
		  struct err *err);

/* The same, from what devinfo_nodes() has seen. */
int npu_task_find_among(const struct plan *plan, const struct npu_nodes *nodes,
			struct npu_task *ret, struct err *err);

/* Of a framework that knows nothing of NPUs: list the step's by the numbers
 * that count here, which in a container may be other ones than Slurm's. Where
 * the driver doesn't show them the list stays. */
void npu_task_see_step(const struct plan *plan,
		       struct process_devices *devices);
