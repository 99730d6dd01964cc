/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launcher of the first node sees when the program's API answers, where the
 * framework has one (struct framework, `api`), and says so once in each round:
 * one line, and an event of the timeline. It only looks: no step ends or waits
 * because an API answers or doesn't.
 */
#ifndef DT_HELPERS_LAUNCH_API_ANSWER_H
#define DT_HELPERS_LAUNCH_API_ANSWER_H

#include "helpers/launch/phase.h"

/* Look from now on, each second. Fails when out of memory only. */
enum phase_state api_answer_begin(struct launch *l, struct err *err);
void api_answer_end(struct launch *l);

#endif
