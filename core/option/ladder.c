/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/ladder.h"

#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/option/key_forms.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#define NAME "on-node-loss"

static const char *const words[LADDER_MAX] = {
	[LADDER_REPLACE] = "replace",
	[LADDER_SHRINK] = "shrink",
	[LADDER_REQUEUE] = "requeue",
	[LADDER_FAIL] = "fail",
};

bool ladder_has(const struct ladder *ladder, enum ladder_word word)
{
	for (unsigned i = 0; i < ladder->n; i++)
		if (ladder->rung[i].what == word)
			return true;
	return false;
}

static void add_rung(struct ladder *l, enum ladder_word word, unsigned min)
{
	l->rung[l->n].what = word;
	l->rung[l->n++].min = min;
}

static int refuse_word(const char *text, const char *item, struct err *err)
{
	char shown[SHOW_SIZE], all[SHOW_SIZE];

	return err_printf(err,
			  NAME "=%s: %s is none of replace, shrink:MIN, "
			       "requeue, fail (or auto alone)",
			  show(all, text), show(shown, item));
}

/* One word of the ladder, whose text is `item`. */
static int add_item(const char *text, const char *item, struct ladder *l,
		    struct err *err)
{
	const char *colon = strchr(item, ':');
	size_t len = colon ? (size_t)(colon - item) : strlen(item);
	char shown[SHOW_SIZE];
	long min = 0;
	int word = 0;

	while (word < LADDER_MAX && (strlen(words[word]) != len ||
				     strncasecmp(words[word], item, len) != 0))
		word++;
	if (word == LADDER_MAX || (colon && word != LADDER_SHRINK))
		return refuse_word(text, item, err);
	if (word == LADDER_SHRINK &&
	    (!colon || parse_number(colon + 1, 1, INT_MAX, &min) < 0))
		return err_printf(err,
				  NAME "=%s: shrink needs the fewest nodes "
				       "with which the training can go on; "
				       "write shrink:MIN",
				  show(shown, text));
	if (ladder_has(l, (enum ladder_word)word))
		return err_printf(err, NAME "=%s: %s is there twice",
				  show(shown, text), words[word]);
	if (ladder_has(l, LADDER_FAIL) ||
	    (ladder_has(l, LADDER_REQUEUE) && word != LADDER_FAIL))
		return err_printf(err,
				  NAME "=%s: nothing is tried after %s; write "
				       "%s before it",
				  show(shown, text),
				  words[l->rung[l->n - 1].what], words[word]);
	add_rung(l, (enum ladder_word)word, (unsigned)min);
	return 0;
}

int ladder_parse(const char *text, struct ladder *ret, struct err *err)
{
	struct ladder l = {.n = 0};
	const char *at = text;
	char item[32];

	for (;;) {
		size_t len = strcspn(at, "+");

		if (len >= sizeof(item))
			return refuse_word(text, at, err);
		memcpy(item, at, len);
		item[len] = '\0';
		if (add_item(text, item, &l, err) < 0)
			return -1;
		if (!at[len])
			break;
		at += len + 1;
	}
	*ret = l;
	return 0;
}

/* The key requeue with node-loss: instead of the failure. */
static void requeue_at_last(struct ladder *l)
{
	if (ladder_has(l, LADDER_REQUEUE))
		return;
	if (ladder_has(l, LADDER_FAIL))
		l->n--;
	add_rung(l, LADDER_REQUEUE, 0);
}

void ladder_of(const struct request *r, struct ladder *ret)
{
	const char *text = request_text(r, KEY_ON_NODE_LOSS);
	int word = request_word(r, KEY_ON_NODE_LOSS);
	struct ladder l = {.n = 0};
	struct err ignored;

	if (text) {
		/* value_parse() has read it before */
		ladder_parse(text, &l, &ignored);
	} else if (word == ON_NODE_LOSS_REQUEUE) {
		add_rung(&l, LADDER_REQUEUE, 0);
	} else if (word == ON_NODE_LOSS_REPLACE ||
		   (word == ON_NODE_LOSS_AUTO &&
		    request_number(r, KEY_SPARES))) {
		add_rung(&l, LADDER_REPLACE, 0);
	}
	if (requeue_of(r) & REQUEUE_NODE_LOSS)
		requeue_at_last(&l);
	if (!ladder_has(&l, LADDER_FAIL))
		add_rung(&l, LADDER_FAIL, 0);
	*ret = l;
}

const char *ladder_text(const struct ladder *l, char buf[LADDER_SIZE])
{
	buf[0] = '\0';
	for (unsigned i = 0; i < l->n; i++)
		if (l->rung[i].what == LADDER_SHRINK)
			text_add(buf, LADDER_SIZE, "+", "shrink:%u",
				 l->rung[i].min);
		else
			text_add(buf, LADDER_SIZE, "+", "%s",
				 words[l->rung[i].what]);
	return buf;
}

#define BEATS	     8 /* in a lease */
#define INTERVAL_MIN 500
#define MARGIN_MS    1000

uint64_t recovery_lease_ms(long lease_s)
{
	return (uint64_t)lease_s * 1000;
}

uint64_t recovery_interval_ms(long lease_s)
{
	uint64_t ms = recovery_lease_ms(lease_s) / BEATS;

	return ms > INTERVAL_MIN ? ms : INTERVAL_MIN;
}

uint64_t recovery_fence_ms(long lease_s)
{
	uint64_t lease = recovery_lease_ms(lease_s);
	uint64_t most = lease - recovery_interval_ms(lease_s) - MARGIN_MS;
	uint64_t usual = lease - lease / 4;

	return usual < most ? usual : most;
}
