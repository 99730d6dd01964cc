/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the faults of the rules (core/ascend/ranktable_rules.h) read to a person
 * with a file: where in the file, what, the library's code, the remedy.
 */
#ifndef DT_HELPERS_CLI_RANKTABLE_FAULTS_H
#define DT_HELPERS_CLI_RANKTABLE_FAULTS_H

#include "helpers/cli/ranktable/table_view.h"

/* Check the rules on the view's entries and report all faults. Returns 0,
 * or -1 out of memory. */
int faults_find(const struct view *view, struct report *r);

#endif
