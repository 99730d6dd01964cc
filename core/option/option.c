/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/option.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "core/base/unknown_word.h"
#include "core/option/file_pattern.h"

#include <stdio.h>
#include <string.h>

#define IFACE_MAX    15
#define NAMES_MAX    255
#define PATH_MAX_LEN 4095
#define TOKEN_MAX    8192

const char *option_values(const struct option_key *key, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s%s%s", key->words,
			 *key->words && key->value ? "|" : "",
			 key->value ? key->value : "");

	if (n < 0 || (size_t)n >= size)
		n = (int)size - 1;
	for (int i = 0; i < n; i++)
		if (buf[i] == ' ')
			buf[i] = '|';
	return buf;
}

static const struct option_key *find_key(const char *name, size_t len)
{
	for (int i = 0; i < KEY_COUNT; i++)
		if (strlen(option_keys[i].name) == len &&
		    !memcmp(option_keys[i].name, name, len))
			return &option_keys[i];
	return NULL;
}

static const char *key_name_nth(size_t n)
{
	return n < KEY_COUNT ? option_keys[n].name : NULL;
}

static bool is_list(const struct option_key *key, const char *text)
{
	char item[16];
	long n;

	while (*text) {
		size_t len = strcspn(text, ",");

		if (!len || len >= sizeof(item))
			return false;
		memcpy(item, text, len);
		item[len] = '\0';
		if (parse_number(item, key->min, key->max, &n) < 0)
			return false;
		text += len + (text[len] == ',');
	}
	return true;
}

static bool is_path(const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return false;
	return n > 0 && n <= PATH_MAX_LEN;
}

/* Whether a text value is what its kind asks for; the text to keep. */
static const char *text_value(const struct option_key *key, const char *text)
{
	size_t prefix = key->prefix ? strlen(key->prefix) : 0;

	switch (key->kind) {
	case KIND_IFACE:
		if (prefix && strncmp(text, key->prefix, prefix) != 0)
			return NULL;
		text += prefix;
		return *text != '-' && is_word(text, "._-@:", IFACE_MAX) ? text
									 : NULL;
	case KIND_NAMES:
		return !strchr("-.+", *text) && is_word(text, "._-+", NAMES_MAX)
			       ? text
			       : NULL;
	case KIND_PATH:
		return is_path(text) ? text : NULL;
	case KIND_LIST:
		return is_list(key, text) ? text : NULL;
	default:
		return NULL;
	}
}

static int bad_value(const struct option_key *key, const char *value,
		     struct err *err)
{
	char shown[SHOW_SIZE], values[256];

	if (key->kind == KIND_NUMBER && !*key->words)
		return err_printf(
			err, "%s=%s: must be a number from %ld to %ld",
			key->name, show(shown, value), key->min, key->max);
	if (key->kind == KIND_NUMBER)
		return err_printf(
			err, "%s=%s: must be one of %s (N from %ld to %ld)",
			key->name, show(shown, value),
			option_values(key, values, sizeof(values)), key->min,
			key->max);
	return err_printf(err, "%s=%s: must be one of %s", key->name,
			  show(shown, value),
			  option_values(key, values, sizeof(values)));
}

static int parse_value(const struct option_key *key, const char *value,
		       struct option_value *ret, struct err *err)
{
	struct option_value v = {.word = -1, .given = true};
	const char *text;

	if (*value && word_find(key->words, value, strlen(value), &v.word)) {
		/* a word */
	} else if (key->kind == KIND_NUMBER) {
		if (parse_number(value, key->min, key->max, &v.number) < 0)
			return bad_value(key, value, err);
	} else {
		text = *value ? text_value(key, value) : NULL;
		if (!text)
			return bad_value(key, value, err);
		if (key->fields &&
		    file_pattern_check(key->name, key->fields, text, err) < 0)
			return -1;
		v.text = strdup(text);
		if (!v.text)
			return err_memory(err);
	}
	*ret = v;
	return 0;
}

/* One KEY=VALUE; `seen` tells which keys this pass has had. */
static int parse_pair(char *pair, struct request *r, bool *seen,
		      struct err *err)
{
	struct option_value value;
	const struct option_key *key;
	char *eq = strchr(pair, '=');
	char shown[SHOW_SIZE];

	if (!*pair)
		return err_printf(err, "an empty key (two commas, or one at "
				       "the end); a key is KEY=VALUE");
	key = find_key(pair, eq ? (size_t)(eq - pair) : strlen(pair));
	if (!key) {
		if (eq)
			*eq = '\0';
		return unknown_word(err, "key", pair, key_name_nth);
	}
	if (!eq)
		return err_printf(err, "key %s has no value; write %s=VALUE",
				  show(shown, pair), key->name);
	if (seen[key - option_keys])
		return err_printf(err, "key '%s' is given twice", key->name);
	seen[key - option_keys] = true;
	if (parse_value(key, eq + 1, &value, err) < 0)
		return -1;
	free(r->key[key - option_keys].text);
	r->key[key - option_keys] = value;
	return 0;
}

/* The length of the pair at `text`: up to the next comma, but a list takes
 * the numbers that follow it. */
static size_t pair_length(const char *text)
{
	const char *eq = strchr(text, '=');
	size_t len = strcspn(text, ",");
	const struct option_key *key;

	key = eq ? find_key(text, (size_t)(eq - text)) : NULL;
	if (!key || key->kind != KIND_LIST)
		return len;
	while (text[len] == ',' && text[len + 1] >= '0' && text[len + 1] <= '9')
		len += 1 + strcspn(text + len + 1, ",");
	return len;
}

int request_pairs(const char *text, struct request *r, struct err *err)
{
	bool seen[KEY_COUNT] = {false};

	for (;;) {
		size_t len = pair_length(text);
		cleanup_free char *pair = NULL;

		if (len > TOKEN_MAX) {
			char shown[SHOW_SIZE];

			return err_printf(err,
					  "a key of %zu bytes (%s); at most %d",
					  len, show(shown, text), TOKEN_MAX);
		}
		pair = strndup(text, len);
		if (!pair)
			return err_memory(err);
		if (parse_pair(pair, r, seen, err) < 0)
			return -1;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

int request_defaults(const char *text, struct request *r, struct err *err)
{
	int rc = request_pairs(text, r, err);

	for (int i = 0; i < KEY_COUNT; i++)
		r->key[i].given = false;
	return rc;
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
	if (r->key[id].given)
		return false;
	free(r->key[id].text);
	r->key[id] = (struct option_value){.word = word};
	return true;
}

int request_check_defaults(const char *defaults, struct err *err)
{
	struct request r;
	int rc;

	request_init(&r);
	rc = request_pairs(defaults, &r, err);
	request_clear(&r);
	return rc;
}

void request_clear(struct request *request)
{
	for (int i = 0; i < KEY_COUNT; i++)
		free(request->key[i].text);
	request_init(request);
}
