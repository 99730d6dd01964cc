/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ending/ending.h"

#include "helpers/part/launch_tell.h"
#include "helpers/part/launch_view.h"
#include "helpers/part/part.h"
#include "sys/left_signals.h"

#define TASK_0_FIRST_MS 3000
#define LOOK_MS		100

struct common_fault {
	struct launch_view *v;
	struct err err;
	uint64_t say_at_ms; /* where task 0 hasn't ended the step by then */
	struct loop_timer look;
};

static void say_or_look_again(void *arg)
{
	struct common_fault *f = arg;
	struct launch *l = f->v->launch;
	bool others_say_it = launch_no_channel(l) && f->v->step->procid;

	if (signal_is_pending(SIGTERM))
		launch_fail(l, ""); /* task 0 has said it */
	else if (!others_say_it || loop_now_ms() >= f->say_at_ms)
		launch_fail(l, f->err.text);
	else
		loop_arm(f->v->loop, &f->look, LOOK_MS);
}

static void stop(struct launch *l)
{
	struct common_fault *f = own_of(l, &common_fault_part);

	loop_disarm(launch_view(l)->loop, &f->look);
}

void common_fault_say(struct launch *l, const struct err *err)
{
	struct common_fault *f = own_of(l, &common_fault_part);

	stop(l);
	*f = (struct common_fault){
		.v = launch_view(l),
		.err = *err,
		.say_at_ms = loop_now_ms() + TASK_0_FIRST_MS,
		.look = {.expired = say_or_look_again, .arg = f},
	};
	say_or_look_again(f);
}

const struct part common_fault_part = {
	.name = "common-fault",
	.size = sizeof(struct common_fault),
	.close = stop,
};
