/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks tell of their nodes, a line for each of four tasks in turn, and,
 * after a '!', what all of them get to know; behind a '+' in a heterogeneous
 * step. */
#include "core/facts/components.h"
#include "core/facts/learned.h"

#include "tests/fuzz/fuzz.h"

#include <string.h>

#define ORDINARY (LEARN_COUNTS | LEARN_ADDRS | LEARN_TASKMAP)
#define HET	 (LEARN_COUNTS | LEARN_COMPONENTS)

/* A heterogeneous step may be dealt out in any way, or not at all. */
static void deal(struct job *job)
{
	static const struct component_wish wish = {.word = 0};
	char remark[COMPONENTS_REMARK_SIZE];
	struct err err;

	RULE((components_deal(job, &wish, 1, remark, &err) == 0) ==
	     (job->dealt && job->node_procs));
}

static void apply(const char *text, unsigned what)
{
	struct job job = {.ntasks = 4,
			  .nnodes = 2,
			  .node_name = strdup("node1"),
			  .tasks = strdup("2(x2)")};
	struct err err;
	int rc = learned_apply(text, what, &job, &err);

	RULE((rc == 0) == (job.procs && (job.addrs || job.firsts)));
	if (rc == 0 && what == HET)
		deal(&job);
	job_clear(&job);
}

static void tell(char *text, unsigned what)
{
	struct job job = {.ntasks = 4, .nnodes = 2, .tasks = (char *)"2(x2)"};
	struct learned *l = learned_new(&job, what);
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
			apply(all, what);
		free(all);
	}
	learned_free(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	bool het = *text == '+';
	unsigned what = het ? HET : ORDINARY;

	if (text[het] == '!')
		apply(text + het + 1, what);
	else
		tell(text + het, what);
	free(text);
	return 0;
}
