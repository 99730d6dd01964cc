/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/step/hang_report.h"

#include "core/base/text.h"
#include "sys/proc_file.h"

#include <stdio.h>
#include <string.h>

#define US "dist-train: "

/* Of a group's first members. */
#define WHO_MAX 4

static void put_duration(FILE *f, uint64_t ms)
{
	char text[32];

	fputs(time_text((double)ms, text), f);
}

/* --- what each sign says --- */

static const char *tools(const struct stacks *stacks)
{
	const struct stack_proc *const *proc;
	unsigned n = stacks_procs(stacks, &proc);

	for (unsigned i = 0; i < n; i++)
		if (strcmp(proc[i]->tool, "proc") != 0)
			return proc[i]->tool;
	return NULL;
}

static void put_signs(FILE *f, const struct hang_facts *facts)
{
	unsigned nbusy = samples_nbusy(facts->samples);
	const char *tool = tools(facts->stacks);

	fputs(US "signs: less than 1 KiB/s read or written; ", f);
	if (nbusy)
		fprintf(f, "%u rank%s use%s CPU, in a loop; ", nbusy,
			nbusy == 1 ? "" : "s", nbusy == 1 ? "s" : "");
	else
		fputs("no CPU in use; ", f);
	fprintf(f, "the same stacks in %u samples (%s)\n",
		samples_count(facts->samples),
		tool ? tool : "by /proc alone: py-spy would show functions");
	if (facts->normal_ms) {
		fputs(US "the longest pause of this step before was ", f);
		put_duration(f, facts->normal_ms);
		fputs("\n", f);
	}
}

/* --- the groups --- */

static void put_processes(FILE *f, const struct stack_group *g,
			  const struct samples *samples)
{
	for (unsigned i = 0; i < g->n && i < WHO_MAX; i++) {
		const struct stack_proc *p = g->proc[i];

		fprintf(f, US "    rank %ld: pid %ld on %s, %s%s\n", p->rank,
			p->pid, p->node, proc_state_words(p->state),
			samples_is_busy(samples, p->rank) ? ", uses CPU" : "");
	}
	if (g->n > WHO_MAX)
		fprintf(f, US "    and %u more\n", g->n - WHO_MAX);
}

static void put_group(FILE *f, const struct stack_group *g,
		      const struct samples *samples)
{
	char line[STACK_LINE_SIZE];

	stack_group_line(g, line);
	fprintf(f, US "  %s%s%s%s%s\n", g->suspect ? "suspect: " : "", line,
		g->suspect && g->why ? " (" : "",
		g->suspect && g->why ? g->why : "",
		g->suspect && g->why ? ")" : "");
	if (g->suspect)
		put_processes(f, g, samples);
}

static void put_groups(FILE *f, const struct hang_facts *facts)
{
	const struct stack_group *g;
	unsigned n = stacks_group(facts->stacks, &g), shown = 0;

	for (int suspects = 1; suspects >= 0; suspects--)
		for (unsigned i = 0; i < n && shown < REPORT_GROUPS; i++)
			if (g[i].suspect == suspects) {
				put_group(f, &g[i], facts->samples);
				shown++;
			}
	if (n > shown)
		fprintf(f, US "  and %u more groups\n", n - shown);
}

/* --- all of it --- */

static void put_what_follows(FILE *f, const struct hang_facts *facts)
{
	long s = facts->hang->seconds;
	char why[256];

	switch (facts->follows) {
	case HANG_RESTARTS:
		fprintf(f, US "its processes start again (hang=%ld:restart)\n",
			s);
		break;
	case HANG_REPLACES:
		fprintf(f,
			US "a spare takes the place of %s (hang=%ld:restart)\n",
			hang_node(facts->stacks, why, sizeof(why)), s);
		break;
	case HANG_NO_RESTART:
		fprintf(f,
			US "no restart is left: the step ends "
			   "(hang=%ld:restart, restarts=N)\n",
			s);
		break;
	case HANG_ENDS:
		fprintf(f, US "the step ends (hang=%ld:fail)\n", s);
		break;
	default:
		fprintf(f,
			US "the step goes on: `dist-train stack %s --all` "
			   "shows whole stacks; hang=%ld:restart would start "
			   "its processes again, hang=%ld:fail end it\n",
			facts->step, s, s);
	}
}

char *hang_report(const struct hang_facts *facts)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	if (!f)
		return NULL;
	fputs(US "hang: no rank has worked for ", f);
	put_duration(f, facts->quiet_ms);
	fprintf(f, " (hang=%ld)\n", facts->hang->seconds);
	put_groups(f, facts);
	put_signs(f, facts);
	put_what_follows(f, facts);
	return text_stream_take(&stream);
}

/* --- a node --- */

const char *hang_suspect(struct stacks *stacks)
{
	const struct stack_group *g;
	unsigned n = stacks_group(stacks, &g);

	for (unsigned i = 0; i < n; i++)
		if (g[i].suspect)
			return g[i].proc[0]->node;
	return NULL;
}

static bool is_nodes_fault(const struct stack_group *g)
{
	return g->does == STACK_STOPPED || g->does == STACK_DISK;
}

const char *hang_node(struct stacks *stacks, char *why, size_t size)
{
	const struct stack_group *g;
	unsigned n = stacks_group(stacks, &g);
	const char *node = NULL;

	for (unsigned i = 0; i < n; i++) {
		if (!g[i].suspect)
			continue;
		if (!is_nodes_fault(&g[i]))
			return NULL;
		for (unsigned k = 0; k < g[i].n; k++) {
			if (node && strcmp(node, g[i].proc[k]->node) != 0)
				return NULL;
			node = g[i].proc[k]->node;
		}
		snprintf(why, size,
			 "has a rank that hangs (rank %ld, pid %ld, %s)",
			 g[i].proc[0]->rank, g[i].proc[0]->pid,
			 proc_state_words(g[i].proc[0]->state));
	}
	return node;
}
