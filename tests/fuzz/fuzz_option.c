/* SPDX-License-Identifier: Apache-2.0 */
/* Lines: the option's text, the administrator's defaults. */
#include "core/option/option.h"
#include "core/plan/framework.h"

#include "registry/registry.h"
#include "tests/fuzz/fuzz.h"

static void check_value(const struct option_key *key,
			const struct option_value *v)
{
	bool is_number = option_has_numbers(key) && key->kind != KIND_LIST;
	bool number = is_number && v->word < 0;
	bool text = !is_number && v->word < 0;
	/* A file's name may have blanks. */
	unsigned char lowest = key->kind == KIND_PATH ? 0x20 : 0x21;

	RULE(v->word >= -1 && v->word < 16);
	if (number)
		RULE(v->number >= key->min && v->number <= key->max);
	/* Text without a value: only a key that nobody gave. */
	if (!text)
		RULE(!v->text);
	else if (v->source == VALUE_OPTION || *key->words)
		RULE(v->text && *v->text);
	else
		RULE(!v->text || *v->text);
	for (const char *p = v->text ? v->text : ""; *p; p++)
		RULE((unsigned char)*p >= lowest && *p != 0x7f);
}

static void check_request(const struct request *r, const char *text)
{
	RULE(!r->framework || r->framework->summary);
	RULE(!r->framework == value_is_off(text));
	for (int i = 0; i < KEY_COUNT; i++) {
		const struct option_key *key = request_key(r, (enum key_id)i);

		if (key)
			check_value(key, &r->key[i]);
	}
}

static void parse(const char *text, const char *defaults, const char *allow)
{
	struct request r = {.framework = (const struct framework *)&r};
	struct err err = {""};

	if (request_parse(text, defaults, allow, &r, &err) < 0) {
		RULE(r.framework == (const struct framework *)&r);
		fuzz_check_error(err.text);
		return;
	}
	check_request(&r, text);
	request_clear(&r);
	RULE(!r.framework);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	char *defaults = strchr(text, '\n');
	struct err err = {""};

	if (defaults)
		*defaults++ = '\0';
	parse(text, NULL, NULL);
	parse(text, NULL, "ddp,env");
	parse(text, defaults, NULL);
	/* What was checked as a default makes a request fail only by keys that
	 * no step can have together. */
	if (defaults && request_check_defaults(defaults, &err) == 0) {
		struct request r;

		if (request_parse("ddp", defaults, NULL, &r, &err) < 0) {
			fuzz_check_error(err.text);
		} else {
			check_request(&r, "ddp");
			request_clear(&r);
		}
	} else if (defaults) {
		fuzz_check_error(err.text);
	}
	free(text);
	return 0;
}
