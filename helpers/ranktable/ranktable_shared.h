/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rank table where launchers see one folder: rundir= on a shared file
 * system, or tasks on one node. Task 0 or the node's first launcher writes it,
 * the others read that.
 *
 * Task 0 tells its folder in the first line of its facts, a node's first
 * launcher in the node's memory. Whoever finds such a folder, which has a name
 * that nobody can guess, shares it.
 */
#pragma once

#include "core/base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define RANKTABLE_SHARED_NAME "rank_table.json"

/* The facts of task 0: its folder, and its rows (n bytes). The caller's to
 * free; NULL when out of memory. */
char *ranktable_shared_facts(const char *dir, const char *rows, size_t n,
			     size_t *ret_n);

/* The rows in everybody's facts, which are cut after the folder; *ret_dir is
 * that, or NULL. Both lie in `facts`. */
char *ranktable_shared_rows(char *facts, const char **ret_dir);

/* Whether this process sees that folder, and it is the user's alone. */
bool ranktable_shared_is_here(const char *dir);

/* The folder in which another launcher of this node writes the table: task 0's
 * (NULL: it hasn't told one), else what the node's first one has told in that
 * memory (helpers/ranktable/ranktable_shared.c) before its rows. Returns 0, or
 * -1 when this process sees neither. */
int ranktable_shared_of_node(int memory_fd, const char *task0_dir,
			     char ret[PATH_MAX]);

/* Fails unless the file on `node` holds exactly that text. */
int ranktable_shared_check(const char *path, const char *text, size_t len,
			   const char *node, struct err *err);

/*
 * Memory that slurmstepd has made and that the launchers of a step on one node
 * share (struct node_memory, core/facts/handover.h). They wait for each other
 * there, and the first one tells the others in which folder its rank table is.
 * Whatever is in it comes from the same user, and may be wrong.
 */

/* The memory's file as the plugin has handed it over, or -1, which all of these
 * take. */
int node_memory_handed(void);

/* Wait until `n` have called this; blocks. Those of a task that was killed
 * aren't waited for without end. */
void node_memory_wait(int fd, unsigned n);

/* Tell the others this launcher's folder, once. */
void node_memory_tell(int fd, const char *folder);

/* The folder that was told. Returns 0, or -1 when none was. */
int node_memory_folder(int fd, char ret[PATH_MAX]);
