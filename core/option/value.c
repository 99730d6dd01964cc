/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/option.h"

#include "core/base/parse.h"
#include "core/option/file_pattern.h"
#include "core/option/groups.h"
#include "core/option/key_forms.h"
#include "core/option/ladder.h"

#include <stdio.h>
#include <string.h>

#define IFACE_MAX    15
#define IFACES_MAX   255
#define NAMES_MAX    255
#define PATH_MAX_LEN 4095

#define YES_WORDS "yes on true 1"
#define NO_WORDS  "no off false 0 none"

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

static bool has_word(const char *words, const char *text, int *ret_index)
{
	return *text &&
	       word_find_any_case(words, text, strlen(text), ret_index);
}

bool value_is_off(const char *text)
{
	return has_word(NO_WORDS, text, NULL);
}

/* The key's own word for no; NULL: it has none. */
static const char *own_no(const char *words)
{
	static const char *const no[] = {"no", "off", "none"};

	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (has_word(words, no[i], NULL))
			return no[i];
	return NULL;
}

/* The key's own word for yes; what isn't off is auto. */
static const char *own_yes(const char *words)
{
	if (has_word(words, "yes", NULL))
		return "yes";
	if (has_word(words, "on", NULL))
		return "on";
	return has_word(words, "off", NULL) && has_word(words, "auto", NULL)
		       ? "auto"
		       : NULL;
}

/* One of the key's words, or what means the same as one. */
static bool find_word(const struct option_key *key, const char *text, int *ret)
{
	const char *own = NULL;

	if (has_word(key->words, text, ret))
		return true;
	if (has_word(NO_WORDS, text, NULL))
		own = own_no(key->words);
	else if (has_word(YES_WORDS, text, NULL))
		own = own_yes(key->words);
	if (!own || (option_has_numbers(key) && strchr("01", *text)))
		return false;
	return has_word(key->words, own, ret);
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

static bool is_iface(const char *text)
{
	return *text != '-' && is_word(text, "._-@:", IFACE_MAX);
}

/* Names of interfaces; a word of the key's ("auto") is none. */
static bool are_ifaces(const struct option_key *key, const char *text)
{
	char item[IFACE_MAX + 1];
	int word;

	if (strlen(text) > IFACES_MAX)
		return false;
	for (;;) {
		size_t len = strcspn(text, ",");

		if (len > IFACE_MAX)
			return false;
		memcpy(item, text, len);
		item[len] = '\0';
		if (!is_iface(item) || find_word(key, item, &word))
			return false;
		if (!text[len])
			return true;
		text += len + 1;
	}
}

/* A file's name; where a word means that there is no file, one that means yes
 * names none. */
static bool is_path(const struct option_key *key, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return false;
	return n > 0 && n <= PATH_MAX_LEN &&
	       !(own_no(key->words) && has_word(YES_WORDS, text, NULL));
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
		return is_iface(text) ? text : NULL;
	case KIND_IFACES:
		return are_ifaces(key, text) ? text : NULL;
	case KIND_NAMES:
		return !strchr("-.+", *text) && is_word(text, "._-+", NAMES_MAX)
			       ? text
			       : NULL;
	case KIND_PATH:
		return is_path(key, text) ? text : NULL;
	case KIND_LIST:
		return is_list(key, text) ? text : NULL;
	case KIND_WORD:
		return NULL;
	default: /* check_form() */
		return text;
	}
}

static int bad_value(const struct option_key *key, const char *value,
		     struct err *err)
{
	char shown[SHOW_SIZE], values[256];

	if (key->kind == KIND_SECONDS)
		return err_printf(err,
				  "%s=%s: must be a number of seconds from %ld "
				  "to %ld, or with s, m, h",
				  key->name, show(shown, value), key->min,
				  key->max);
	if (key->kind == KIND_SIZE)
		return err_printf(err,
				  "%s=%s: must be one of %s, as 500M or 20G",
				  key->name, show(shown, value),
				  option_values(key, values, sizeof(values)));
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

/* A number; yes and no where they are 1 and 0, the default. */
static int read_number(const struct option_key *key, const char *text,
		       long *ret)
{
	bool counts = !*key->words && !key->min && !key->initial;

	if (key->kind == KIND_SECONDS)
		return parse_seconds(text, key->min, key->max, ret);
	if (key->kind == KIND_SIZE)
		return parse_size(text, key->min, key->max, ret);
	if (counts && has_word(NO_WORDS, text, NULL))
		text = "0";
	else if (counts && key->max == 1 && has_word(YES_WORDS, text, NULL))
		text = "1";
	return parse_number(text, key->min, key->max, ret);
}

/* A value with a form of its own; its words are taken apart again where they
 * are needed. */
static int check_form(const struct option_key *key, const char *text,
		      struct err *err)
{
	union {
		struct end_signal end_signal;
		struct ladder ladder;
		struct groups groups;
		struct hang hang;
	} unused;

	switch (key->kind) {
	case KIND_HANG:
		return hang_parse(text, &unused.hang, err);
	case KIND_END_SIGNAL:
		return end_signal_parse(text, &unused.end_signal, err);
	case KIND_REQUEUE:
		return requeue_parse(text, err);
	case KIND_GROUPS:
		return groups_parse(text, &unused.groups, err);
	case KIND_LADDER:
		return ladder_parse(text, &unused.ladder, err);
	default:
		return 0;
	}
}

static int read_text(const struct option_key *key, const char *value,
		     char **ret, struct err *err)
{
	const char *text = *value ? text_value(key, value) : NULL;

	if (!text)
		return bad_value(key, value, err);
	if (check_form(key, text, err) < 0)
		return -1;
	if (key->fields &&
	    file_pattern_check(key->name, key->fields, text, err) < 0)
		return -1;
	*ret = strdup(text);
	return *ret ? 0 : err_memory(err);
}

int value_parse(const struct option_key *key, const char *text,
		struct option_value *ret, struct err *err)
{
	struct option_value v = {.word = -1};

	if (find_word(key, text, &v.word)) {
		/* a word */
	} else if (option_has_numbers(key) && key->kind != KIND_LIST) {
		if (read_number(key, text, &v.number) < 0)
			return bad_value(key, text, err);
	} else if (read_text(key, text, &v.text, err) < 0) {
		return -1;
	}
	*ret = v;
	return 0;
}
