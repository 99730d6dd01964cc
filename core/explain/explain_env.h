/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of variables as text for a person: in groups, each with its value and
 * where that comes from. A part of explain.h for those who have a stream.
 */
#ifndef DT_CORE_EXPLAIN_EXPLAIN_ENV_H
#define DT_CORE_EXPLAIN_EXPLAIN_ENV_H

#include "core/base/envset.h"
#include "core/plan/plan.h"

#include <stdbool.h>
#include <stdio.h>

/* Flags: also the names that every framework has; bold type by ANSI's codes for
 * what differs or replaces a value. */
#define EXPLAIN_ALL    1u
#define EXPLAIN_COLOUR 2u

/* The groups in which variables are shown, in this order. */
enum explain_group {
	EXPLAIN_OWN,	 /* the framework's, the dialect's, the profile's */
	EXPLAIN_NETWORK, /* interfaces */
	EXPLAIN_DEVICES, /* visible devices, threads */
	EXPLAIN_SLURM,	 /* Slurm's, rewritten */
	EXPLAIN_NEUTRAL, /* DIST_TRAIN_*, the same for every framework */
	EXPLAIN_GROUPS,
};

enum explain_group explain_group_of(const struct plan *plan, const char *name);

/* One line for each variable, below a heading for each group; `differs` is
 * that of explain_process(). A value in JSON has lines of its
 * own. Values are cut, and secrets are not shown. */
void explain_put_env(FILE *f, const struct plan *plan, const struct envset *set,
		     const bool *differs, unsigned flags);

/* A value, cut, and bytes that don't print escaped; NULL is "(unset)". Returns
 * the number of columns. */
int explain_put_value(FILE *f, const char *value);

#endif
