/* SPDX-License-Identifier: Apache-2.0 */
#include "task/task.h"

#include "core/command/step_command_check.h"
#include "core/command/wrapped_command.h"
#include "sys/log.h"
#include "sys/text_file.h"

/* command_getenv has no argument of ours; a process has one task. */
static const struct task_env *asked;

static char *variable(const char *name)
{
	return (char *)asked->get(asked->arg, name);
}

int task_command_check(const struct task *task, const struct plan *plan,
		       char **argv, struct err *err)
{
	char room[COMMAND_ROOM], remark[600];
	struct step_command c;
	int argc = 0;

	while (argv[argc])
		argc++;
	wrapped_command_read(argc, argv, text_file_read, room, &c);
	asked = &task->env;
	if (step_command_check_words(plan->request, &plan->resolved,
				     plan->job->ntasks, &c, err) < 0 ||
	    step_command_check(plan, &c, variable, err) < 0)
		return -1;
	if (plan->job->procid == 0 &&
	    step_command_remark(plan, &c, remark, sizeof(remark)))
		log_line("%s", remark);
	return 0;
}
