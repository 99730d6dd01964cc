/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/record_reader.h"

#include <cjson/cJSON.h>
#include <string.h>

#define OURS	     "dist-train: " /* before lines that the user has seen */
#define HAPPENED_MAX 60		    /* lines of what happened */

bool record_number(const cJSON *o, const char *name, double max, double *ret)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);

	if (!cJSON_IsNumber(item) || item->valuedouble < 0 ||
	    item->valuedouble > max)
		return false;
	*ret = item->valuedouble;
	return true;
}

bool record_text(const cJSON *o, const char *name, char *buf, size_t size)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);

	if (!cJSON_IsString(item))
		return false;
	snprintf(buf, size, "%s", item->valuestring);
	plain_text(buf, "");
	return true;
}

char *record_lines(const cJSON *o, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);
	char *text = cJSON_IsString(item) ? strdup(item->valuestring) : NULL;

	if (text)
		plain_text(text, "\n");
	return text;
}

const char *utc_text(double ms, char buf[40])
{
	time_t t = (time_t)(ms / 1000);
	struct tm tm;

	if (!gmtime_r(&t, &tm) ||
	    !strftime(buf, 40, "%Y-%m-%d %H:%M:%S UTC", &tm))
		*buf = '\0';
	return buf;
}

/* --- what happened --- */

const char *text_unnamed(const char *text)
{
	size_t n = strlen(OURS);

	return strncmp(text, OURS, n) == 0 ? text + n : text;
}

/* "node2 lost: WHY" */
static void node_line(const struct node_mark *m, const char *what,
		      const char *text, int n, char buf[MARK_LINE_SIZE])
{
	snprintf(buf, MARK_LINE_SIZE, "%s %s%s%.*s", m->node, what,
		 n ? ": " : "", n, text);
}

static void round_line(const struct node_mark *m, char buf[MARK_LINE_SIZE])
{
	if (m->round)
		snprintf(buf, MARK_LINE_SIZE,
			 "round %u begins: %u processes on %u nodes", m->round,
			 m->world_size, m->nnodes);
}

const char *mark_line(const struct node_mark *m, char buf[MARK_LINE_SIZE])
{
	const char *text = text_unnamed(m->text);
	int n = (int)strcspn(text, "\n");
	bool named = !strncmp(text, m->world, strlen(m->world));

	snprintf(buf, MARK_LINE_SIZE, "%s%s%.*s", named ? "" : m->world,
		 named ? "" : ": ", n, text);
	switch (m->mark) {
	case MARK_SPARE:
		node_line(m, "is a spare", "", 0, buf);
		break;
	case MARK_LOST:
	case MARK_CONDEMNED:
		node_line(m, mark_word(m->mark), text, n, buf);
		break;
	case MARK_CHECK:
		node_line(m, "checked", text, n, buf);
		break;
	case MARK_REPLACED:
		snprintf(buf, MARK_LINE_SIZE, "%s has the place of %s", m->by,
			 m->node);
		break;
	case MARK_ROUND:
		round_line(m, buf);
		break;
	case MARK_RUNS:
		snprintf(buf, MARK_LINE_SIZE,
			 "all processes have been started");
		break;
	case MARK_FAILURE:
		if (!n)
			snprintf(buf, MARK_LINE_SIZE,
				 "%s%s%s has failed first, exit code %d",
				 m->world, *m->world ? " on " : "", m->node,
				 m->code);
		break;
	case MARK_STACKS:
		snprintf(buf, MARK_LINE_SIZE, "stacks in %.*s", n, text);
		break;
	case MARK_WORLD:
		if (!strcmp(m->state, "started") || !strcmp(m->state, "ending"))
			*buf = '\0'; /* what follows says it */
		else if (!n)
			snprintf(buf, MARK_LINE_SIZE, "%s %s %s", m->world,
				 !strcmp(m->state, "restarted") ? "has" : "is",
				 m->state);
		break;
	case MARK_END:
		snprintf(buf, MARK_LINE_SIZE, "the step ends, exit code %d",
			 m->code);
		break;
	default:
		break;
	}
	return buf;
}

static size_t count_lines(const struct record *r)
{
	char line[MARK_LINE_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < r->nmarks; i++)
		n += *mark_line(&r->mark[i], line) != '\0';
	return n;
}

/* Of many the first and the last ones. */
void record_happened(FILE *f, const struct record *r)
{
	size_t all = count_lines(r), half = HAPPENED_MAX / 2, n = 0;
	char line[MARK_LINE_SIZE], time[32];

	for (size_t i = 0; i < r->nmarks; i++) {
		if (!*mark_line(&r->mark[i], line))
			continue;
		if (!n++)
			fputs("\nwhat happened:\n", f);
		if (all <= HAPPENED_MAX || n <= half || n > all - half)
			fprintf(f, "  %-12s %s\n",
				time_text(r->mark[i].at_ms, time), line);
		else if (n == half + 1)
			fprintf(f, "  ... %zu more in the record\n",
				all - 2 * half);
	}
}

void record_put(FILE *f, const char *name, const char *text)
{
	if (*text)
		fprintf(f, "%-10s %s\n", name, text);
}
