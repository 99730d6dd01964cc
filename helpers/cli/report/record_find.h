/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a folder: the user's state folder, or one that the key
 * record=DIR had. A file's name has the job, the step, the requeue and the
 * cluster (older ones haven't); what element of an array the job is stands in
 * its first line.
 */
#ifndef DT_HELPERS_CLI_RECORD_FIND_H
#define DT_HELPERS_CLI_RECORD_FIND_H

#include "core/base/err.h"
#include "helpers/visit/step_find.h"

#include <stdbool.h>
#include <time.h>

/* What is wanted. {0}: all there is. */
struct record_wish {
	unsigned long job, task, step;
	bool has_job, has_task, has_step;
	unsigned long also; /* another number of the same job, or 0 */
};

/* "12", "12.0", "12_3", "12_3.0", "12+1"; of a heterogeneous job all
 * components, for a record doesn't say whose it is. */
struct record_wish record_wish_of(const struct step_name *name);

struct record_file {
	const char *name; /* in the folder */
	unsigned long job, step, requeue;
	const char *of; /* what is behind: ".CLUSTER.jsonl", ".jsonl" */
	struct timespec changed;
};

struct record_folder {
	char *path; /* NULL: there is none */
	int fd;	    /* -1: it isn't there */
};

/* Open the folder; NULL: the user's state folder. One that isn't there is no
 * error. On failure, too, ret->path may be there for a message. Close with
 * record_folder_close(). */
int record_folder_open(const char *path, struct record_folder *ret,
		       struct err *err);
void record_folder_close(struct record_folder *folder);

/* Call `found` with each record that is wanted, in no order. */
void record_folder_each(
	const struct record_folder *folder, const struct record_wish *wish,
	void (*found)(void *arg, const struct record_file *file), void *arg);

/* What is in the file of that name; *ret_path is where it is. Both are the
 * caller's; on failure NULL, with the path there if it is known. */
char *record_folder_read(const struct record_folder *folder, const char *name,
			 char **ret_path, struct err *err);

/* Root reads nothing of a user's but as that user: become --user's `user`, or
 * with NULL the owner of `step`; that may be NULL, too: Slurm doesn't know it.
 * For others than root nothing changes. Returns 0 or -1. */
int record_become_owner(const char *user, const struct found_step *step,
			struct err *err);

#endif
