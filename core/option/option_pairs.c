/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/option.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/base/unknown_word.h"
#include "core/option/other_words.h"
#include "core/option/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TOKEN_MAX 8192
#define BLANKS	  " \t"

const struct option_key *option_key_find(const char *name, size_t len)
{
	for (int i = 0; i < KEY_COUNT; i++)
		if (strlen(option_keys[i].name) == len &&
		    !strncasecmp(option_keys[i].name, name, len))
			return &option_keys[i];
	return NULL;
}

static const char *everyday_name_nth(size_t n)
{
	for (int i = 0; i < KEY_COUNT; i++)
		if (option_keys[i].everyday && n-- == 0)
			return option_keys[i].name;
	return NULL;
}

/* These first: of two that are as near one of them was meant. */
static const char *key_name_nth(size_t n)
{
	const char *name = everyday_name_nth(n);

	for (int i = 0; i < KEY_COUNT; i++)
		n -= option_keys[i].everyday && n;
	if (name)
		return name;
	return n < KEY_COUNT ? option_keys[n].name : NULL;
}

static int unknown_key(const char *name, struct err *err)
{
	char shown[SHOW_SIZE], cure[OTHER_CURE_SIZE];

	if (other_word_cure(OTHER_KEY, name, cure))
		return err_printf(err, "unknown key %s; %s", show(shown, name),
				  cure);
	unknown_word_of(err, "key", name, key_name_nth, everyday_name_nth);
	text_add(err->text, sizeof(err->text), "; ", "%s",
		 "more: --dist-train=help");
	return -1;
}

/* One KEY=VALUE; `seen` tells which keys this pass has had. */
static int parse_pair(char *pair, enum value_source source, struct request *r,
		      bool *seen, struct err *err)
{
	struct option_value value;
	const struct option_key *key;
	char *eq = strchr(pair, '=');
	char shown[SHOW_SIZE];

	if (!*pair)
		return err_printf(err, "an empty key (two commas, one at the "
				       "end, or a blank after one that isn't "
				       "quoted); a key is KEY=VALUE");
	key = option_key_find(pair, eq ? (size_t)(eq - pair) : strlen(pair));
	if (!key) {
		if (eq)
			*eq = '\0';
		return unknown_key(pair, err);
	}
	if (!eq)
		return err_printf(err, "key %s has no value; write %s=VALUE",
				  show(shown, pair), key->name);
	if (seen[key - option_keys])
		return err_printf(err, "key '%s' is given twice", key->name);
	seen[key - option_keys] = true;
	if (value_parse(key, eq + 1, &value, err) < 0)
		return -1;
	value.source = source;
	free(r->key[key - option_keys].text);
	r->key[key - option_keys] = value;
	return 0;
}

/* Whether what follows a comma is one more item of the list, and not the next
 * key. */
static bool is_item(const struct option_key *key, const char *text)
{
	size_t len;

	text += strspn(text, BLANKS);
	len = strcspn(text, ",");
	if (key->kind == KIND_IFACES)
		return !memchr(text, '=', len) && !option_key_find(text, len);
	return key->kind == KIND_LIST && *text >= '0' && *text <= '9';
}

/* The length of the pair at `text`: up to the next comma, but a list takes
 * the items that follow it. */
static size_t pair_length(const char *text)
{
	const char *eq = strchr(text, '=');
	size_t len = strcspn(text, ",");
	const struct option_key *key;

	key = eq ? option_key_find(text, (size_t)(eq - text)) : NULL;
	while (key && text[len] == ',' && is_item(key, text + len + 1))
		len += 1 + strcspn(text + len + 1, ",");
	return len;
}

/* Take out the blanks after commas. */
static void drop_blanks(char *text)
{
	char *to = text;

	while (*text) {
		bool comma = *text == ',';

		*to++ = *text++;
		if (comma)
			text += strspn(text, BLANKS);
	}
	*to = '\0';
}

int request_pairs(const char *text, enum value_source source, struct request *r,
		  struct err *err)
{
	bool seen[KEY_COUNT] = {false};

	for (;;) {
		cleanup_free char *pair = NULL;
		size_t len;

		text += strspn(text, BLANKS);
		len = pair_length(text);

		if (len > TOKEN_MAX) {
			char shown[SHOW_SIZE];

			return err_printf(err,
					  "a key of %zu bytes (%s); at most %d",
					  len, show(shown, text), TOKEN_MAX);
		}
		pair = strndup(text, len);
		if (!pair)
			return err_memory(err);
		drop_blanks(pair);
		if (parse_pair(pair, source, r, seen, err) < 0)
			return -1;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

void request_init(struct request *r)
{
	*r = (struct request){0};
	for (int i = 0; i < KEY_COUNT; i++)
		if (!*option_keys[i].words) {
			r->key[i].word = -1;
			r->key[i].number = option_keys[i].initial;
		}
}

bool request_set_word(struct request *r, enum key_id id, int word)
{
	if (request_given(r, id))
		return false;
	free(r->key[id].text);
	r->key[id] =
		(struct option_value){.word = word, .source = VALUE_DIALECT};
	return true;
}

int request_check_defaults(const char *defaults, struct err *err)
{
	struct request r;
	int rc;

	request_init(&r);
	rc = request_pairs(defaults, VALUE_SITE, &r, err);
	request_clear(&r);
	return rc;
}

void request_clear(struct request *request)
{
	for (int i = 0; i < KEY_COUNT; i++)
		free(request->key[i].text);
	request_init(request);
}
