/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/explain_show.h"

#include "core/base/parse.h"
#include "registry/component_options.h"
#include "registry/registry.h"

#include <stdlib.h>
#include <string.h>

/* With the component before. */
static int read_request(const struct srun_line *line, unsigned i,
			const struct config *config, struct explain_parts *p,
			struct err *err)
{
	const char *text = line->part[i].request;
	struct request *r = &p->request[i];

	if (!text)
		return err_printf(err,
				  "the line has no --%s="
				  "FRAMEWORK[,KEY=VALUE]...",
				  config->option);
	if (i && components_agree(line->part[i - 1].request, i - 1, text, i,
				  config, err) < 0)
		return -1;
	if (request_parse(text, config->defaults, config->allow, r, err) < 0)
		return -1;
	p->part[i].wish.word = request_word(r, KEY_PROCS);
	p->part[i].wish.n = (unsigned)request_number(r, KEY_PROCS);
	return 0;
}

/* The lists of all components, as they grow. */
struct lists {
	FILE *nodes, *tasks, *devices;
	unsigned nnodes;
	bool named; /* all have given names */
	bool npus, gpus;
};

static void add_layout(const struct step_layout *l, struct lists *all,
		       struct dryrun_part *part)
{
	const char *comma = all->nnodes ? "," : "";
	long n;

	part->cyclic = l->cyclic;
	part->plane = l->plane;
	if (parse_number(l->nodes, 1, HOSTLIST_MAX, &n) == 0) {
		part->nnodes = (unsigned)n;
		all->named = false;
	} else {
		hostlist_count(l->nodes, &part->nnodes);
	}
	all->nnodes += part->nnodes;
	fprintf(all->nodes, "%s%s", comma, l->nodes);
	fprintf(all->tasks, "%s%s", comma, l->tasks);
	fprintf(all->devices, "%s%s", comma, l->devices);
}

static int read_part(const struct srun_line *line, unsigned i,
		     const struct config *config, FILE *notes,
		     struct lists *all, struct explain_parts *p,
		     struct err *err)
{
	__attribute__((
		cleanup(step_layout_clear))) struct step_layout layout = {
		.nodes = NULL};

	p->n = i + 1;
	if (read_request(line, i, config, p, err) < 0 ||
	    step_layout_make(&line->part[i].ask, notes, &layout, err) < 0)
		return -1;
	all->npus = all->npus || layout.npu;
	all->gpus = all->gpus || (!layout.npu && *layout.devices != '0');
	if (all->npus && all->gpus)
		return err_printf(err, "GPUs in one component and NPUs in "
				       "another: their processes can't be one "
				       "world");
	add_layout(&layout, all, &p->part[i]);
	return 0;
}

/* Their number, where not all have names. */
static int number_nodes(const struct lists *all, struct explain_parts *p,
			struct err *err)
{
	if (all->named)
		return 0;
	free(p->nodes);
	if (asprintf(&p->nodes, "%u", all->nnodes) >= 0)
		return 0;
	p->nodes = NULL;
	return err_memory(err);
}

static int read_all(const struct srun_line *line, const struct config *config,
		    FILE *notes, struct explain_parts *p, bool *ret_npu,
		    struct err *err)
{
	size_t size[3];
	struct lists all = {
		.nodes = open_memstream(&p->nodes, &size[0]),
		.tasks = open_memstream(&p->tasks, &size[1]),
		.devices = open_memstream(&p->devices, &size[2]),
		.named = true,
	};
	bool there = all.nodes && all.tasks && all.devices;
	int rc = there ? 0 : err_memory(err);

	for (unsigned i = 0; rc == 0 && i < line->nparts; i++)
		rc = read_part(line, i, config, notes, &all, p, err);
	for (FILE **f = &all.nodes; f <= &all.devices; f++)
		if (*f)
			fclose(*f);
	*ret_npu = all.npus;
	return rc < 0 ? -1 : number_nodes(&all, p, err);
}

int explain_parts_read(const struct srun_line *line,
		       const struct config *config, FILE *notes,
		       struct explain_parts *ret, struct dryrun_spec *spec,
		       struct err *err)
{
	if (read_all(line, config, notes, ret, &spec->npu, err) < 0)
		return -1;
	spec->nodes = ret->nodes;
	spec->tasks = ret->tasks;
	spec->devices = ret->devices;
	spec->nparts = ret->n;
	spec->part = ret->part;
	return 0;
}

void explain_parts_clear(struct explain_parts *parts)
{
	for (unsigned i = 0; i < parts->n; i++)
		request_clear(&parts->request[i]);
	free(parts->nodes);
	free(parts->tasks);
	free(parts->devices);
	*parts = (struct explain_parts){.n = 0};
}
