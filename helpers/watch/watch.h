/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: the key hang (doc/design/0092-hangs.md). Each launcher looks at
 * its ranks, and the arbiter's launcher decides for the step.
 *
 *	signs.h		of one rank: bytes, faults, CPU of its processes
 *	signs_child.h	of all ranks of a launcher, in a child
 *	watch.c		a launcher's ranks: MSG_QUIET
 *	hang_clock.h	of all launchers: since when nobody works, and when that
 *			is a reason to look: pure
 *	samples.h	the stacks of all ranks, some times: a hang or not: pure
 *	watch_centre.c	asks for them, says it, and acts
 *	dumps.h		what the libraries' recorders tell of it
 *	hang_report.h	what is said: pure
 *
 * Without the key there is nothing of it: launch->watch is NULL, which all
 * functions here allow.
 */
#ifndef DT_HELPERS_WATCH_WATCH_H
#define DT_HELPERS_WATCH_WATCH_H

#include <stdbool.h>

struct watch;

/* The ranks are asked for dumps of their recorders, or have been: what they
 * read and write meanwhile is no sign of work. */
void watch_ask_recorders(struct watch *watch, bool begin);

/* For the sight "signs" (helpers/look/look.h): a row for each rank that runs,
 *	sign RANK QUIET_MS CPU PROCESSES
 * CPU: 1 where one of its processes uses some. The caller frees it. NULL when
 * out of memory. */
char *watch_rows(const struct watch *watch);

#endif
