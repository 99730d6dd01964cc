/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's folder for what outlives a step, such as its record. It may be on
 * a file system that doesn't answer: call in a child that may be killed.
 */
#pragma once

#include "core/base/err.h"

/* "$XDG_STATE_HOME/dist-train", or that below "$HOME/.local/state". A text to
 * free; NULL: neither is an absolute path, or no memory. */
char *state_folder_path(void);

/* Open the folder of that path, which is made (0700) with all on the way if it
 * is missing. On the way sys/kept/log_open.h's rules hold; itself it is no
 * link, the user's own, and others can't write to it. Returns a descriptor for
 * the caller to close; or -1 with `key` and the folder in the error. Sets the
 * umask. */
int state_folder_open(const char *key, const char *path, struct err *err);

/* The same of a folder in the open folder `above`; `path` is all of its path.
 */
int state_folder_enter(const char *key, int above, const char *path,
		       struct err *err);

/* Remove what this user has in the folder by the name "JOB.STEP.REQUEUE" and
 * `suffix`, but for the newest `kept`: files, which may have more between the
 * two, "JOB.STEP.REQUEUE.CLUSTER.jsonl", or with the suffix "" folders
 * with all that is in them. */
void state_folder_prune(int folder, const char *suffix, unsigned kept);
