/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that are taken, and requests that are refused. */
#ifndef DT_TESTS_OPTION_H
#define DT_TESTS_OPTION_H

#include "core/option/option.h"
#include "core/plan/framework.h"

#include "registry/request.h"
#include "tests/unit/unit.h"

static inline int parse(const char *text, struct request *r, struct err *err)
{
	err->text[0] = '\0';
	return request_parse(text, NULL, NULL, r, err);
}

static inline void parse_ok(const char *text, struct request *r)
{
	struct err err;

	if (parse(text, r, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

/* An error is one line that prints, and leaves the request as it was. */
static inline void refused(const char *text, const char *defaults,
			   const char *allow, const char *why)
{
	struct request r, before;
	struct err err;

	memset(&r, UNTOUCHED, sizeof(r));
	before = r;
	if (request_parse(text, defaults, allow, &r, &err) == 0)
		fail_msg("'%.80s' is accepted", text);
	assert_memory_equal(&r, &before, sizeof(r));
	for (const char *p = err.text; *p; p++)
		assert_in_range((unsigned char)*p, 0x20, 0x7e);
	if (!strstr(err.text, why))
		fail_msg("'%s' isn't in '%s'", why, err.text);
}

/* FRAMEWORK,KEY=VALUE with any VALUE is refused with its reason. */
static inline void refused_value(const char *key, const char *value,
				 const char *why)
{
	char *text;

	assert_true(asprintf(&text, "ddp,%s=%s", key, value) > 0);
	refused(text, NULL, NULL, why);
	free(text);
}

#endif
