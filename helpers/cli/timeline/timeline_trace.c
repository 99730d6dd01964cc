/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/timeline/timeline_cmd.h"

#include <string.h>

/* Between two events. */
static const struct {
	const char *name;
	enum record_event from, to;
} spans[] = {
	{"wait", RECORD_PLANNED, RECORD_EXCHANGED},
	{"table", RECORD_EXCHANGED, RECORD_STARTED},
	{"start", RECORD_STARTED, RECORD_OUTPUT},
	{"run", RECORD_OUTPUT, RECORD_ENDED},
};

/* Names come from a record that anyone may have written. */
static void put_text(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\' || c < 0x20 || c >= 0x7f)
			fprintf(f, "\\u%04x", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}

/* The number of a node: the rank of its first life. */
static unsigned node_number(const struct record *r, const struct life *l)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->life[i].node, l->node))
			return r->life[i].rank;
	return 0;
}

static void put_span(FILE *f, const struct record *r, const struct life *l,
		     unsigned pid, size_t i)
{
	double from = l->at_ms[spans[i].from], to = RECORD_NEVER;
	char end[32];

	for (int e = spans[i].to; e < RECORD_EVENTS && to == RECORD_NEVER; e++)
		to = l->at_ms[e];
	if (from == RECORD_NEVER)
		return;
	if (to == RECORD_NEVER)
		to = r->end_ms;
	fprintf(f,
		",\n{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,"
		"\"ts\":%.0f,\"dur\":%.0f,\"args\":{\"end\":\"%s\","
		"\"round\":%u}}",
		spans[i].name, pid, l->rank, from * 1000, (to - from) * 1000,
		life_end(l, end), l->round);
}

static void put_life(FILE *f, const struct record *r, const struct life *l)
{
	unsigned pid = node_number(r, l);

	fprintf(f,
		",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,"
		"\"args\":{\"name\":",
		pid);
	put_text(f, l->node);
	fprintf(f,
		"}},\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,"
		"\"tid\":%u,\"args\":{\"name\":\"rank %u\"}}",
		pid, l->rank, l->rank);
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++)
		put_span(f, r, l, pid, i);
	if (life_failed(l))
		fprintf(f,
			",\n{\"ph\":\"i\",\"s\":\"t\",\"name\":\"failure\","
			"\"pid\":%u,\"tid\":%u,\"ts\":%.0f}",
			pid, l->rank, l->at_ms[RECORD_ENDED] * 1000);
}

void timeline_trace(FILE *f, const struct record *r)
{
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
	      "{\"ph\":\"M\",\"name\":\"trace_name\",\"pid\":0,"
	      "\"args\":{\"name\":",
	      f);
	put_text(f, r->step);
	fputs("}}", f);
	for (size_t i = 0; i < r->n; i++)
		put_life(f, r, &r->life[i]);
	fputs("\n]}\n", f);
}
