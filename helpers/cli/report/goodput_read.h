/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs that are meant, from the records of a folder. */
#ifndef DT_HELPERS_CLI_GOODPUT_GOODPUT_READ_H
#define DT_HELPERS_CLI_GOODPUT_GOODPUT_READ_H

#include "helpers/cli/report/goodput.h"
#include "helpers/cli/report/record_find.h"

/* {0}: none */
struct goodput_jobs {
	struct goodput_job *job;
	size_t n;
};

/* Add the jobs of a word: those elements of an array that have records are a
 * job each; one that is there already isn't added again. What can't be read is
 * said on standard error and left out. Returns how many jobs the word has, or
 * -1. Free with jobs_clear(). */
int jobs_add(const struct record_folder *folder, const struct record_wish *wish,
	     struct goodput_jobs *jobs, struct err *err);
void jobs_clear(struct goodput_jobs *jobs);

#endif
