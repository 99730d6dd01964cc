/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The option of each component of a heterogeneous step, as srun hands them over
 * (HANDOVER_COMPONENTS): lines of text, or one for all. The components are one
 * world, so that most of it has to be the same. Pure; in srun, and in the
 * launchers that know of each other.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/components.h"
#include "core/option/config.h"
#include "core/option/option.h"

#include <stdbool.h>

/* The texts as lines, or as one if all are the same; for the caller to free.
 * NULL: out of memory. */
char *components_text(const char *const *text, unsigned n);

/* Whether the components differ. */
bool components_differ(const char *texts);

/* Fail where the options of two components can't be those of one world: a
 * framework that isn't the same, or another value of a key that holds for the
 * whole step. A text may be one of the words for none. */
int components_agree(const char *a, unsigned number_of_a, const char *b,
		     unsigned number_of_b, const struct config *config,
		     struct err *err);

/* The key procs of each, at most COMPONENTS_MAX, and how many lines there are.
 * Fails where one can't be read. */
int components_wishes(const char *texts, const struct config *config,
		      struct component_wish *ret, unsigned *ret_n,
		      struct err *err);

/* The request of a component. Fails where there is none of that number, or it
 * can't be read; request_clear() otherwise. */
int components_request(const char *texts, unsigned number,
		       const struct config *config, struct request *ret,
		       struct err *err);

/* Once, where the job has learned of components (core/facts/learned.h): how
 * many processes each task of the step is, and the request of this task's
 * component. Fails where one of them can't have what it asks for. `remark` as
 * in components_deal(). */
int components_take(const char *texts, const struct config *config,
		    struct job *job, struct request *request,
		    char remark[COMPONENTS_REMARK_SIZE], struct err *err);
