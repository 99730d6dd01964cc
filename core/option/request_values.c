/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/option.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct option_key *request_key(const struct request *r, enum key_id id)
{
	if (id < KEY_OWN || id >= KEY_OWN_END)
		return &option_keys[id];
	for (int i = KEY_OWN; r->own && r->own[i - KEY_OWN].name; i++)
		if (i == (int)id)
			return &r->own[i - KEY_OWN];
	return NULL;
}

int request_key_find(const struct request *r, const char *name, size_t len)
{
	for (int i = 0; i < KEY_COUNT; i++) {
		const struct option_key *key = request_key(r, (enum key_id)i);

		if (key && strlen(key->name) == len &&
		    !strncasecmp(key->name, name, len))
			return i;
	}
	return -1;
}

void request_init(struct request *r, const struct option_key *own)
{
	*r = (struct request){.own = own};
	for (int i = 0; i < KEY_COUNT; i++) {
		const struct option_key *key = request_key(r, (enum key_id)i);

		if (key && !*key->words) {
			r->key[i].word = -1;
			r->key[i].number = key->initial;
		}
	}
}

void request_set(struct request *r, enum key_id id,
		 const struct option_value *value)
{
	free(r->key[id].text);
	r->key[id] = *value;
}

bool request_set_word(struct request *r, enum key_id id, int word)
{
	const struct option_value value = {.word = word,
					   .source = VALUE_DIALECT};

	if (request_given(r, id))
		return false;
	request_set(r, id, &value);
	return true;
}

void request_clear(struct request *r)
{
	for (int i = 0; i < KEY_COUNT; i++)
		free(r->key[i].text);
	request_init(r, NULL);
}

bool request_differs(const struct request *r, enum key_id id)
{
	const struct option_key *key = request_key(r, id);
	const struct option_value *v = &r->key[id];

	if (v->word >= 0)
		return v->word > 0;
	return v->text || *key->words || v->number != key->initial;
}

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
	const struct option_key *key;
	char value[SHOW_SIZE];

	*buf = '\0';
	for (int i = 0; i < KEY_COUNT; i++) {
		const char *source = from[r->key[i].source];

		if (!source || i == KEY_EXPLAIN)
			continue;
		key = request_key(r, (enum key_id)i);
		show_value(key, &r->key[i], value);
		text_add(buf, size, ", ", "%s=%s%s", key->name, value, source);
	}
}
