/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/record_words.h"

#include <string.h>

static const struct {
	const char *word, *schema1, *name;
} phases[] = {
	[PHASE_WAITING] = {"waiting", "planned", "waiting for nodes"},
	[PHASE_TABLE] = {"table", "exchanged", "rank table exchanged"},
	[PHASE_STAGING] = {"staging", "staging", "files to the own disk"},
	[PHASE_STARTING] = {"starting", "started", "starting (no output yet)"},
	[PHASE_RUNNING] = {"running", "output", "running"},
	[PHASE_SERVING] = {"serving", "answers", "serving requests"},
	[PHASE_ENDED] = {"ended", "ended", "ended"},
};

const char *phase_word(enum proc_phase phase)
{
	return phases[phase].word;
}

const char *phase_name(enum proc_phase phase)
{
	return phases[phase].name;
}

int phase_parse(const char *word, enum proc_phase *ret)
{
	for (int i = 0; i < PHASE_COUNT; i++)
		if (!strcmp(word, phases[i].word) ||
		    !strcmp(word, phases[i].schema1)) {
			*ret = (enum proc_phase)i;
			return 0;
		}
	return -1;
}

/* clang-format off */
static const char *const marks[MARK_COUNT] = {
	[MARK_SPARE] = "spare",
	[MARK_LOST] = "lost",
	[MARK_CONDEMNED] = "condemned",
	[MARK_REPLACED] = "replaced",
	[MARK_ROUND] = "round",
	[MARK_CHECK] = "check",
	[MARK_RUNS] = "runs",
	[MARK_FAILURE] = "failure",
	[MARK_REPORT] = "report",
	[MARK_SAID] = "said",
	[MARK_HANG] = "hang",
	[MARK_STACKS] = "stacks",
	[MARK_SLOW] = "slow",
	[MARK_SIGNALLED] = "signalled",
	[MARK_STOPPED] = "stopped",
	[MARK_SAVED] = "saved",
	[MARK_STAGES] = "stages",
	[MARK_STAGED] = "staged",
	[MARK_CODE] = "code",
	[MARK_WORLD] = "world",
	[MARK_REQUEUED] = "requeued",
	[MARK_PROGRESS] = "progress",
	[MARK_END] = "end",
};
/* clang-format on */

const char *mark_word(enum record_mark mark)
{
	return marks[mark];
}

int mark_parse(const char *word, enum record_mark *ret)
{
	for (int i = 0; i < MARK_COUNT; i++)
		if (!strcmp(word, marks[i])) {
			*ret = (enum record_mark)i;
			return 0;
		}
	return -1;
}

unsigned mark_room(enum record_mark mark)
{
	switch (mark) {
	case MARK_END:
		return RECORD_MAX;
	case MARK_LOST:
	case MARK_CONDEMNED:
	case MARK_REPLACED:
	case MARK_FAILURE:
	case MARK_REPORT:
	case MARK_HANG:
	case MARK_STACKS:
	case MARK_SIGNALLED:
	case MARK_STOPPED:
	case MARK_SAVED:
	case MARK_REQUEUED:
		return RECORD_MAX / 4 * 3;
	case MARK_CHECK:
	case MARK_WORLD:
		return RECORD_MAX / 4;
	default:
		return RECORD_MAX / 2;
	}
}
