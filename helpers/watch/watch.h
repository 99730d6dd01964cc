/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: the key hang (doc/design/helpers-watch.md) in a launcher. It
 * looks at its ranks and tells the controller (helpers/step/hang_watch.c) when
 * they are quiet, and when they work again.
 *
 *	signs.h		of one rank: bytes, faults, CPU of its processes
 *	signs_child.c	of all ranks of a launcher, in a child
 *	watch.c		a launcher's ranks: MSG_QUIET
 *
 * Without the key there is nothing of it, and functions here do nothing.
 */
#pragma once

#include <stdbool.h>

struct launch_view;

/* The ranks are asked for dumps of their recorders, or have been: what they
 * read and write meanwhile is no sign of work. */
void watch_ask_recorders(const struct launch_view *v, bool begin);

/* For the sight "signs" (helpers/part/sight.h): a row for each rank that runs,
 *	sign RANK QUIET_MS CPU PROCESSES
 * CPU: 1 where one of its processes uses some. The caller frees it. NULL when
 * out of memory. */
char *watch_rows(const struct launch_view *v);
