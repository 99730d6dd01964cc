/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launcher that has a copy gives it to others of the step: it listens at a
 * port of the step's range, and sends each who asks the copy's folder as the
 * system's tar packs it, piece by piece as fast as he asks for more. Whoever
 * hasn't the step's secret gets nothing. The other end is copy_take.h.
 *
 *	guest	MSG_HELLO "NUMBER"	of the copy
 *	host	MSG_WELCOME
 *	guest	MSG_ASK			one more piece; COPY_WINDOW at first
 *	host	MSG_SPREAD PIECE
 *	host	MSG_DONE		that was all
 */
#pragma once

#include "helpers/conn/connections.h"

#define COPY_PIECE  (64U << 10)
#define COPY_WINDOW 32

struct copy_give;

struct copy_give_options {
	const struct secure_conn_step *step; /* the session's; borrowed */
	const char *node;		     /* this one's; borrowed */
	unsigned nmembers;
	unsigned (*port)(const void *arg, unsigned try); /* 0: no more */
	const void *port_arg;
	/* The folder of a copy, borrowed; -1: it isn't here. */
	int (*copy)(void *arg, long number);
	void *arg;
};

/* NULL on failure. */
struct copy_give *copy_give_open(const struct copy_give_options *options,
				 struct err *err);
unsigned copy_give_port(const struct copy_give *give);

/* NULL is allowed. */
void copy_give_close(struct copy_give *give);

/* Become `tar` with this argument in that folder, its standard streams being
 * `in` and `out` (-1: as they are), `err` too. For a child; doesn't return. */
void copy_tar(const char *how, int folder, int in, int out, int err);
