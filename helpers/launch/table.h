/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phase that makes the rank table. A child asks for this node's rows; in
 * task mode that of the node's first launcher does it for all of the node's
 * tasks (helpers/ranktable/exchange.h). How a launcher learns those of the
 * others is the choice of helpers/ranktable/exchange.h. There are four ways,
 * and all end with the rows of the whole step, from which the file is written
 * (l->made.rank_table):
 *
 *	channel		rows -> session_gather() -> everybody's rows
 *	PMIx		rows -> PMIx -> everybody's rows
 *	inventory	the administrator's file has all rows; session_gather()
 *			tells task 0's folder
 *	alone		the same where launchers can't meet: no folder
 *
 * With recovery all nodes tell their rows once, spares too, and each world has
 * a file that is made of them; the inventory is read anew. No file is shared:
 * task 0 may be lost.
 */
#ifndef DT_HELPERS_LAUNCH_TABLE_H
#define DT_HELPERS_LAUNCH_TABLE_H

#include <stdbool.h>

struct launch;

/* Whether rows are told through PMIx; false where there is no table. */
bool table_uses_pmix(const struct launch *l);

#endif
