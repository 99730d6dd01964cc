/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole messages to a visitor of a step, of which any program of the user's may
 * be the author: each ends with the byte 1, and its first byte is its type. All
 * is heard as `dist-train status` does it, which root may call.
 */
#include "core/base/hostlist.h"
#include "helpers/cli/status/step_view.h"
#include "helpers/cli/status/view_lines.h"
#include "helpers/conn/message.h"
#include "helpers/visit/visitor.h"

#include "tests/fuzz/fuzz.h"

#include <limits.h>

static struct words_heard heard;
static struct step_view before, view;

static void is_plain(const char *text)
{
	for (; *text; text++)
		RULE((unsigned char)*text >= 0x20
			     ? *text != 0x7f
			     : *text == '\t' || *text == '\n');
}

/* MEMBER NODE\nROWS */
static void show(char *text)
{
	const char *node = text;
	char *rows = strchr(text, '\n');
	long member;

	if (!rows || message_number(&node, 0, INT_MAX, &member) < 0 ||
	    node > rows || rows - node >= HOSTLIST_NAME_MAX)
		return;
	*rows = '\0';
	step_view_add(&view, node, rows + 1);
}

static void hear(const char *message)
{
	struct err err = {""};
	char *text;

	if (words_heard_take(&heard, *message, message + 1, strlen(message + 1),
			     &text, &err) < 0) {
		fuzz_check_error(err.text);
		return;
	}
	if (!text)
		return;
	is_plain(text);
	if (*message == MSG_SHOW)
		show(text);
	else
		step_view_without(&view, text, *message == MSG_ABSENT);
	free(text);
}

/* A line each, in the words of the format alone. */
static void print(void)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	RULE(f);
	status_prometheus(f, &view, "1.0");
	fclose(f);
	is_plain(text);
	RULE(strlen(text) == n);
	for (char *line = text; *line; line = strchr(line, '\n') + 1)
		RULE(*line == '#' || !strncmp(line, "dist_train_", 11));
	free(text);
}

static void finish(void)
{
	step_view_finish(&view, &before);
	for (unsigned i = 0; i < view.nranks; i++) {
		RULE(view.rank[i].state >= ' ' && view.rank[i].state < 0x7f);
		RULE(view.rank[i].node < view.n);
	}
	print();
	step_view_clear(&before);
	before = view;
	view = (struct step_view){0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text, *message;

	words_heard_begin(&heard, 2);
	while ((message = strsep(&rest, "\x01")))
		if (*message == '!') {
			finish();
			words_heard_begin(&heard, 2);
		} else if (*message) {
			hear(message);
		}
	finish();
	step_view_clear(&before);
	before = (struct step_view){0};
	free(text);
	return 0;
}
