/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that this node can say of itself, asked at once: each source in a child
 * of its own, none of which is waited for longer than its limit.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/idlist.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <stdbool.h>

/* For what doesn't depend on a program of the site */
#define NODE_LOOK_MS 2000

enum {
	LOOK_GPUS,
	LOOK_RDMA,
	LOOK_FILES,
	LOOK_DEVICES,
	LOOK_NPUS,
	LOOK_PROGRAM,
	LOOKS
};

/* What is asked for; borrowed until the end. */
struct node_look_wish {
	int limit_ms;	     /* 0: NODE_LOOK_MS; not of the program */
	bool only_devices;   /* neither ports nor folders nor a program */
	int gpus;	     /* that Slurm gave; -1: unknown */
	struct idlist npus;  /* that Slurm gave, by the driver's numbers */
	const char *run_dir; /* the step's folder, or NULL */
	const char *program; /* the site's own check, or NULL; it has the
				environment that this process has */
	int program_ms;	     /* how long that may take */
};

/* One child. */
struct node_look_part {
	struct node_look *all;
	struct subprocess_text said; /* without a text: not asked */
	bool late;
};

struct node_look {
	struct loop *loop;
	/* All is there: lines "KEY TEXT", valid during the call, which may
	 * close the look. */
	void (*done)(void *arg, const char *facts);
	void *arg;
	/* its own */
	const struct node_look_wish *wish;
	struct node_look_part part[LOOKS];
	unsigned nruns;
};

/* Begin with loop, done and arg set, the rest zero. done() is called from the
 * loop, at most wish->limit_ms or wish->program_ms later. Returns 0, or -1 (no
 * process, no memory); node_look_close() in any case. */
int node_look_begin(struct node_look *look, const struct node_look_wish *wish,
		    struct err *err);

/* End its children; no-op on a zero one, and a second time. */
void node_look_close(struct node_look *look);
