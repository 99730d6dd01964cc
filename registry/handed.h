/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugin has handed over to a program of ours (core/facts/handover.h),
 * whole: the administrator's settings, the request, and the facts of the task.
 * Pure. */
#ifndef DT_REGISTRY_HANDED_H
#define DT_REGISTRY_HANDED_H

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/facts/components.h"
#include "core/facts/job.h"
#include "core/option/config.h"
#include "core/option/option.h"

#include <stddef.h>

/* Read it through `lookup`. Returns 0 or -1; in both cases job_clear(),
 * request_clear() and config_clear(), on what was zero before. */
int handed_read(env_lookup_fn lookup, void *arg, struct config *config,
		struct request *request, struct job *job, struct err *err);

/* The same of what the launchers have told each other: HANDOVER_LEARNED, if it
 * is there, into the job and the request, which are read; `remark` as in
 * components_deal(). */
int handed_learned(env_lookup_fn lookup, void *arg, const struct config *config,
		   struct request *request, struct job *job,
		   char remark[COMPONENTS_REMARK_SIZE], struct err *err);

/*
 * The same for another process that has nothing of this task's environment: the
 * variables, as strings with their NULs, "NAME=VALUE"; and the words of the
 * command, each after a "=".
 */

/* Whether the variable, "NAME=VALUE", is one of them. */
bool handed_is_fact(const char *entry);

/* All that `environment` has of it: Slurm's names and ours, and what says which
 * devices a task sees. For the caller to free; NULL: out of memory. */
char *handed_text(char *const environment[], char *const command[],
		  size_t *ret_n);

/* Each string of it, of n bytes: `set` for a variable, `word` for a word of the
 * command; both may keep the text as long as it is there. Returns 0, or -1:
 * it isn't such a text, or has another name. */
int handed_text_read(char *text, size_t n,
		     int (*set)(void *arg, const char *name, const char *value),
		     int (*word)(void *arg, char *word), void *arg);

#endif
