/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: the step's controller, its one mind. It hears what the step's
 * launchers tell, asks them, and decides for the step; it does nothing to a
 * process itself. It runs in a program of its own, dist-train-step.c, as the
 * job's user.
 *
 *	controller.c	what is below
 *	query.h		ask all launchers, and hear their answers
 *	visitors.c	commands that ask what the step does
 *	credential.c	the step's secret, for such a command
 *	pace.c		who is slow, by what ranks report; stragglers.h: pure
 *	hang_watch.c	the key hang: hang_clock.h, samples.h, hang_report.h are
 *			pure, dumps.c what the libraries' recorders tell of it
 *	preflight.c	the key check: node_check.h
 *	staging.c	the key stage: stage_hosts.h
 *	notice.c	the key end-signal: the job ends soon
 *	cancelled.c	a component that Slurm has ended alone
 *	code_told.c	the key code: which files all run
 *	record.c	what happens, for the step's record (helpers/record)
 *
 * That program opens it before the lead (helpers/lead/lead.h), tells it what
 * happens, and says its lines. What it knows of launchers it knows by their
 * messages.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/facts/record_words.h"
#include "core/plan/plan.h"
#include "helpers/server/server.h"
#include "sys/loop.h"

#include <stdint.h>

struct arbiter;
struct cancelled;
struct hang_watch;
struct notice;
struct pace;
struct preflight;
struct queries;
struct record;
struct server;
struct stage_hosts;
struct lead;
struct timeline;
struct visitors;

#define CONTROLLER_TOLD_MAX 9

struct step_part;

struct controller {
	/* Set these before controller_open(); all are borrowed, and `plan` and
	 * `job` may point at others in the next round. */
	const struct step_part *const *parts; /* step_parts */
	struct loop *loop;
	const struct plan *plan;   /* of this round */
	const struct job *job;	   /* the same: its world */
	const struct job *step;	   /* of Slurm's step, the same in each round */
	const struct job *members; /* of the channel: a task is a launcher */
	const char *program;	   /* its name, for the record */
	bool beside_srun;	   /* it is on none of the step's nodes */
	const struct timeline *timeline;
	struct lead *lead; /* from when it is open on */
	/* Lines for the user, each with its newline. */
	void (*say)(void *arg, const char *lines);
	void *arg;

	/* Its own, each of the file that has its name; NULL: the step has no
	 * such part, or not yet. */
	struct queries *queries;
	struct visitors *visitors;
	struct pace *pace;
	struct hang_watch *hang;
	struct preflight *preflight;
	struct staging *staging;
	struct notice *notice;
	struct cancelled *cancelled;
	struct record *record;
	char *code;
	struct subscription told[CONTROLLER_TOLD_MAX];
};

/*
 * A part of it. To add one, NAME: NAME_of_step in NAME.c, and its line in
 * step_parts.def. All members but the name may be NULL: it has nothing to do
 * then.
 */
struct step_part {
	const char *name; /* for tests and debuggers */
	/* Whether this step has it. NULL: every step. */
	bool (*wanted)(const struct plan *plan);
	/* Returns 0 or -1. */
	int (*open)(struct controller *c, struct err *err);
	/* Also when it was never opened, or couldn't be. */
	void (*close)(struct controller *c);
	/* What it takes of what members tell, with the controller as `arg`;
	 * ends with {0}. */
	const struct subscription *told;
	/* A new round begins, with plan and job as they are now. */
	void (*round)(struct controller *c);
	/* The round's processes are about to end. */
	void (*leave)(struct controller *c);
	/* A member isn't here any more. */
	void (*lost)(struct controller *c, unsigned member);
};

#define PART(name) extern const struct step_part name##_of_step;
#include "helpers/step/step_parts.def"
#undef PART

/* All of them; ends with NULL. */
extern const struct step_part *const step_parts[];

/* Open its parts. Returns 0, or -1; controller_close() in any case. */
int controller_open(struct controller *c, struct err *err);
void controller_close(struct controller *c);

/* For the session: what the parts take of what members tell, and visitors. Both
 * belong to the controller. */
const struct subscription *controller_told(struct controller *c);
const struct visits *controller_visits(const struct controller *c);

/* What struct step_part has. */
void controller_round(struct controller *c);
void controller_leave(struct controller *c);
void controller_lost(struct controller *c, unsigned member);

/* The step has ended, with that exit code. */
void controller_over(struct controller *c, int code);

/* The job ends at another time than was handed over: seconds since the epoch;
 * 0: never. */
void controller_end_time(struct controller *c, int64_t seconds);

/* Slurm has sent SIGTERM to the step. */
void controller_told_by_slurm(struct controller *c);

/* Launchers have SIGTERM, and whether all will isn't known yet. */
bool controller_unsure(const struct controller *c);

/* --- for its parts --- */

struct server *controller_server(const struct controller *c);
struct arbiter *controller_arbiter(const struct controller *c);

/* The node from which a member has come; NULL: it isn't here. */
const char *controller_node_of(const struct controller *c, unsigned member);

/* End the step now, with that exit code; `why` is a line for the user, or "".
 */
void controller_stop(struct controller *c, int code, const char *why);

/* --- the step's record (record.c) --- */

/* Something happens in this round to `node`, or with NULL to the step; `text`
 * is of any kind: lines of a report, a folder's name. */
void record_add_text(struct controller *c, enum record_mark mark,
		     const char *node, const char *text);

/* The node must have no place in the next round; `why` begins after its name.
 */
void record_add_condemned(struct controller *c, const char *node,
			  const char *why);

/* For the session: a round's first failure (session_options.failed), and a line
 * for the user that it says here. */
void record_first_failure(struct controller *c, const char *node, int code,
			  const char *why);
void record_said(struct controller *c, const char *line);
