/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of the launcher is there from the begin of the step to its end, beside
 * the phases, which come one after the other (phase.h). It is told what happens
 * and takes messages; which parts there are is the table's business.
 *
 * To add one, NAME: NAME_part in NAME.c, the file of what it is about, and a
 * line in parts.def, at its place if another part is told of the same.
 */
#pragma once

#include "core/base/envset.h"
#include "core/base/err.h"
#include "helpers/conn/message.h"

#include <stdbool.h>

struct launch;
struct plan;
struct proc;
struct process;

struct part_message {
	enum message type;
	void (*take)(struct launch *l, const char *text);
};

/* All members but the name may be NULL: it has nothing to do then. */
struct part {
	const char *name; /* for tests and debuggers */
	/* Whether this step has it; that doesn't change while the step runs.
	 * NULL: every step. */
	bool (*wanted)(const struct plan *plan);
	/* Of the struct that it keeps, if any: own_of(l, &NAME_part), all zeros
	 * before `open`, freed when all are closed. */
	size_t size;
	/* Returns 0 or -1. */
	int (*open)(struct launch *l, struct err *err);
	/* Let go of what it owns; also when it couldn't be opened and, without
	 * a `size`, when it was never. */
	void (*close)(struct launch *l);
	/* What it takes of the arbiter's messages; ends with {0}. */
	const struct part_message *messages;
	/* A new round begins: make anew what it has for each. Returns 0 or -1.
	 */
	int (*again)(struct launch *l, struct err *err);
	/* The same, when all have that, with the plan as it is now. */
	void (*round)(struct launch *l);
	/* The round's processes have been started. */
	void (*runs)(struct launch *l);
	/* They are about to end, if they run: wait for nothing that belongs to
	 * the round. May come again. */
	void (*leave)(struct launch *l);
	/* Add what a process is to know. Returns 0 or -1. */
	int (*env)(struct launch *l, const struct process *process,
		   struct envset *set, struct err *err);
	/* A process has ended. */
	void (*ended)(struct launch *l, const struct proc *proc);
};

#define PART(name) extern const struct part name##_part;
#include "helpers/part/parts.def"
#undef PART

/* The launcher's; ends with NULL. */
extern const struct part *const launch_parts[];

/* Open those of the table that the step wants, in its order. Returns 0, or -1
 * when one can't be opened; the table's are closed then. */
int parts_open(struct launch *l, const struct part *const *table,
	       struct err *err);

/* In reverse order. No-op where none is open. */
void parts_close(struct launch *l);

/* A new round begins. Returns 0 or -1. */
int parts_round(struct launch *l, struct err *err);

/* What the functions of struct part have; those parts that are open are told,
 * in the table's order. One that nobody takes is ignored. */
void parts_message(struct launch *l, char type, const char *text);
void parts_run(struct launch *l);
void parts_leave(struct launch *l);
int parts_env(struct launch *l, const struct process *process,
	      struct envset *set, struct err *err);
void parts_ended(struct launch *l, const struct proc *proc);
