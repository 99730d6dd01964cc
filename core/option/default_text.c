/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/option.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <stdio.h>
#include <string.h>

/* The n-th of blank-separated words, to be printed with %.*s. */
static const char *word_nth_of(const char *words, int n, int *ret_len)
{
	while (n--)
		words += strcspn(words, " ") + 1;
	*ret_len = (int)strcspn(words, " ");
	return words;
}

/* A text behind its prefix, with two commas for one of a path. */
static void show_text(const struct option_key *key, const char *text,
		      char buf[SHOW_SIZE])
{
	char written[2 * SHOW_SIZE];
	size_t n = (size_t)snprintf(written, sizeof(written), "%s",
				    key->prefix ? key->prefix : "");

	for (; *text && n + 2 < sizeof(written); text++) {
		written[n++] = *text;
		if (*text == ',' && key->kind == KIND_PATH)
			written[n++] = ',';
	}
	written[n] = '\0';
	show(buf, written);
}

/* A value as one would write it. */
static void show_value(const struct option_key *key,
		       const struct option_value *v, char buf[SHOW_SIZE])
{
	const char *word;
	int len;

	if (v->word >= 0) {
		word = word_nth_of(key->words, v->word, &len);
		snprintf(buf, SHOW_SIZE, "%.*s", len, word);
	} else if (v->text) {
		show_text(key, v->text, buf);
	} else {
		snprintf(buf, SHOW_SIZE, "%ld", v->number);
	}
}

void request_keys_text(const struct request *r, char *buf, size_t size)
{
	static const char *const from[] = {
		[VALUE_SITE] = " (the administrator's default)",
		[VALUE_DEFAULTS] = " (SLURM_DIST_TRAIN_DEFAULTS)",
		[VALUE_OPTION] = "",
	};
	char value[SHOW_SIZE];

	*buf = '\0';
	for (int i = 0; i < KEY_COUNT; i++) {
		const char *source = from[r->key[i].source];

		if (!source || i == KEY_EXPLAIN)
			continue;
		show_value(&option_keys[i], &r->key[i], value);
		text_add(buf, size, ", ", "%s=%s%s", option_keys[i].name, value,
			 source);
	}
}
