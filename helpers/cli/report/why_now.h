/* SPDX-License-Identifier: Apache-2.0 */
/* What Slurm and the step's launchers say now. */
#pragma once

#include "core/base/err.h"
#include "helpers/cli/report/record_reader.h"
#include "helpers/sample/group.h"
#include "helpers/visit/step_find.h"
#include "helpers/visit/visitor.h"

#include <stdbool.h>
#include <stdio.h>

struct why_now {
	struct visit_ports ports; /* of its launchers, as the user gives them */
	bool known;		  /* Slurm knows the job */
	bool running;		  /* the step */
	struct found_step step;
	bool answers;		 /* its launchers do */
	char silence[600];	 /* why they don't */
	unsigned nranks;	 /* that have answered */
	struct node_names nodes; /* so */
	double oldest_s;	 /* how long these run */
	/* Where they are; NULL: nobody knows, and `unseen` says why */
	struct stacks *stacks;
	const struct stack_group *group;
	unsigned ngroups;
	char unseen[600];
	char state[64]; /* of the job, as sacct has it; "": unknown */
};

/* Ask Slurm for "JOB" or "JOB.STEP", for what is {0} but for its ports. *err
 * says why it doesn't know it. Free with why_now_clear(). */
void why_now_find(const char *name, struct why_now *now, struct err *err);
void why_now_clear(struct why_now *now);

/* Ask the step's launchers, as the job's user: how many ranks there are, and
 * their stacks, for which these stop as for `dist-train stack`. */
void why_now_visit(struct why_now *now);

/* Ask Slurm's accounting what became of the step. Without an answer the state
 * is "". */
void why_now_account(const char *step, struct why_now *now);

/* What a record comes to, on one page. */

struct why {
	const struct record *record; /* NULL: there is none */
	const char *path;	     /* of the record */
	const struct why_now *now;
	/* found by why_read(): */
	const struct node_mark *end;	 /* NULL: the record has none */
	const struct node_mark *stopped; /* that the step ended of; NULL */
	const struct node_mark *failure; /* of the last round that has one */
	const struct node_mark *report;	 /* of its process; NULL */
	const struct node_mark *decided; /* with several roles: what followed */
	const struct node_mark *hang;	 /* the last one */
	const struct node_mark *stacks;
	const struct node_mark *code; /* with code=freeze */
	unsigned nfailures;
};

/* Find what the page begins with. */
void why_read(struct why *why);

/* For a person. */
void why_page(FILE *f, const struct why *why);

/* The same as members of JSON. */
struct json;
void why_json(struct json *j, const struct why *why);

/* The page of a step that has a record: what `timeline`, `why` and `goodput`
 * tell of it, written into `path` (picture.h). */
int step_page(const char *path, const struct why *why, struct err *err);

/* The step has ended, as far as its record or Slurm says. */
bool why_has_ended(const struct why *why);
