/* SPDX-License-Identifier: Apache-2.0 */
/* The sight "stack": where each rank's program is. Its words: "native". */
#include "helpers/look/look_state.h"

#include "core/base/parse.h"
#include "core/facts/rows.h"
#include "helpers/sample/sample.h"

#include <stdlib.h>
#include <string.h>

#define ANSWER_MS 200 /* of the time: to tell it */

struct stack_sight {
	struct sight *sight;
	struct sampling *sampling;
	char gone[4096]; /* rows of ranks that have ended */
};

void stack_end(struct sight *sight)
{
	struct stack_sight *k = sight_kept(sight);

	if (!k)
		return;
	sample_drop(k->sampling);
	free(k);
}

static void done(void *arg, const char *rows)
{
	struct stack_sight *k = arg;
	size_t n = strlen(k->gone), m = strlen(rows);
	char *all = malloc(n + m + 1);

	k->sampling = NULL; /* it goes by itself */
	if (all) {
		memcpy(all, k->gone, n);
		memcpy(all + n, rows, m + 1);
	}
	sight_tell(k->sight, all ? all : "");
	free(all);
}

/* Ranks that run, into `target`; those that have ended are rows, behind what is
 * there. */
static unsigned find_targets(const struct procs *procs, struct stack_sight *k,
			     struct sample_target *target)
{
	size_t used = strlen(k->gone);
	unsigned n = 0;

	for (unsigned i = 0; i < procs->n; i++) {
		const struct proc *w = &procs->proc[i];

		if (w->pid <= 0 || w->process.added)
			continue;
		if (!w->ended)
			target[n++] = (struct sample_target){w->process.rank,
							     w->pid, w->parent};
		else if (used < sizeof(k->gone) - 64)
			used += (size_t)snprintf(k->gone + used, 64,
						 SAMPLE_GONE_ROW,
						 w->process.rank, (int)w->pid);
	}
	return n;
}

static void begin(struct sight *sight, const char *words)
{
	struct launch_view *v = sight_view(sight);
	struct sample_target *target = calloc(v->procs->n + 1, sizeof(*target));
	struct stack_sight *k = calloc(1, sizeof(*k));
	struct sample_wish wish = {
		.loop = v->loop,
		.target = target,
		.ms = sight_ms(sight) - ANSWER_MS,
		.rows_max = SIGHT_MAX - sizeof(k->gone),
		.native = word_find(words, "native", 6, NULL),
		.done = done,
		.arg = k,
	};
	struct err unused;

	if (k && target) {
		k->sight = sight;
		if (v->job->world)
			snprintf(k->gone, sizeof(k->gone), ROW_WORLD,
				 v->job->world);
		wish.n = find_targets(v->procs, k, target);
		k->sampling = sample_begin(&wish, &unused);
	}
	free(target);
	sight_keep(sight, k);
	if (!k || !k->sampling)
		sight_tell(sight, ROW_NOTE("the launcher is out of memory"));
}

void stack_begin(struct sight *sight, const char *words)
{
	if (!roles_answer(sight))
		begin(sight, words);
}
