/* SPDX-License-Identifier: Apache-2.0 */
/* What the communication libraries' recorders tell of a hang (key hang): all
 * launchers are asked, and it is said who never entered a collective, and where
 * the dumps are kept. The stacks are, too. */
#ifndef DT_HELPERS_STEP_DUMPS_H
#define DT_HELPERS_STEP_DUMPS_H

struct controller;
struct dumps;
struct stacks;

/* Ask; the stacks are borrowed until `done` is called, once, within DUMPS_MS
 * and two seconds, when all has been said. NULL: the step has no recorders, or
 * memory is out. */
#define DUMPS_MS 8000
struct dumps *dumps_ask(struct controller *c, struct stacks *stacks,
			void (*done)(void *arg), void *arg);

/* Nobody wants to know any more; not after `done`. */
void dumps_drop(struct dumps *dumps);

#endif
