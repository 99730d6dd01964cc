/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launcher that lacks a copy gets it from another one (copy_give.h), and has
 * the system's tar unpack it into an empty folder. What has come isn't looked
 * at here.
 */
#pragma once

#include "helpers/conn/secure_conn.h"

#define COPY_PATIENCE_MS 20000 /* without a byte */

struct copy_take;

struct copy_take_options {
	const struct secure_conn_step *step; /* the session's; borrowed */
	const char *ip;			     /* copied */
	unsigned port;
	long number; /* of the copy */
	int folder;  /* borrowed */
	/* What has come is unpacked, and `said` is what tar has said of it,
	 * "": nothing; or why it doesn't come. May close it. */
	void (*done)(void *arg, const char *why, const char *said);
	void *arg;
};

/* NULL on failure. */
struct copy_take *copy_take_open(const struct copy_take_options *options,
				 struct err *err);

/* What has come so far. */
unsigned long long copy_take_bytes(const struct copy_take *take);

/* NULL is allowed. */
void copy_take_close(struct copy_take *take);
