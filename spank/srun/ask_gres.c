/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In srun: the devices of each node of the step, from the step's layout and
 * the records of job and step. Called by srun_hand_over() when the number of
 * processes or the rank table depends on other nodes' devices.
 */
#include "spank/srun/srun.h"

#include "core/base/parse.h"
#include "core/base/runlength.h"
#include "core/facts/device.h"
#include "spank/slurm/cmdline.h"
#include "spank/slurm/slurmctld.h"
#include "spank/slurm/step_gres.h"
#include "sys/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX                                                               \
	100000 /* bytes of the list of indices, which is passed on in a        \
		  variable */

/* What the functions below work on. */
struct survey {
	const job_info_t *job;
	const job_step_info_t *step;
	const slurm_step_layout_t *layout;
	const char *name; /* of the devices */
	bool generic;
	bool shared; /* `name` is parts of GPUs, and GPUs count */
	struct ask_gres_wish wish;
	struct hostindex job_nodes, step_nodes;
};

bool gres_may_be_generic(void)
{
	const char *name = gres_generic_name(slurmctld_gres_types());

	return name && !own_job_lacks(name);
}

bool gres_may_have_domain(const struct gres *gres, const struct resolved *w)
{
	const char *types = slurmctld_gres_types();

	if (w->npu || gres->generic)
		return true;
	return w->needs & NEEDS_DEVICES && types &&
	       word_find(types, "gpu", 3, NULL) && !own_job_lacks("gpu");
}

static bool is_uncounted(const job_info_msg_t *jobs, const char *name)
{
	const char *types = slurmctld_gres_types();

	if (!name || !types || !word_find(types, name, strlen(name), NULL))
		return false;
	for (uint32_t i = 0; i < jobs->record_count; i++)
		if (step_gres_total(&jobs->job_array[i], name))
			return true;
	return false;
}

const char *gres_uncounted(unsigned job_id, bool generic)
{
	const char *types = slurmctld_gres_types();
	const char *name = generic ? gres_generic_name(types) : NULL;
	const char *found = NULL;
	job_info_msg_t *jobs;
	struct err ignored;

	for (size_t i = 0; !name && gres_counted_name(i); i++)
		if (types && word_find(types, gres_counted_name(i),
				       strlen(gres_counted_name(i)), NULL))
			name = gres_counted_name(i);
	jobs = name ? slurmctld_job(job_id, &ignored) : NULL;
	if (!jobs)
		return NULL;
	if (generic && is_uncounted(jobs, gres_generic_name(types)))
		found = gres_generic_name(types);
	for (size_t i = 0; !found && gres_counted_name(i); i++)
		if (is_uncounted(jobs, gres_counted_name(i)))
			found = gres_counted_name(i);
	slurm_free_job_info_msg(jobs);
	return found;
}

/* The job's devices on the layout's i-th node. */
static int job_devices(const struct survey *s, unsigned i, struct idlist *ret,
		       struct err *err)
{
	const char *node;
	unsigned at;

	if (i >= s->step_nodes.n)
		return err_printf(err, "the step's layout has no node %u", i);
	node = s->step_nodes.name[i];
	if (hostindex_find(&s->job_nodes, node, &at) < 0)
		return err_printf(err, "node %s isn't a node of the job", node);
	return step_gres_of_job(s->job, at, node, s->name, ret, err);
}

/* Devices that came with whole nodes are no step's that doesn't ask. */
static void say_unasked(const struct survey *s)
{
	const job_info_t *j = s->job;
	unsigned long n = step_gres_total(j, s->name) / j->gres_detail_cnt;

	if (!n || step_gres_asked(s->step) ||
	    step_gres_named(j->tres_per_node) ||
	    step_gres_named(j->tres_per_task) ||
	    step_gres_named(j->tres_per_job) ||
	    step_gres_named(j->tres_per_socket))
		return;
	log_line("the job has whole nodes with %lu %s each, but this step has "
		 "asked for none of them; srun --gres=%s:%lu gives it these, "
		 "--gres=none says that it needs none",
		 n, s->name, s->name, n);
}

