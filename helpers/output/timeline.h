/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step's record with its processes (key timeline=FILE): one JSON line for
 * each thing that happens to a process, appended by the launcher of its node,
 * and those of the record without them (helpers/record), by the arbiter's. Each
 * line is one write() to a file opened with O_APPEND, so that the launchers of
 * a step may share a file and two threads of one may write. Training doesn't
 * depend on it: what can't be written is lost.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/facts/record_words.h"
#include "core/plan/plan.h"
#include "helpers/output/line_writer.h"

struct timeline {
	int fd; /* -1: nobody has asked for it */
	char step[JOB_STEP_SIZE];
	char node[RECORD_NODE_SIZE];
	const char *world; /* of a step with several roles, or NULL */
};

/* Whom a line is about. */
struct timeline_who {
	unsigned rank, round;
	enum role role;
};

/* Open the file that the request names; %j %s %n %N in it as in log-dir, but
 * for a spare, whose number among the step's nodes is %n: `node`. The launcher
 * of rank 0 writes what the step is, with `more`, as below, which is taken over
 * and may be NULL; each one's processes wait. In a world of a step with several
 * roles the step's launchers have written that line; in theirs are no lines of
 * processes. */
int timeline_open(struct timeline *timeline, const struct plan *plan,
		  unsigned node, char *more, struct err *err);
/* The same without any line, for who adds marks alone: in the file of the
 * launcher that the plan is of. Those of worlds come by the step's record. */
int timeline_join(struct timeline *timeline, const struct plan *plan,
		  unsigned node, struct err *err);
void timeline_close(struct timeline *timeline);

struct timeline_who timeline_who(const struct plan *plan,
				 const struct process *process);

/* A phase begins for a process; `more` is "" or further members of the
 * object, each after a comma. */
void timeline_event(const struct timeline *timeline,
		    const struct timeline_who *who, enum proc_phase phase,
		    const char *more);

/* The same phase for all processes of the plan's task. */
void timeline_all(const struct timeline *timeline, const struct plan *plan,
		  enum proc_phase phase);

/* Something happens to `node`, or with NULL to the step; `more` as above. */
void timeline_mark(const struct timeline *timeline, unsigned round,
		   enum record_mark mark, const char *node, const char *more);

/* A process has ended with this status of waitpid(); `by_step`: the launcher
 * has ended it. */
void timeline_ended(const struct timeline *timeline, const struct plan *plan,
		    const struct process *process, int status, bool by_step);

/* Texts of a step's record (core/facts/record_words.h) that are made of what
 * this process was given. All are for the caller to free; NULL: out of memory.
 */

/* What a text of the user's processes is cut to. */
#define RECORD_TEXT_MAX 4600

/* ',"NAME":TEXT', of at most RECORD_TEXT_MAX bytes of the text. */
char *record_member(const char *name, const char *text);

/* The first line: what Slurm's step `step` is and what was asked for; of the
 * command `program`, its name alone, because arguments may be secrets. */
char *record_head(const struct plan *plan, const struct job *step,
		  const char *program);

/* What was asked for: members for the first line of timeline=FILE. */
char *record_asked(const struct plan *plan, const struct job *step);
