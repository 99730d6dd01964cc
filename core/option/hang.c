/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/hang.h"

#include "core/base/parse.h"

#include <string.h>

#define TEXT_SIZE 32

static const char words[] = "report restart fail"; /* enum hang_act */

static int refuse(const char *text, struct err *err)
{
	const struct option_key *key = &option_keys[KEY_HANG];
	char shown[SHOW_SIZE];

	return err_printf(err,
			  "%s=%s: must be off, or a number of seconds from %ld "
			  "to %ld, or with s, m, h, and behind it nothing, "
			  ":report, :restart or :fail",
			  key->name, show(shown, text), key->min, key->max);
}

int hang_parse(const char *text, struct hang *ret, struct err *err)
{
	const struct option_key *key = &option_keys[KEY_HANG];
	size_t n = strcspn(text, ":");
	const char *word = text[n] ? text + n + 1 : "report";
	char time[TEXT_SIZE];
	long seconds;
	int act;

	if (n >= sizeof(time) ||
	    !word_find_any_case(words, word, strlen(word), &act))
		return refuse(text, err);
	memcpy(time, text, n);
	time[n] = '\0';
	if (parse_seconds(time, key->min, key->max, &seconds) < 0)
		return refuse(text, err);
	*ret = (struct hang){.seconds = seconds, .act = (enum hang_act)act};
	return 0;
}

void hang_of(const struct request *r, struct hang *ret)
{
	const char *text = request_text(r, KEY_HANG);
	struct err ignored;

	*ret = (struct hang){0};
	if (text)
		hang_parse(text, ret, &ignored);
}
