/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step's record, read back, as the key timeline writes it (timeline.h of
 * helpers/output) or the key record (helpers/record): what the step is, the
 * lives of its processes, which the second doesn't have, and what happened to
 * it and its nodes. Records of older versions, with other words, are read, too.
 * Whatever a record says may be anybody's text. record_marks.c reads what
 * happened, record_text.c makes texts of all of it.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/text.h"
#include "core/facts/record_words.h"
#include "helpers/visit/step_find.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#define RECORD_NEVER (-1.0)

/* One process from its plan to its end; a restart in place is another life. */
struct life {
	unsigned rank, round;
	unsigned role_index; /* among the ranks of its role */
	/* Of a step with several roles, else "": `rank` is a number among those
	 * of all worlds then, this one that of its own. */
	char world[48];
	unsigned its_rank;
	char node[64], role[16];
	double at_ms[PHASE_COUNT]; /* since the record's begin, or
				      RECORD_NEVER */
	int code, signal;	   /* of its end */
	bool by_step; /* the step has ended it, or a signal to all of it */
	bool lost;    /* it ended with its node */
};

/* What happened to a node, or to the step (core/facts/record_words.h). */
struct node_mark {
	enum record_mark mark;
	unsigned round;
	char step[64], node[64]; /* "": the step's */
	char by[64];		 /* MARK_REPLACED: who has its place */
	char world[48];		 /* of a step with several roles; "" */
	char state[16];		 /* MARK_WORLD */
	char *text;		 /* why, what was found or said; "" */
	int code;		 /* exit code, or -1 */
	int signal;		 /* MARK_STOPPED, the first of the record */
	double limit_s;		 /* the same: it was the job's time limit, of
				    so many seconds or 0; or RECORD_NEVER */
	bool last;		 /* MARK_PROGRESS: of its round */
	double steps;		 /* MARK_PROGRESS: "last_step", MARK_SAVED:
				    "value"; or RECORD_NEVER */
	double age_s;		 /* MARK_SAVED, or RECORD_NEVER */
	unsigned nnodes, world_size; /* MARK_ROUND: of its world; or 0 */
	double at_ms;		     /* since the record's begin */
};

/* What the first line says besides; "" and 0: it doesn't. */
struct record_head {
	char keys[300], nodes[300], log_dir[300];
	unsigned nnodes, world_size, spares;
	double submitted, job_start;  /* seconds since the epoch */
	double array_job, array_task; /* or RECORD_NEVER */
};

struct record {
	char step[64];
	char job_name[64], framework[32], command[300]; /* "": unknown */
	struct record_head head;
	struct life *life; /* by rank, then round */
	size_t n;
	struct node_mark *mark; /* in the order of time */
	size_t nmarks;
	unsigned nranks; /* the largest and one */
	double begin_ms; /* of the first event, since the epoch */
	double end_ms;	 /* of the last event, since the begin */
	unsigned steps;	 /* that the file has; the last one is here */
	size_t bad;	 /* lines that were none */
};

/* The last step of a file's text. Fails when it has no line of a record. Free
 * with record_clear(). */
int record_read(const char *text, struct record *ret, struct err *err);
void record_clear(struct record *record);

/* When the life was in this phase: from its event to the next one, or the
 * record's end where none follows. False: never. */
bool life_phase(const struct record *record, const struct life *life,
		enum proc_phase phase, double *ret_from_ms, double *ret_to_ms);

/* By itself, not because the step has ended it. */
bool life_failed(const struct life *life);

/* "rank 3", of a world "rollout.1:0", or "ps 1", "chief" for other roles than
 * workers. Returns buf. */
const char *life_name(const struct life *life, char buf[48]);

/* "exit code 3", "signal 9", "ok", "ended by the step", "lost with its node",
 * or "no end in the record". Returns buf. */
const char *life_end(const struct life *life, char buf[32]);

/* A time since the epoch: "2026-11-22 15:30:11 UTC". Returns buf. */
const char *utc_text(double ms, char buf[40]);

/* A text without the name of the program that has said it. */
const char *text_unnamed(const char *text);

/* The last mark of that kind; NULL: there is none, or no record. */
const struct node_mark *record_last(const struct record *record,
				    enum record_mark mark);

