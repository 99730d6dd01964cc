/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key stage: the folders and files that are brought to each node's own
 * disk, "PATH[+PATH]...". Pure words; helpers/stage brings them.
 */
#ifndef DT_CORE_OPTION_STAGE_PATHS_H
#define DT_CORE_OPTION_STAGE_PATHS_H

#include "core/base/err.h"
#include "core/option/config.h"
#include "core/option/option.h"

#define STAGE_PATHS_MAX 8

/* Whether that makes sense: 0 or -1. */
int stage_check(const struct request *request, struct err *err);

/* The next path of a text, which is moved behind it: its begin, *ret_len bytes
 * long; NULL: that was all. */
const char *stage_next_path(const char **text, size_t *ret_len);

/* So many bytes of copies may stay on a node behind the step's end, by the
 * user's key and the administrator's argument; -1: all. */
long stage_keeps(const struct request *request, const struct config *config);

#endif
