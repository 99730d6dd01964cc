/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of a job went, over all its lives (a requeue is a new life):
 * each moment from its submission to its end belongs to one part, so that the
 * parts add up to the wall time exactly. Pure: records and Slurm's times in,
 * numbers out. Times are milliseconds since the epoch, whole ones, or
 * TIME_UNKNOWN. What a record says may be anybody's text.
 *
 * goodput_count.c	the lives: queue, steps, what is between them
 * goodput_round.c	a step's rounds: start-up, training, detection, restart
 * goodput_lost.c	what was trained after the last checkpoint
 * goodput_sum.c	sums by cause and node, and the ratio
 * goodput_roles.c	of steps with several roles: their worlds' time
 */
#pragma once

#include "helpers/cli/report/record_reader.h"

#include <stdint.h>
#include <stdio.h>

#define TIME_UNKNOWN (-1)

enum part {
	PART_QUEUE,	/* from the submission, or a requeue, to the start */
	PART_OUTSIDE,	/* a life's time outside of its steps */
	PART_STARTUP,	/* a step's, until all processes run */
	PART_STAGING,	/* of a start or restart: the key stage */
	PART_TRAINING,	/* that was kept */
	PART_LOST,	/* since the last checkpoint */
	PART_DETECTION, /* from a failure to the decision on it */
	PART_RESTART,	/* from then on until all processes run again, or the
			   step ends */
	PART_UNKNOWN,	/* the records don't say */
	PART_COUNT,
};

/* In JSON, without the unit; and for a person. */
const char *part_word(enum part part);
const char *part_name(enum part part);

/* What ended a round, from the weakest sign to the strongest. */
enum cause {
	CAUSE_KILLED, /* the record has no end */
	CAUSE_OTHER,
	CAUSE_CANCELLED, /* the step has got a signal that ends it */
	CAUSE_TIME_LIMIT,
	CAUSE_FAILURE,
	CAUSE_NODE_LOSS,
	CAUSE_CONDEMNED,
	CAUSE_HANG,
	CAUSE_SIGNALLED, /* the ranks were told that the end is near */
	CAUSE_COUNT,
};

const char *cause_word(enum cause cause);

/* --- what is known --- */

struct goodput_step {
	unsigned long number;
	struct record record;
};

struct goodput_life {
	unsigned long requeue;
	int64_t submit_ms; /* or requeued */
	int64_t start_ms, end_ms;
	struct goodput_step *step; /* by their begin */
	size_t nsteps;
};

struct goodput_job {
	unsigned long id;
	char name[48];		   /* "12", or "12_3" */
	struct goodput_life *life; /* by requeue; at least one */
	size_t nlives;
	/* Now, where the last life hasn't ended; and whether its last step
	 * runs, else the job is between steps, or waits. */
	int64_t now_ms;
	bool step_runs;
};

/* --- what that comes to --- */

/* A part of the time. Those of a job have no gap. */
struct span {
	enum part part;
	int64_t from_ms, to_ms;
	size_t life;  /* of the job's */
	long trouble; /* that it was spent on; -1: none */
	bool maybe;   /* PART_UNKNOWN that may have been training */
};

/* What interrupted the training. */
struct trouble {
	enum cause cause;
	char node[64];	/* "": not known, or the step */
	char text[200]; /* for a person; may be "" */
	size_t life;
	unsigned long step;
	unsigned round;
	int64_t at_ms;
	int64_t ms[PART_COUNT]; /* what it cost */
	int64_t unsure_ms;	/* training before it, where nobody knows what
				   of it was lost; or 0 */
	double lost_steps;	/* or RECORD_NEVER */
};

/* Where a world of a step with several roles is; its times don't count for the
 * job's parts, since the others go on meanwhile. */
enum world_part {
	WORLD_PART_WAITING,  /* from the step's begin until it starts */
	WORLD_PART_STARTING, /* from its start until it is ready */
	WORLD_PART_RUNNING,  /* from then on to its end */
	WORLD_PART_REDONE,   /* the same of a round that another one followed:
				lost, but for what the program has saved */
	WORLD_PART_RESTART,  /* from the end of such a round until the next one
				is ready */
	WORLD_PART_COUNT,
};

const char *world_part_word(enum world_part part);

/* All worlds of a role, in all of the job's steps. */
struct goodput_role {
	char name[48];
	unsigned worlds;      /* the most that a step has had */
	unsigned step_worlds; /* of the step that is being read */
	unsigned restarts;
	int64_t ms[WORLD_PART_COUNT];
};

struct goodput {
	const struct goodput_job *job; /* borrowed */
	struct span *span;
	size_t nspans;
	struct trouble *trouble;
	size_t ntroubles;
	struct goodput_role *role; /* in the order in which they began */
	size_t nroles;
	int64_t overlap_ms; /* of steps: that time counts once */
	bool backwards;	    /* a clock has gone */
};

/* Fails when out of memory. The job is borrowed and has to stay. Free with
 * goodput_clear(). */
int goodput_count(const struct goodput_job *job, struct goodput *ret,
		  struct err *err);
void goodput_clear(struct goodput *g);

/* --- sums --- */

