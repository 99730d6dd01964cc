/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/timeline_facts.h"

static void put_line(FILE *f, const char *name, const char *text)
{
	if (*text)
		fprintf(f, "%-*s%s\n", *name ? 11 : 0, name, text);
}

static void put_rounds(FILE *f, const struct facts *facts)
{
	char name[32], from[32], took[32];

	if (facts->nrounds < 2)
		return;
	fputs("\nround         began at      lasted        failed\n", f);
	for (unsigned i = 0; i < facts->nrounds; i++) {
		const struct round *r = &facts->round[i];

		fprintf(f, "%-14s%-14s%-14s%u of %u\n",
			round_name(r->number, name),
			time_text(r->from_ms, from),
			time_text(r->to_ms - r->from_ms, took), r->nfailed,
			r->nprocs);
	}
}

static void put_marks(FILE *f, const struct record *r)
{
	char text[FACT_SIZE], time[32];
	bool any = false;

	for (size_t i = 0; i < r->nmarks; i++) {
		if (!*mark_text(&r->mark[i], text))
			continue;
		if (!any)
			fputs("\nat            node\n", f);
		any = true;
		fprintf(f, "%-14s%s\n", time_text(r->mark[i].at_ms, time),
			text);
	}
}

static void put_phases(FILE *f, const struct facts *facts)
{
	char median[32], most[32], name[48];

	if (!facts->nrounds)
		return;
	fputs("\nphase                     median        longest\n", f);
	for (int p = 0; p < PHASE_ENDED; p++) {
		const struct slowest *s = &facts->phase[p];

		if (!s->life)
			continue;
		fprintf(f, "%-26s%-14s%s (%s on %s)\n",
			phase_name((enum proc_phase)p),
			time_text(s->median_ms, median),
			time_text(s->max_ms, most), life_name(s->life, name),
			s->life->node);
	}
}

void timeline_text(FILE *f, const struct record *r, const struct facts *facts)
{
	char text[FACT_SIZE], begin[40];

	put_line(f, "step", r->step);
	put_line(f, "job", r->job_name);
	put_line(f, "framework", r->framework);
	put_line(f, "command", r->command);
	put_line(f, "began", begin_text(r, begin));
	put_line(f, "size", facts_size(r, facts, text));
	fputc('\n', f);
	facts_arrival(facts, text);
	put_line(f, "", text);
	facts_output(facts, text);
	put_line(f, "", text);
	facts_failure(facts, text);
	put_line(f, "", text);
	put_rounds(f, facts);
	put_marks(f, r);
	put_phases(f, facts);
}
