/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launcher that has a copy, or gets one, gives it to others of the step: it
 * listens at a port of the step's range, and sends each who asks what a process
 * packs of the copy's folder (helpers/copies/growing.h), piece by piece as fast
 * as he asks for more. Whoever hasn't the step's secret gets nothing. The other
 * end is copy_take.h.
 *
 *	guest	MSG_HELLO "NUMBER"	of the copy
 *	host	MSG_WELCOME		again and again while there is no more
 *	guest	MSG_ASK			one more piece; COPY_WINDOW at first
 *	host	MSG_SPREAD PIECE
 *	host	MSG_DONE		that was all
 */
#pragma once

#include "helpers/conn/connections.h"
#include "helpers/copies/growing.h"

#define COPY_PIECE  (64U << 10)
#define COPY_WINDOW 32

struct copy_give;

/* What a guest gets; all borrowed until he has it or is dropped. */
struct copy_source {
	int folder;		/* -1: it isn't here */
	const char *name;	/* what it is a copy of, in that folder */
	struct growing growing; /* not open: the copy is whole */
};

struct copy_give_options {
	const struct secure_conn_step *step; /* the session's; borrowed */
	const char *node;		     /* this one's; borrowed */
	unsigned nmembers;
	unsigned (*port)(const void *arg, unsigned try); /* 0: no more */
	const void *port_arg;
	struct copy_source (*copy)(void *arg, long number);
	void *arg;
};

/* NULL on failure. */
struct copy_give *copy_give_open(const struct copy_give_options *options,
				 struct err *err);
unsigned copy_give_port(const struct copy_give *give);

/* It doesn't come any more: who gets it is dropped. */
void copy_give_drop(struct copy_give *give, long number);

/* NULL is allowed, by both. */
void copy_give_close(struct copy_give *give);
