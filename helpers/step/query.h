/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ask all launchers of the step (doc/design/helpers-look.md):
 *
 *	a command (helpers/visit)
 *	   | MSG_VISIT		   ^ MSG_SHOW, MSG_SHOWN
 *	   v			   |
 *	the controller (visitors.c, query.c)
 *	   | MSG_LOOK, to all	   ^ MSG_SEEN, of each
 *	   v			   |
 *	all launchers (helpers/look)
 *
 * Who asks are commands, and the controller's own parts. Answers are rows
 * (core/facts/rows.h).
 */
#pragma once

#include "helpers/step/controller.h"
#include "sys/subprocess.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define QUERY_TEXT_SIZE 512

struct query;

struct query_calls {
	/* One launcher has answered. */
	void (*seen)(void *arg, unsigned member, const char *node,
		     const char *rows);
	/* All who are here have answered, or the time is over; nothing is
	 * called afterwards. */
	void (*done)(void *arg);
	void *arg;
};

/* Ask all for "WHAT [WORD...]"; each has `ms` for its answer. NULL when out of
 * memory, or the arbiter isn't here. */
struct query *query_begin(struct controller *c, const char *what, long ms,
			  const struct query_calls *calls);

/* Nobody wants to know any more; not after `done`. */
void query_drop(struct query *query);

/* Whether the member was asked and hasn't answered; and how many weren't asked,
 * for they aren't here. */
bool query_awaits(const struct query *query, unsigned member);
unsigned query_nabsent(const struct query *query);

/* For visitors.c: the member isn't here any more. */
void query_lost(struct controller *c, unsigned member);

/* --- step_rows.c: for visitors --- */

/* What the sight "status" has of the step as a whole: rows, of STEP_ROWS_MAX
 * bytes at most. For the caller to free; NULL: out of memory. */
char *step_rows(const struct controller *c);

/* Of these: how far the key stage is (staging.c), once it has begun. */
void staging_row(FILE *f, const struct controller *c);

/* --- credential.c: for visitors --- */

struct credential {
	struct loop *loop;
	const char *id;
	const unsigned char *secret;
	struct subprocess maker;
	bool making;
	size_t n;
	uint64_t refused_ms; /* when MUNGE refused; 0: it hasn't */
	char text[4096];     /* "": none */
};

/* The credential; why there is none, as question_refusal() has it; NULL: it is
 * being made. {0} before the first call. */
const char *credential_get(struct credential *credential, struct loop *loop,
			   const char *id, const unsigned char *secret);
void credential_close(struct credential *credential);

/* What the communication libraries' recorders tell of a hang (key hang): all
 * launchers are asked, and it is said who never entered a collective, and where
 * the dumps are kept. The stacks are, too. */

struct dumps;
struct stacks;

/* Ask; the stacks are borrowed until `done` is called, once, within DUMPS_MS
 * and two seconds, when all has been said. NULL: the step has no recorders, or
 * memory is out. */
#define DUMPS_MS 8000
struct dumps *dumps_ask(struct controller *c, struct stacks *stacks,
			void (*done)(void *arg), void *arg);

/* Nobody wants to know any more; not after `done`. */
void dumps_drop(struct dumps *dumps);
