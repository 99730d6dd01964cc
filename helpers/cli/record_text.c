/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/utf8.h"
#include "helpers/cli/record_reader.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

bool record_number(const cJSON *o, const char *name, double max, double *ret)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);

	if (!cJSON_IsNumber(item) || item->valuedouble < 0 ||
	    item->valuedouble > max)
		return false;
	*ret = item->valuedouble;
	return true;
}

/* What is no text on a terminal becomes '?', but for the byte `kept`. */
static void make_plain(char *text, char kept)
{
	size_t n;

	for (; *text; text += n ? n : 1) {
		n = utf8_char(text, SIZE_MAX);
		if (*text == kept)
			continue;
		if (!n || !utf8_prints(text, n))
			memset(text, '?', n ? n : 1);
	}
}

bool record_text(const cJSON *o, const char *name, char *buf, size_t size)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);

	if (!cJSON_IsString(item))
		return false;
	snprintf(buf, size, "%s", item->valuestring);
	make_plain(buf, '\0');
	return true;
}

char *record_lines(const cJSON *o, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);
	char *text = cJSON_IsString(item) ? strdup(item->valuestring) : NULL;

	if (text)
		make_plain(text, '\n');
	return text;
}

const char *begin_text(const struct record *r, char buf[40])
{
	time_t t = (time_t)(r->begin_ms / 1000);
	struct tm tm;

	if (!gmtime_r(&t, &tm) ||
	    !strftime(buf, 40, "%Y-%m-%d %H:%M:%S UTC", &tm))
		*buf = '\0';
	return buf;
}