static int node_share(const struct survey *s, unsigned i,
		      struct idlist *ret_all, unsigned *ret, struct err *err)
{
	if (job_devices(s, i, ret_all, err) < 0)
		return -1;
	if (s->shared && step_gres_asked(s->step)) {
		*ret = ret_all->n;
		return 0;
	}
	return step_gres_share(s->job, s->step, s->name,
			       s->layout->task_cnt == s->layout->node_cnt,
			       ret_all->n, ret, err);
}

/* "8(x2),4" over the tasks in the order of their ids. */
static int find_counts(const struct survey *s, char **ret, struct err *err)
{
	const slurm_step_layout_t *l = s->layout;
	cleanup_free unsigned *count = calloc(l->node_cnt, sizeof(*count));
	struct idlist all;

	if (!count)
		return err_memory(err);
	for (unsigned i = 0; i < l->node_cnt; i++) {
		unsigned task = l->tasks[i] == 1 ? l->tids[i][0] : i;

		if (task >= l->node_cnt ||
		    node_share(s, i, &all, &count[task], err) < 0)
			return task >= l->node_cnt
				       ? err_printf(err,
						    "task %u has no node in "
						    "the step's layout",
						    task)
				       : -1;
	}
	*ret = runlength_text(count, l->node_cnt);
	return *ret ? 0 : err_memory(err);
}

static int refuse_subset(const struct survey *s, unsigned has, unsigned of,
			 struct err *err)
{
	const char *name = s->name;

	if (!s->generic)
		return err_printf(
			err,
			"exchange=none: Slurm doesn't say which %u of the "
			"job's %u %s on a node belong to this step; give the "
			"step all of them, or use exchange=auto",
			has, of, name);
	return step_gres_refuse_part(name, has, of, err);
}

/* "node1,node2:0-7;node3:0,1": runs of nodes with the same indices. */
static int find_indices(const struct survey *s, char **ret, struct err *err)
{
	char list[1024], last[1024] = "";
	cleanup_free char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct idlist all;
	int rc = f ? 0 : err_memory(err);

	for (unsigned i = 0; rc == 0 && i < s->layout->node_cnt; i++) {
		const char *node;
		unsigned n;

		rc = node_share(s, i, &all, &n, err);
		if (rc == 0 && n && n < all.n)
			rc = refuse_subset(s, n, all.n, err);
		if (rc < 0 || !n)
			continue;
		node = s->step_nodes.name[i];
		idlist_format(&all, list, sizeof(list));
		if (*last && strcmp(last, list) != 0)
			fprintf(f, ":%s;%s", last, node);
		else
			fprintf(f, "%s%s", *last ? "," : "", node);
		strcpy(last, list);
	}
	if (f && *last)
		fprintf(f, ":%s", last);
	if (f)
		fclose(f);
	if (rc == 0 && size > TEXT_MAX)
		rc = err_printf(err,
				"the list of the devices of %u nodes has %zu "
				"bytes; at most %d are possible",
				s->layout->node_cnt, size, TEXT_MAX);
	if (rc == 0 && size) {
		*ret = text;
		text = NULL;
	}
	return rc;
}

/* Whether all nodes have the same devices, so that one of them stands for
 * all. */
static bool is_uniform(const struct survey *s)
{
	const job_info_t *j = s->job;

	for (unsigned i = 1; i < j->gres_detail_cnt; i++)
		if (!j->gres_detail_str[i] ||
		    strcmp(j->gres_detail_str[i], j->gres_detail_str[0]) != 0)
			return false;
	return true;
}

/* Whether a missing list of indices is an error. */
static bool must_tell(const struct survey *s)
{
	return s->generic || s->wish.must;
}

static int find_uniform(const struct survey *s, struct gres *ret,
			struct err *err)
{
	char list[1024];
	struct idlist all;
	unsigned n;

