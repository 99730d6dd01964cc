/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A member's part of helpers/gather/branches.h: as an inner member it gets the
 * text, hands it on at a port of its own, and says so; else it is sent to one,
 * gets the text there, and looks whether it has the digest that the server has
 * told. When nothing comes for some 10 s it asks the server. Its connections
 * are sealed with the step's secret, with keys of their own.
 */
#pragma once

#include "helpers/conn/secure_conn.h"

/* So long, and the second one for each member of the step: all of them are at
 * it. */
#define FETCH_MS	10000
#define FETCH_MEMBER_MS 2

struct fetch;

struct fetch_options {
	const struct secure_conn_step *step; /* the server's; borrowed */
	unsigned n;			     /* members of the step */
	const char *ip;	  /* to hand on at; NULL: all of the node's; borrowed */
	const char *node; /* this one's; borrowed */
	unsigned (*port)(const void *arg, unsigned try); /* 0: no more */
	const void *port_arg;
	/* To the server. */
	void (*send)(void *arg, char type, const char *data, size_t n);
	/* The message that it all was about, once. It may not close it. */
	void (*message)(void *arg, char type, const char *data, size_t n);
	void *arg; /* for these two */
};

/* NULL when out of memory. */
struct fetch *fetch_new(const struct fetch_options *options);

/* A message of the server. Returns whether it was one of those that this is
 * about (MSG_SPREAD, MSG_FETCH). */
bool fetch_message(struct fetch *fetch, char type, const char *data, size_t n);

/* NULL is allowed. */
void fetch_free(struct fetch *fetch);
