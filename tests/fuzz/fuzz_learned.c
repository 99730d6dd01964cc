/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks tell of their nodes, a line for each of four tasks in turn, and,
 * after a '!', what all of them get to know. */
#include "core/facts/learned.h"

#include "tests/fuzz/fuzz.h"

#define WHAT (LEARN_COUNTS | LEARN_ADDRS | LEARN_TASKMAP)

static void apply(const char *text)
{
	struct job job = {.ntasks = 4, .nnodes = 2, .tasks = (char *)"2(x2)"};
	struct err err;
	int rc = learned_apply(text, WHAT, &job, &err);

	RULE((rc == 0) == (job.procs && job.addrs));
	free(job.procs);
	free(job.addrs);
	free(job.taskmap);
}

static void tell(char *text)
{
	struct job job = {.ntasks = 4, .nnodes = 2, .tasks = (char *)"2(x2)"};
	struct learned *l = learned_new(&job, WHAT);
	int missing = 4;
	struct err err;

	for (unsigned i = 0; text; i++) {
		int rc = learned_add(l, i % 4, strsep(&text, "\n"));

		RULE(rc >= -1 && rc <= missing);
		if (rc >= 0)
			missing = rc;
	}
	if (missing == 0) {
		char *all = learned_text(l, &err);

		if (all)
			apply(all);
		free(all);
	}
	learned_free(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	if (*text == '!')
		apply(text + 1);
	else
		tell(text);
	free(text);
	return 0;
}
