/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys whose values have a form of their own: each has a function that reads
 * it, which value_parse() calls, and one that says what a request asks for.
 * Those of on-node-loss and groups are in ladder.h and groups.h. Pure words.
 *
 * The key hang: after how long without a sign of work a step hangs, and what
 * follows, "600", "10m:restart". helpers/watch looks for hangs.
 */
#pragma once

#include "core/base/err.h"
#include "core/option/option.h"

#include <stdbool.h>

/* The exit code of a step that ends because of a hang, as timeout(1) has it. */
#define HANG_CODE 124

enum hang_act {
	HANG_REPORT,  /* it is said, nothing more */
	HANG_RESTART, /* all processes start again */
	HANG_FAIL,    /* the step ends */
};

struct hang {
	long seconds; /* 0: nobody looks */
	enum hang_act act;
};

/* Read the text of the key; "off" isn't one. Returns 0 or -1. */
int hang_parse(const char *text, struct hang *ret, struct err *err);

/* What the request asks for. */
void hang_of(const struct request *request, struct hang *ret);

/*
 * The key end-signal: which signal the ranks get, and how long before the time
 * limit, "600", "USR2@10m"; doc/design/helpers-ending.md.
 */

struct end_signal {
	int number;   /* of the signal; 0: no rank is signalled */
	long seconds; /* before the time limit */
};

/* Read the text of the key; "none" isn't one. Returns 0 or -1. */
int end_signal_parse(const char *text, struct end_signal *ret, struct err *err);

/* What the request asks for. */
void end_signal_of(const struct request *request, struct end_signal *ret);

/* "USR1", of those that the key takes. */
const char *end_signal_name(int number);

/* The name of the file in a launcher's folder that says that the end is near,
 * and where a rank finds it. */
#define STOP_FILE	   "stop"
#define STOP_FILE_VARIABLE "DIST_TRAIN_STOP_FILE"

/*
 * The key requeue: for which reasons a job whose step has ended is to be queued
 * again, "time-limit+preemption"; doc/design/spank-ending.md.
 */

/* A process that ends with it wants no other life for its job, whatever the key
 * says (nvidia-resiliency-ext's convention). */
#define REQUEUE_NEVER_CODE 93

/* Why a step has ended, as a set of bits. */
enum requeue_cause {
	REQUEUE_TIME_LIMIT = 1,
	REQUEUE_PREEMPTION = 2,
	REQUEUE_NODE_LOSS = 4,
	REQUEUE_FAILURE = 8,
};

/* Read the text of the key; "none" isn't one. Returns the set of causes, or
 * -1. */
int requeue_parse(const char *text, struct err *err);

/* What the request asks for; 0: nothing. */
unsigned requeue_of(const struct request *request);

/* The key's word for a cause: "time-limit". */
const char *requeue_word(enum requeue_cause cause);

/* Whether a failure with this exit code (128 + signal) triggers a restart, by
 * the key restart-on. The default is torchrun's: any failure, since a broken
 * connection is an exception, exit code 1; but not those of a shell that can't
 * start a program. `signal' is the ExitCode policy of Kubeflow's training
 * operator: 1 to 127 are permanent errors of the program, 128 and above come
 * from outside. A hang is worth one where the key hang says so. */
bool restart_is_worth(const struct request *request, int code);

/* What it takes, for a person: "restart-on=signal (128 and above)". Returns
 * buf. */
#define RESTART_ON_SIZE 128
const char *restart_on_text(const struct request *request,
			    char buf[RESTART_ON_SIZE]);
