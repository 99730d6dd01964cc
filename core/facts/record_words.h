/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process of a step does, from its plan to its end: the words of the
 * step's record (keys timeline and record), of its picture, its trace and its
 * summary. A phase lasts until the next one that the record has.
 */
#pragma once

enum proc_phase {
	PHASE_WAITING,
	PHASE_TABLE,
	PHASE_STAGING,
	PHASE_STARTING,
	PHASE_RUNNING,
	PHASE_SERVING,
	PHASE_ENDED,
	PHASE_COUNT,
};

/* Of the record's form, which its first line has as "schema". Files without
 * one are of schema 1, with other words; phase_parse() knows both. */
#define RECORD_SCHEMA 2

/* The word of the record's "event", and what a person reads. */
const char *phase_word(enum proc_phase phase);
const char *phase_name(enum proc_phase phase);

/* The phase of a word of any schema. Returns 0, or -1: it is none. */
int phase_parse(const char *word, enum proc_phase *ret);

/* What happens to a node, or to the step as a whole. Such a line has these
 * members besides "t_ms", "step", "event" and "round", which is the round that
 * it happens in, for MARK_REPLACED and MARK_ROUND the one that begins. "node"
 * is the node that it happens to, whoever writes the line. */
enum record_mark {
	MARK_SPARE,	/* "node": it has no place in this round */
	MARK_LOST,	/* "node", "why": a text for a person */
	MARK_CONDEMNED, /* "node", "why" */
	MARK_REPLACED,	/* "node", "by": the node that has its place now,
			   "place" */
	MARK_ROUND,	/* "places", "nnodes" and "world_size" of the world */
	MARK_CHECK,	/* "node", "found": what the check measured there, for
			   a person */
	MARK_PROGRESS,	/* "node", "rank", "percent": so far it is, and what
			   else it says of "remaining" (s), "step", "rate"
			   (steps per second) and "loss"; at the end of a
			   round "rank" and "last_step"
			   of that node's slowest rank instead of these */
	MARK_RUNS,	/* all processes of the round have been started */
	MARK_FAILURE,	/* the round's first failure: "node", "code", and "why"
			   unless a MARK_REPORT tells more */
	MARK_REPORT, /* "node", "text": that process, as the user reads it, and
			its last lines */
	MARK_SAID,   /* "text": a line for the user */
	MARK_HANG,   /* "text": who is where; "node": of the suspect */
	MARK_STACKS, /* "text": the folder with stacks and recorders' files */
	MARK_SLOW,   /* "node", "text": a rank that is slower than others */
	MARK_SIGNALLED, /* "text": why the ranks were told that the end is
			   near (key end-signal) */
	MARK_STOPPED,	/* the whole step has got "signal", which ends it:
			   scancel, Ctrl-C; "limit_s": it was the job's time
			   limit, of so many seconds. What processes do after it
			   is nobody's fault */
	MARK_SAVED,  /* "value": the integer of the key progress-file, when all
			processes of a round have been started and at the step's
			end, and "age_s": how long before the file was written;
			neither: there is no such integer */
	MARK_STAGES, /* the key stage begins: its first launcher asks */
	MARK_STAGED, /* "text": all launchers have what they will get */
	MARK_CODE,   /* "text": which files the step runs (key code) */
	MARK_WORLD,  /* of a step with several roles: "world", as messages name
			it, "state": "ready", "failed", "restarted", "done", and
			of a failure "text": what follows. Marks of its own
			launchers have "world", too */
	MARK_REQUEUED, /* "why": the job is being requeued, or why it isn't */
	MARK_END,      /* "code": the step's exit code, and "why" */
	MARK_COUNT,
};

/* A record's file in the user's state folder: JOB.STEP.REQUEUE and this. */
#define RECORD_SUFFIX ".jsonl"

/* How much of the record a line may find there already, in bytes; what matters
 * most finds room when the rest has taken its own. */
#define RECORD_MAX (256U << 10)
unsigned mark_room(enum record_mark mark);

/* The word of the record's "event". */
const char *mark_word(enum record_mark mark);

/* Returns 0, or -1: it is none. */
int mark_parse(const char *word, enum record_mark *ret);