struct goodput_sum {
	int64_t ms[PART_COUNT], wall_ms;
	int64_t wait_ms;   /* the queue before the first start */
	int64_t unsure_ms; /* training of which the loss isn't known */
	int64_t maybe_ms;  /* of the unknown: may have been training */
	double lost_steps; /* of those that are known; RECORD_NEVER: none is */
	unsigned ntroubles, nunknown; /* nunknown: their loss isn't known */
};

/* Add a job; the sum begins with SUM_NEW. */
#define SUM_NEW                                                                \
	{                                                                      \
		.lost_steps = RECORD_NEVER                                     \
	}
void goodput_add(struct goodput_sum *sum, const struct goodput *g);

/* Effective training time ratio, as ByteRobust (SOSP 2025) has it: productive
 * training time, which is that without what was lost and is computed again, per
 * wall-clock time since the first start; `on_nodes`: per time outside of the
 * queue. What isn't known makes two numbers of it. False: no time. */
bool goodput_ratio(const struct goodput_sum *sum, bool on_nodes,
		   double *ret_low, double *ret_high);

/* What troubles of one cause, or on one node, have cost. */
struct goodput_cost {
	const char *name;
	unsigned n;
	int64_t ms[PART_COUNT];
};

/* Sorted, the largest first; `by_node`: those whose node is known. To free;
 * the names are borrowed. NULL with *ret_n 0: there is none. */
struct goodput_cost *goodput_costs(const struct goodput *g, size_t n,
				   bool by_node, size_t *ret_n);

/* --- between the files of this room --- */

struct saved {
	size_t life, step;
	unsigned round;
	int64_t at_ms;
	int64_t written_ms; /* or TIME_UNKNOWN */
	double value;	    /* or RECORD_NEVER */
};

struct counting {
	struct goodput *g;
	int64_t at_ms;	  /* so far */
	int64_t until_ms; /* nothing goes beyond: the next life begins */
	size_t life;
	long trouble; /* what the next spans are spent on; -1: none */
	struct saved *saved;
	size_t nsaved, next_saved;
	bool failed; /* out of memory */
};

/* The time until then is of that part; what is over already, isn't. */
void put_span(struct counting *c, enum part part, int64_t to_ms, bool maybe);

/* A new one, on which the next spans are spent; its members are zero but for
 * those that are there for all. NULL: out of memory. */
struct trouble *put_trouble(struct counting *c, enum cause cause,
			    int64_t at_ms);

/* A step from its begin to its end. `last`: of the job. */
void count_step(struct counting *c, size_t step, bool last);

/* The worlds of all steps, into g->role. False: out of memory. */
bool goodput_count_roles(struct goodput *g);

/* When the step's record begins and ends. */
int64_t step_begin_ms(const struct goodput_step *step);
int64_t step_end_ms(const struct goodput_step *step);
bool step_has_end(const struct goodput_step *step);

/* Collect all marks of the progress file. False: out of memory. */
bool lost_open(struct counting *c);

/* The last span is the training of a round that ended then, and the last
 * trouble ended it: cut off what was lost. `steps`: the round's last one, or
 * RECORD_NEVER. */
void lost_cut(struct counting *c, size_t step, int64_t round_end_ms,
	      double steps);

/* What is shown: as text, which fails when out of memory, and as members of
 * JSON. Jobs in the order in which they were asked for; at least one. */
int goodput_text(FILE *f, const struct goodput *g, size_t n, struct err *err);
struct json;
void goodput_json(struct json *j, const struct goodput *g, size_t n);

/* The record of the job's first step: whose name the job has. */
const struct record *goodput_first(const struct goodput *g);

/* The time that a life took, by parts; its begin, or TIME_UNKNOWN. */
int64_t life_sum(const struct goodput *g, size_t life, int64_t ms[PART_COUNT]);

/* What the numbers don't say, in sentences. */
#define REMARK_SIZE 300
struct remarks {
	char text[5][REMARK_SIZE];
	unsigned n;
};
void goodput_remarks(const struct goodput *g, struct remarks *ret);

/* The jobs that are meant, from the records of a folder. */

/* {0}: none */
struct goodput_jobs {
	struct goodput_job *job;
	size_t n;
};

/* Add the jobs of a word: those elements of an array that have records are a
 * job each; one that is there already isn't added again. What can't be read is
 * said on standard error and left out. Returns how many jobs the word has, or
 * -1. Free with jobs_clear(). */
int jobs_add(const struct record_folder *folder, const struct record_wish *wish,
	     struct goodput_jobs *jobs, struct err *err);
void jobs_clear(struct goodput_jobs *jobs);

/* What the records lack, and Slurm may know: when each life was submitted, and
 * began and ended, and whether the job still runs or waits. */

/* Ask sacct of all lives, scontrol of the last one, which may be a new one. It
 * blocks, some seconds at most; without an answer the job stays as it is. */
void goodput_ask(struct goodput_job *job);

/* A line that `sacct -o JobIDRaw,Submit,Start,End` prints of the job with
 * times in seconds: the life that began then has its times from it, as far as
 * it hasn't. Pure. */
void goodput_account(struct goodput_job *job, const char *line);

/* The same of what `scontrol -o show job` prints, at the time now_ms. Returns
 * whether the job runs. job->life has room for one more. */
bool goodput_control(struct goodput_job *job, const char *text, int64_t now_ms);
