/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/explain_show.h"

#include "core/command/step_command_check.h"
#include "core/command/wrapped_command.h"
#include "sys/text_file.h"

#include <stdio.h>
#include <stdlib.h>

static int count_words(char *const *words)
{
	int n = 0;

	while (words && words[n])
		n++;
	return n;
}

/* As srun does. A plan may be refused for what is wrong with the command, so
 * that what its words tell comes first. */
static int check_words(const struct dryrun_view *view,
		       const struct step_command *c, struct err *err)
{
	struct resolved w;
	struct job job;
	int rc;

	if (dryrun_job(view->example, 0, &job, err) < 0)
		return -1;
	resolve(view->request, &job, &w);
	rc = step_command_check_words(view->request, &w, job.ntasks, c, err);
	job_clear(&job);
	return rc;
}

static int check_command(const struct dryrun_view *view,
			 const struct step_command *c, struct err *err)
{
	const struct plan *plan = &view->plan;
	char remark[600];

	if (step_command_check(plan, c, getenv, err) < 0)
		return -1;
	if (step_command_remark(plan, c, remark, sizeof(remark)))
		fprintf(stderr, "dist-train: %s\n", remark);
	return 0;
}

int explain_command_plan(struct dryrun_view *view, struct err *err)
{
	char room[COMMAND_ROOM];
	struct step_command c;

	wrapped_command_read(count_words(view->command), view->command,
			     text_file_read, room, &c);
	if (check_words(view, &c, err) < 0 ||
	    dryrun_view_task(view, 0, err) < 0)
		return -1;
	return check_command(view, &c, err);
}
