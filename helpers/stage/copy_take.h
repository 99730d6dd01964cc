/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launcher that lacks a copy gets it from another one (copy_give.h), and a
 * process unpacks it into an empty folder (helpers/copies/growing.h). What has
 * come isn't looked at here.
 */
#pragma once

#include "helpers/conn/secure_conn.h"
#include "helpers/copies/growing.h"

#define COPY_PATIENCE_MS 20000 /* without a byte */

struct copy_take;

struct copy_take_options {
	const struct secure_conn_step *step; /* the session's; borrowed */
	const char *ip;			     /* copied */
	unsigned port;
	long number; /* of the copy */
	int folder;  /* borrowed, like the next one */
	const struct growing *growing;
	/* What has come is unpacked, and `said` is why it can't be written, or
	 * ""; or why it doesn't come. May close it. */
	void (*done)(void *arg, const char *why, const char *said);
	void *arg;
};

/* NULL on failure. */
struct copy_take *copy_take_open(const struct copy_take_options *options,
				 struct err *err);

/* NULL is allowed. */
void copy_take_close(struct copy_take *take);
