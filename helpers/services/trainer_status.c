/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/services/metrics_http.h"

#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/facts/handover.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
	char *text;
	size_t size;
};

/* What doesn't fit is left out as a whole word. */
static void put(const struct line *line, const char *name, double value)
{
	size_t n = strlen(line->text);

	if (text_add(line->text, line->size, " ", "%s=%.10g", name, value) < 0)
		line->text[n] = '\0';
}

/* A member that is there, and isn't null. */
static const cJSON *member_of(const cJSON *object, const char *name)
{
	const cJSON *m = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsNull(m) ? NULL : m;
}

static int put_number(const struct line *line, const cJSON *status,
		      const char *member, const char *name, double max,
		      struct err *err)
{
	const cJSON *n = member_of(status, member);

	if (!n)
		return 0;
	if (!cJSON_IsNumber(n) ||
	    !(n->valuedouble >= 0 && n->valuedouble <= max))
		return err_printf(err, "%s must be a number from 0 to %.0f",
				  member, max);
	put(line, name, n->valuedouble);
	return 0;
}

/* --- metrics --- */

/* A value is a string; a client may write the number itself. */
static bool read_value(const cJSON *value, double *ret)
{
	const char *text = cJSON_GetStringValue(value);
	char *end = NULL;

	if (cJSON_IsNumber(value))
		*ret = value->valuedouble;
	else if (text)
		*ret = strtod(text, &end);
	return cJSON_IsNumber(value) || (text && end != text && !*end);
}

/* As a word of the line: letters, digits and some more. */
static void make_word(char ret[METRICS_NAME_MAX], const char *name)
{
	snprintf(ret, METRICS_NAME_MAX, "%s", name);
	for (; *ret; ret++)
		if (!isalnum((unsigned char)*ret) &&
		    !strchr(METRICS_NAME_MORE, *ret))
			*ret = '_';
}

/* The line's own names are those of the status. */
static int put_metric(const struct line *line, const cJSON *metric,
		      struct err *err)
{
	static const char own[] = METRICS_PERCENT " " METRICS_REMAINING;
	static const char step[] = "step current_step global_step";
	const cJSON *given = member_of(metric, "name");
	char name[METRICS_NAME_MAX];
	double value = 0;

	if (!cJSON_IsObject(metric))
		return err_printf(err, "a metric must be an object");
	if (given && !cJSON_IsString(given))
		return err_printf(err, "a metric's name must be a string");
	make_word(name, given ? given->valuestring : "");
	if (!*name || word_find(own, name, strlen(name), NULL) ||
	    !read_value(member_of(metric, "value"), &value) ||
	    (!isfinite(value) && strcmp(name, "loss") != 0))
		return 0;
	put(line, word_find(step, name, strlen(name), NULL) ? "step" : name,
	    value);
	return 0;
}

static int put_metrics(const struct line *line, const cJSON *list,
		       struct err *err)
{
	const cJSON *metric;

	if (list && !cJSON_IsArray(list))
		return err_printf(err, "metrics must be a list");
	cJSON_ArrayForEach(metric, list)
	{
		if (put_metric(line, metric, err) < 0)
			return -1;
	}
	return 0;
}

/* --- the status --- */

static int put_status(const struct line *line, const cJSON *body,
		      struct err *err)
{
	const cJSON *status = member_of(body, "trainerStatus");

	if (!body)
		return err_printf(err, "the body is no valid JSON");
	if (!cJSON_IsObject(body))
		return err_printf(err, "the body must be an object");
	if (status && !cJSON_IsObject(status))
		return err_printf(err, "trainerStatus must be an object");
	if (put_number(line, status, "progressPercentage", METRICS_PERCENT, 100,
		       err) < 0 ||
	    put_number(line, status, "estimatedRemainingSeconds",
		       METRICS_REMAINING, 1e9, err) < 0)
		return -1;
	return put_metrics(line, member_of(status, "metrics"), err);
}

int trainer_status_line(const char *json, char *line, size_t size,
			struct err *err)
{
	cJSON *body = cJSON_ParseWithOpts(json, NULL, true);
	int rc;

	*line = '\0';
	rc = put_status(&(struct line){line, size}, body, err);
	cJSON_Delete(body);
	return rc;
}
