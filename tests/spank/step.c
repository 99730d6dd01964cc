/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned step_id(const char *text)
{
	static const struct {
		const char *word;
		unsigned id;
	} words[] = {
		{"batch", SLURM_BATCH_SCRIPT},
		{"extern", SLURM_EXTERN_CONT},
		{"interactive", SLURM_INTERACTIVE_STEP},
		{"pending", SLURM_PENDING_STEP},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].word, text))
			return words[i].id;
	return (unsigned)strtoul(text, NULL, 10);
}

/* "node1:0,1,4" */
static void read_node(char *item, struct step *s)
{
	char *save = NULL, *colon = strchr(item, ':');
	struct node *n = &s->node[s->nnodes++];

	if (!colon || s->nnodes == NODES_MAX)
		errx(1, "layout: %s isn't NODE:TASK[,TASK]", item);
	*colon = '\0';
	snprintf(n->name, sizeof(n->name), "%s", item);
	for (char *t = strtok_r(colon + 1, ",", &save); t;
	     t = strtok_r(NULL, ",", &save)) {
		n->task[n->ntasks++] = (unsigned)strtoul(t, NULL, 10);
		s->ntasks++;
	}
}

void step_read(struct range head, struct step *ret)
{
	const char *job = range_get(head, "job");
	const char *layout = range_get(head, "layout");
	char *copy = strdup(layout ? layout : "node1:0"), *save = NULL;
	char id[32] = "0";
	struct step s = {.job_id = 7};

	if (job && sscanf(job, "%u.%31s", &s.job_id, id) != 2)
		errx(1, "job: %s isn't JOB.STEP", job);
	s.step_id = step_id(id);
	for (char *item = strtok_r(copy, " ", &save); item;
	     item = strtok_r(NULL, " ", &save))
		read_node(item, &s);
	free(copy);
	*ret = s;
}

char *step_node_list(const struct step *step)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (unsigned i = 0; i < step->nnodes; i++)
		fprintf(f, "%s%s", i ? "," : "", step->node[i].name);
	fclose(f);
	return text;
}

const char *step_tasks_per_node(const struct step *s, char ret[STEP_TASKS_SIZE])
{
	*ret = '\0';
	for (unsigned i = 0; i < s->nnodes; i++)
		snprintf(ret + strlen(ret), STEP_TASKS_SIZE - strlen(ret),
			 "%s%u", i ? "," : "", s->node[i].ntasks);
	return ret;
}
