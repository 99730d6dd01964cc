/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processes of a node write to a staged folder (stage-write=overlay):
 * a layer of their own over the copy, which nobody else sees and which goes
 * when the last launcher of the step that has it ends.
 *
 * It is a folder ID.part among the user's copies, with a shared lock on ID.lock
 * while somebody has it: one whose launchers were killed goes as half a copy
 * does (cache.h).
 */
#pragma once

#include "core/base/err.h"

#define OVERLAY_ID_SIZE 33

struct overlay {
	char id[OVERLAY_ID_SIZE]; /* "": there is none */
	int folder;		  /* the user's; borrowed */
	int at, lock;
};

/* Make one in the user's folder, for n mounts. Returns 0 or -1. */
int overlay_open(int folder, unsigned n, struct overlay *ret, struct err *err);

/* Have the one that another launcher has made. Returns 0, or -1: it is gone. */
int overlay_join(int folder, const char *id, struct overlay *ret);

/* Remove it unless another one has it. No-op for one that is zero. */
void overlay_close(struct overlay *overlay);

/* In the namespace, where `at` and `copy` were opened: show the copy, a folder,
 * with layer i of n over it, at `target`. Returns 0, or -1 with errno. */
int overlay_mount(int at, unsigned i, int copy, int target);
