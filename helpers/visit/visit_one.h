/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One question to the launchers of a step, or of a world of a step with several
 * roles, over one connection to who leads them. For visitor.c; what is called
 * and when is as there.
 */
#ifndef DT_HELPERS_VISIT_VISIT_ONE_H
#define DT_HELPERS_VISIT_VISIT_ONE_H

#include "helpers/visit/visit.h"

struct loop;
struct visit_one;

struct visit_one *visit_one_open(const struct visit *visit, struct loop *loop,
				 const struct visitor_calls *calls,
				 struct err *err);
void visit_one_ask_again(struct visit_one *one);
void visit_one_close(struct visit_one *one);

#endif
