/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a node's processes see of copies: each under the path of what it is a
 * copy of, read-only or with a layer for what they write over it (overlay.h),
 * in a mount namespace of a user namespace (sys/user_namespace.h). It needs no
 * right but the user's own.
 */
#pragma once

#include "core/base/err.h"
#include "helpers/stage/overlay.h"
#include "sys/child.h"
#include "sys/subprocess.h"

#include <stdbool.h>

struct view_mount {
	int fd;		  /* of the copy's folder, */
	const char *from; /* which is at this path */
	const char *name; /* of the copy in it */
	const char *path; /* where it is to be seen */
};

struct view_spec {
	int folder;	  /* the user's alone, borrowed; it is at this path */
	const char *path; /* and launchers of a node know each other by */
	const char *name; /* a file of this name in it */
	bool writes;	  /* folders have a layer for what is written */
	const struct view_mount *mount;
	unsigned nmounts;
};

struct view {
	struct child_view ns;	 /* for child_start() */
	struct subprocess maker; /* which holds them for who comes later */
	struct overlay overlay;
	int folder;
	char name[64]; /* of a file in it; "": they are another one's */
	int file;      /* that, which is locked as long as it is there; or -1 */
};

/* Make the namespaces, or join those that another launcher of the step has made
 * on this node: processes in one user namespace may look into each other, as
 * MPI does. Returns 0, or -1: the kernel doesn't allow it, or a path isn't
 * there; nothing is left then. It blocks as long as the paths do. */
int view_open(const struct view_spec *spec, struct view *ret, struct err *err);

/* Processes that are in it stay there. */
void view_close(struct view *view);
