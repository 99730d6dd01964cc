/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ending/common_fault.h"

#include "helpers/launch/launch.h"
#include "helpers/launch/part.h"
#include "helpers/launch/step.h"
#include "sys/left_signals.h"

#define TASK_0_FIRST_MS 3000
#define LOOK_MS		100

static void say_or_look_again(void *arg)
{
	struct launch *l = arg;
	bool others_say_it = launch_no_channel(l) && l->step->procid;

	if (signal_is_pending(SIGTERM))
		launch_fail(l, ""); /* task 0 has said it */
	else if (!others_say_it || loop_now_ms() >= l->fault.say_at_ms)
		launch_fail(l, l->fault.err.text);
	else
		loop_arm(&l->loop, &l->fault.look, LOOK_MS);
}

void common_fault_say(struct launch *l, const struct err *err)
{
	l->fault = (struct common_fault){
		.err = *err,
		.say_at_ms = loop_now_ms() + TASK_0_FIRST_MS,
		.look = {.expired = say_or_look_again, .arg = l},
	};
	say_or_look_again(l);
}

static void stop(struct launch *l)
{
	loop_disarm(&l->loop, &l->fault.look);
}

const struct part common_fault_part = {.name = "common-fault", .close = stop};
