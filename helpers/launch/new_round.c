/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/new_round.h"

#include "helpers/launch/launch.h"
#include "helpers/launch/part.h"
#include "helpers/launch/phase.h"
#include "helpers/launch/step.h"
#include "helpers/node/oom.h"

static int make_round(struct launch *l, struct err *err)
{
	bind_clear(&l->bind);
	l->oom_kills = oom_kills("");
	if (launch_plan_again(l, err) < 0 ||
	    bind_here(&l->plan, &l->bind, err) < 0 ||
	    procs_again(&l->procs, launch_count_procs(l), err) < 0 ||
	    launch_input(l, err) < 0)
		return -1;
	return l->view.output ? output_again(l->view.output, err) : 0;
}

void launch_begin_round(struct launch *l)
{
	struct err err;

	if (make_round(l, &err) < 0)
		return launch_fail(l, err.text);
	parts_round(l);
	phases_begin_round(l);
}