/* A failure that is none: the processes of a step that has got a signal end as
 * they like. A launcher that was lost has a text. `stopped` may be NULL. */
bool mark_is_excused(const struct node_mark *failure,
		     const struct node_mark *stopped);

/* What happened, in one line without its time: "node2 lost: no sign of life for
 * 15 s", "node5 has the place of node2", "rank 3 (worker) on node2, ...: exit
 * code 3"; "" where there is nothing to say. Returns buf. */
#define MARK_LINE_SIZE 512
const char *mark_line(const struct node_mark *mark, char buf[MARK_LINE_SIZE]);

/* All of that with its times, below a heading; of many the first and the last
 * ones. */
void record_happened(FILE *f, const struct record *record);

/* A line of a page's head: its name, and a text behind it; "" is none. */
void record_put(FILE *f, const char *name, const char *text);

/* --- between record_reader.c, record_marks.c and record_text.c --- */

#define RECORD_RANK_MAX 10000000

struct cJSON;

/* A member of a line: a number from 0 to `max`; a text, cut to size, in which
 * what is no text on a terminal, either, becomes '?'. */
bool record_number(const struct cJSON *line, const char *name, double max,
		   double *ret);
bool record_text(const struct cJSON *line, const char *name, char *buf,
		 size_t size);

/* The same of any size, in which lines stay lines: the caller's. NULL: there is
 * none, or no memory. */
char *record_lines(const struct cJSON *line, const char *name);

/* Keep the line if it is one of a node's or of a round's; false: it isn't, or
 * no memory is left. at_ms is since the epoch until marks_settle(). */
bool marks_add(struct record *record, const struct cJSON *line);

/* Once the record has its lives: keep the marks of its step, in order, and end
 * the lives that were lost with their nodes. */
void marks_settle(struct record *record);

/*
 * The records of a folder: the user's state folder, or one that the key
 * record=DIR had. A file's name has the job, the step, the requeue and the
 * cluster (older ones haven't); what element of an array the job is stands in
 * its first line.
 */

/* What is wanted. {0}: all there is. */
struct record_wish {
	unsigned long job, task, step;
	bool has_job, has_task, has_step;
};

/* "12", "12.0", "12_3", "12_3.0", "12+1"; of a heterogeneous job all
 * components, for a record doesn't say whose it is. */
struct record_wish record_wish_of(const struct step_name *name);

struct record_file {
	char *name; /* in the folder */
	unsigned long job, step, requeue;
	const char *of; /* what is behind: ".CLUSTER.jsonl", ".jsonl" */
	struct timespec changed;
};

struct record_files {
	struct record_file *file;
	size_t n;
};

struct record_folder {
	char *path; /* NULL: there is none */
	int fd;	    /* -1: it isn't there */
};

/* Open the folder; NULL: the user's state folder. One that isn't there is no
 * error. On failure, too, ret->path may be there for a message. Close with
 * record_folder_close(). */
int record_folder_open(const char *path, struct record_folder *ret,
		       struct err *err);
void record_folder_close(struct record_folder *folder);

/* The records that are wanted, in no order. Fails when out of memory. Free with
 * record_files_clear(). */
int record_folder_list(const struct record_folder *folder,
		       const struct record_wish *wish, struct record_files *ret,
		       struct err *err);
void record_files_clear(struct record_files *files);

/* The one of `n`, at least one, that was changed last. */
const struct record_file *record_file_newest(const struct record_file *file,
					     size_t n);

/* What is in the file of that name; *ret_path is where it is. Both are the
 * caller's; on failure NULL, with the path there if it is known. */
char *record_folder_read(const struct record_folder *folder, const char *name,
			 char **ret_path, struct err *err);

/* The newest of those that are wanted: of a job's last life and step, where
 * none is named. *ret_path is where it is (or, on failure, where it was looked
 * for), *ret_text what is in it; both are the caller's. Returns 0; 1: there is
 * none, with the folder's path; or -1. */
int record_newest(const char *folder, const struct record_wish *wish,
		  char **ret_path, char **ret_text, struct err *err);

/* Root reads nothing of a user's but as that user: become --user's `user`, or
 * with NULL the owner of `job` ("": none), as Slurm knows it. For others than
 * root nothing changes. Returns 0 or -1. */
int record_become_owner(const char *user, const char *job, struct err *err);
