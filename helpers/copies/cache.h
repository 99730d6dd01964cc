/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: the copies of the key stage on a node, without the step.
 *
 *	cache.h		those of this user
 *	tree.h		a folder looked at, or copied
 *	stage_plan.h	what there is to stage; python_home.h what `auto` means
 *
 * The copies that a user has on a node: BASE/dist-train-stage.UID, a folder of
 * his alone, opened once and used by its descriptor. A copy is a folder whose
 * name is its content's sum; in it is the staged folder under its own name. It
 * is filled under another name by who holds the lock of that content, which the
 * kernel takes from a holder that dies, and renamed when it is whole.
 *
 * Who uses a copy holds a shared lock on it; what nobody uses goes, the oldest
 * first, when room is needed, there are more than CACHE_KEEPS, or a step ends
 * and a limit of bytes says so.
 */
#pragma once

#include "core/base/err.h"
#include "helpers/copies/tree.h"

#include <limits.h>
#include <stdbool.h>
#include <time.h>

#define CACHE_KEEPS 16
#define CACHE_BASES 4

struct cache {
	int fd;		/* of the user's folder there; -1: not open */
	bool in_memory; /* what stays there takes the node's memory */
	char path[PATH_MAX];
};

/* All places where copies may be: SLURM_TMPDIR, `stagedir` (or NULL), else /tmp
 * and /dev/shm. Those that aren't safe are left out, `err` says of the last
 * why. Returns how many there are. */
unsigned caches_open(const char *stagedir, struct cache ret[CACHE_BASES],
		     struct err *err);
/* The same of those that are there; none is made. */
unsigned caches_look(const char *stagedir, struct cache ret[CACHE_BASES],
		     struct err *err);
void caches_close(struct cache caches[CACHE_BASES]);

/* What a content, by its sum, is called among the copies of this node. Copies
 * don't outlive a node's start: a disk may have lost what came last. */
void cache_name(const char *sum, char ret[TREE_SUM_SIZE]);

/* A copy that is whole: its folder, with the shared lock, which a descriptor
 * that is closed lets go. -1: there is none. */
int cache_find(const struct cache *cache, const char *id);

/* Among n: the one in which the content is being filled, else the first with
 * so much room, and what isn't used taken away for that. Blocks while folders
 * are removed. NULL: none has, and `err` says so. */
const struct cache *cache_choose(const struct cache *caches, unsigned n,
				 const char *id, unsigned long long bytes,
				 unsigned long files, struct err *err);

/* The file whose lock (flock()) the one has who fills that content, for the
 * caller to close. -1 with errno. */
int cache_lock_file(const struct cache *cache, const char *id);

/* Whether that file, which is locked now, is still the one of its name. */
bool cache_lock_is_good(int lock);

/* With the lock: an empty folder to fill, and when it is whole its name. What
 * somebody has left half is removed; that blocks, and so it is made by one
 * process and opened by another. cache_part_open() returns a descriptor, the
 * others 0; -1 with errno. */
int cache_part(const struct cache *cache, const char *id);
int cache_part_open(const struct cache *cache, const char *id);
int cache_keep(const struct cache *cache, const char *id,
	       const struct tree_sum *sum, const char *path);

/* --- all of them --- */

struct cache_copy {
	char id[TREE_SUM_SIZE];
	struct timespec used; /* last */
	unsigned long long bytes;
	unsigned long files;
	char path[PATH_MAX]; /* that it is a copy of; "": it doesn't say */
};

/* The one that was used last first; to free. NULL with *ret_n 0: none. */
struct cache_copy *cache_list(const struct cache *cache, unsigned *ret_n);

/* Whether somebody uses it, or fills it, now. */
bool cache_in_use(const struct cache *cache, const char *id);

/* Why a path has no copy, for who asks later; NULL: it has one. What was noted,
 * and when; false: nothing. */
void cache_note_why(const struct cache *cache, const char *path,
		    const char *why);
bool cache_why(const struct cache *cache, const char *path, char *ret,
	       size_t size, time_t *ret_when);

/* Remove a copy unless somebody uses it. Returns 0 or -1. */
int cache_remove(const struct cache *cache, const char *id);

/* Remove what somebody has left half; and with keep >= 0 what was used least
 * lately and isn't used now, beyond so many bytes. */
void cache_trim(const struct cache *cache, long keep);
