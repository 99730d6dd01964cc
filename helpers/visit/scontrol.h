/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_VISIT_SCONTROL_H
#define DT_HELPERS_VISIT_SCONTROL_H

#include "core/base/err.h"

/* What `scontrol -o show WHAT [NAME]` prints, its complaints too: a line for
 * each. Blocks, 20 s at most. The caller frees it; NULL: no scontrol, or no
 * answer. */
char *scontrol_show(const char *what, const char *name, struct err *err);

/* As squeue names the user's own running jobs, in the same way. */
char *squeue_own(struct err *err);

#endif
