/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/requeue.h"

#include "core/base/parse.h"

#include <string.h>
#include <strings.h>

static const struct {
	const char *word;
	enum requeue_cause cause;
} causes[] = {
	{"time-limit", REQUEUE_TIME_LIMIT},
	{"preemption", REQUEUE_PREEMPTION},
	{"node-loss", REQUEUE_NODE_LOSS},
	{"failure", REQUEUE_FAILURE},
};

#define NCAUSES (sizeof(causes) / sizeof(*causes))

const char *requeue_word(enum requeue_cause cause)
{
	for (size_t i = 0; i < NCAUSES; i++)
		if (causes[i].cause == cause)
			return causes[i].word;
	return "";
}

static unsigned find_cause(const char *word, size_t n)
{
	for (size_t i = 0; i < NCAUSES; i++)
		if (strlen(causes[i].word) == n &&
		    !strncasecmp(causes[i].word, word, n))
			return causes[i].cause;
	return 0;
}

int requeue_parse(const char *text, struct err *err)
{
	unsigned set = 0;
	char shown[SHOW_SIZE];

	for (const char *at = text; at; at = strchr(at, '+')) {
		unsigned cause;

		at += at != text;
		cause = find_cause(at, strcspn(at, "+"));
		if (!cause || set & cause)
			return err_printf(err,
					  "%s=%s: must be none, or some of "
					  "time-limit, preemption, node-loss "
					  "and failure, each once, joined by +",
					  option_keys[KEY_REQUEUE].name,
					  show(shown, text));
		set |= cause;
	}
	return (int)set;
}

unsigned requeue_of(const struct request *r)
{
	const char *text = request_text(r, KEY_REQUEUE);
	struct err ignored;

	return text ? (unsigned)requeue_parse(text, &ignored) : 0;
}