	if (node_share(s, 0, &all, &n, err) < 0)
		return -1;
	if (must_tell(s) && n && n < all.n)
		return refuse_subset(s, n, all.n, err);
	if (s->wish.counts &&
	    asprintf(&ret->counts, "%u(x%u)", n, s->layout->node_cnt) < 0)
		return err_memory(err);
	idlist_format(&all, list, sizeof(list));
	if ((s->generic || s->wish.indices) && n == all.n && n &&
	    asprintf(&ret->indices, "%s:%s", s->layout->node_list, list) < 0)
		return err_memory(err);
	return 0;
}

static int find_all(const struct survey *s, struct gres *ret, struct err *err)
{
	struct err ignored;

	if (is_uniform(s))
		return find_uniform(s, ret, err);
	if (s->wish.counts && find_counts(s, &ret->counts, err) < 0)
		return -1;
	if (must_tell(s))
		return find_indices(s, &ret->indices, err);
	if (s->wish.indices)
		find_indices(s, &ret->indices, &ignored);
	return 0;
}

/* Which kind of devices the job has, if any that matters here. */
static bool has_devices(struct survey *s)
{
	s->name = "gpu";
	if (step_gres_total(s->job, s->name))
		return s->wish.counts || s->wish.indices;
	s->name = gres_generic_name(slurmctld_gres_types());
	s->generic = s->name && step_gres_total(s->job, s->name);
	if (s->generic || !s->wish.counts)
		return s->generic;
	s->wish.indices = false;
	for (size_t i = 0; (s->name = gres_counted_name(i)); i++)
		if (step_gres_total(s->job, s->name))
			return true;
	s->shared = true;
	for (size_t i = 0; (s->name = gres_shared_name(i)); i++)
		if (step_gres_total(s->job, s->name))
			return true;
	return false;
}

/* Each node is looked up, and a large step has many. */
static int find_by_node(struct survey *s, struct gres *ret, struct err *err)
{
	int rc = hostindex_make(s->job->nodes, &s->job_nodes, err);

	if (rc == 0)
		rc = hostindex_make(s->layout->node_list, &s->step_nodes, err);
	if (rc == 0)
		rc = find_all(s, ret, err);
	hostindex_clear(&s->job_nodes);
	hostindex_clear(&s->step_nodes);
	return rc;
}

static int survey_step(struct survey *s, const struct srun_step *step,
		       struct gres *ret, struct err *err)
{
	job_step_info_response_msg_t *steps;
	slurm_step_layout_t *layout;
	int rc;

	layout = slurmctld_layout(step->job_id, step->step_id, err);
	if (!layout)
		return -1;
	steps = slurmctld_step(step->job_id, step->step_id, err);
	if (!steps) {
		slurm_job_step_layout_free(layout);
		return -1;
	}
	s->layout = layout;
	s->step = &steps->job_steps[0];
	rc = find_by_node(s, ret, err);
	if (rc == 0 && s->wish.counts && !cmdline_has("--gres=none"))
		say_unasked(s);
	ret->generic = s->generic && ret->indices;
	slurm_free_job_step_info_response_msg(steps);
	slurm_job_step_layout_free(layout);
	return rc;
}

int ask_gres(const struct srun_step *step, const struct ask_gres_wish *wish,
	     struct gres *ret, struct err *err)
{
	job_info_msg_t *jobs = slurmctld_job(step->job_id, err);
	struct gres gres = {0};
	struct survey s = {.wish = *wish};
	int rc = 0;

	if (!jobs)
		return -1;
	s.job = &jobs->job_array[0];
	if (has_devices(&s))
		rc = survey_step(&s, step, &gres, err);
	slurm_free_job_info_msg(jobs);
	if (rc < 0)
		gres_clear(&gres);
	else
		*ret = gres;
	return rc;
}

void gres_clear(struct gres *gres)
{
	free(gres->counts);
	free(gres->indices);
	*gres = (struct gres){0};
}
