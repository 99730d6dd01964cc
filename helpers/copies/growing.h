/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy that is being filled, and passed on meanwhile. Who fills it lists what
 * there is as soon as that begins to come; who packs it, another process,
 * follows the list, and in each file waits for the bytes that aren't there yet.
 * So a folder comes through several nodes in the time of one, and a slow one
 * holds nobody up but its own guests: what it hasn't got yet waits on the disk.
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct growing {
	int list; /* a file in memory, with a few bytes for each name; or -1 */
	struct grown *grown;   /* shared by the processes; NULL: not open */
	struct timespec since; /* tree_walk() lists what is newer; 0: all */
};

struct grown {
	_Atomic bool whole;
	_Atomic unsigned long long bytes; /* of files */
};

#define GROWING_NONE ((struct growing){.list = -1})

/* Begin with nothing. Returns 0, or -1 with errno. */
int growing_open(struct growing *ret);

/* No-op for GROWING_NONE, which it is then. */
void growing_close(struct growing *growing);

/* So many bytes more, of whatever is listed. */
void growing_more(const struct growing *growing, size_t n);

/* That was all. */
void growing_end(const struct growing *growing);

/* What `path`, from the copy's folder on, is or becomes: it must be there, a
 * file at least empty. Listed a second time it takes the place of the first.
 * From several threads. Returns 0, or -1 with errno. */
int growing_list(const struct growing *growing, const char *path,
		 const struct stat *st);

/* Write all that is listed to `out`, until it is whole; blocks. Returns 0, or
 * -1: a file isn't as it was listed, or nobody reads. */
int growing_pack(const struct growing *growing, int folder, int out);

/* Read that from `in` into an empty folder, and list it; blocks. Returns 0: it
 * is whole, or -1: it can't be written, or what comes isn't what was packed;
 * `err` is "" where it only ends too early. */
int growing_unpack(const struct growing *growing, int folder, int in,
		   struct err *err);
