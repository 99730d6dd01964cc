/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/step_find.h"

#include "core/base/parse.h"
#include "core/base/text.h"
#include "sys/subprocess.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_STEP	       ((unsigned long)-1)
#define COMPONENTS_MAX 64 /* of a heterogeneous job */

/* 1: a heterogeneous job, of which a component is to be named. */
static int read_job(const char *job, struct job_text *ret, struct err *err)
{
	cleanup_free char *text = scontrol_show("job", job, err);

	return text ? job_text_read(text, job, ret, err) : -1;
}

/* --- nodes --- */

struct list {
	char *text;
	size_t n, size;
	unsigned left;
};

static int add_name(void *arg, const char *name)
{
	struct list *list = arg;

	if (!list->left)
		return 1;
	list->left--;
	list->n += (size_t)snprintf(list->text + list->n, list->size - list->n,
				    "%s%s", list->n ? "," : "", name);
	return 0;
}

/* The first of them, as a list for scontrol. NULL: out of memory. */
static char *first_nodes(const char *nodes)
{
	struct list list = {
		.size = (size_t)FOUND_NODES_MAX * HOSTLIST_NAME_MAX,
		.left = FOUND_NODES_MAX,
	};

	list.text = calloc(1, list.size);
	if (list.text)
		hostlist_each(nodes, add_name, &list);
	return list.text;
}

static int read_nodes(const char *nodes, struct found_step *ret,
		      struct err *err)
{
	cleanup_free char *names = first_nodes(nodes);
	cleanup_free char *text = NULL;
	char host[HOSTLIST_NAME_MAX];

	ret->node = calloc(FOUND_NODES_MAX, sizeof(*ret->node));
	if (!names || !ret->node)
		return err_memory(err);
	text = scontrol_show("node", names, err);
	if (!text)
		return -1;
	for (const char *line = text; *line && ret->nfound < FOUND_NODES_MAX;
	     line = text_next_line(line)) {
		struct found_node *node = &ret->node[ret->nfound];

		if (!text_value(line, "NodeName", node->name,
				sizeof(node->name)) ||
		    !text_value(line, "NodeAddr", node->addr,
				sizeof(node->addr)))
			continue;
		ret->nfound++;
		if (text_value(line, "NodeHostName", host, sizeof(host)) &&
		    !strcmp(host, ret->srun.name))
			ret->srun = *node; /* no name need lead there */
	}
	return ret->nfound
		       ? 0
		       : err_printf(err, "Slurm knows no nodes %.100s: %.*s",
				    nodes, (int)strcspn(text, "\n"), text);
}

/* --- the step --- */

static void say_which(const struct found_step *step, unsigned nrunning)
{
	if (nrunning > 1)
		fprintf(stderr,
			"dist-train: %u steps of the job run; this is the "
			"newest, %s\n",
			nrunning, step->name);
}

/* "HOST:PID", or "(null):0" */
static void read_srun(const char *text, struct found_step *ret)
{
	const char *colon = strrchr(text, ':');
	long pid;

	if (!colon || parse_number(colon + 1, 1, INT_MAX, &pid) < 0)
		return;
	ret->srun_pid = (unsigned)pid;
	snprintf(ret->srun.name, sizeof(ret->srun.name), "%.*s",
		 (int)(colon - text), text);
	plain_text(ret->srun.name, "");
	memcpy(ret->srun.addr, ret->srun.name, sizeof(ret->srun.addr));
}

static int read_step(const struct job_text *job, long wanted,
		     struct found_step *ret, struct err *err)
{
	char id[32], name[STEP_NAME_SIZE];
	const char *base = *job->shown ? job->shown : job->plain;
	cleanup_free char *text = NULL, *nodes = NULL;
	struct step_text step;

	snprintf(id, sizeof(id), "%lu", job->id);
	text = scontrol_show("step", id, err);
	if (!text)
		return -1;
	step_text_read(text, job, wanted, &step);
	ret->running = step.step >= 0;
	if (!ret->running)
		step.step = wanted;
	ret->step_id = step.step < 0 ? NO_STEP : (unsigned long)step.step;
	snprintf(name, sizeof(name), "%.*s", (int)strlen(base) - 1, base);
	snprintf(ret->name, sizeof(ret->name), step.step < 0 ? "%s" : "%s.%ld",
		 name, step.step);
	if (!ret->running)
		return 0;
	if (step.uid != job->uid)
		return err_printf(err, "step %s isn't of the job's user",
				  ret->name);
	if (wanted < 0)
		say_which(ret, step.nrunning);
	read_srun(step.srun, ret);
	nodes = strndup(step.nodes, step.nodes_len);
	if (!nodes || hostlist_count(nodes, &ret->nnodes) < 0)
		return err_memory(err);
	return read_nodes(nodes, ret, err);
}

static int find_in_job(const struct job_text *job, long wanted,
		       struct found_step *ret, struct err *err)
{
	*ret = (struct found_step){
		.job_id = job->leader,
		.restart = job->restart,
		.uid = job->uid,
		.gid = job->gid,
	};
	snprintf(ret->job_state, sizeof(ret->job_state), "%s", job->state);
	if (read_step(job, wanted, ret, err) == 0)
		return 0;
	found_step_clear(ret);
	return -1;
}

/* The first that has such a step; else the first of all. */
static int find_in_components(const char *job, long wanted,
			      struct found_step *ret, struct err *err)
{
	struct job_text component;
	char name[STEP_NAME_SIZE + 4];
	struct found_step first;
	struct err none;
	int rc = -1;

	for (unsigned i = 0; i < COMPONENTS_MAX; i++) {
		snprintf(name, sizeof(name), "%s+%u", job, i);
		if (read_job(name, &component, i ? &none : err) != 0)
			break;
		rc = find_in_job(&component, wanted, ret, err);
		if (rc < 0 || ret->running)
			return rc;
		if (!i)
			first = *ret;
	}
	if (rc == 0)
		*ret = first;
	return rc;
}

/* The job that is meant when none is named, into `job`. */
static int find_own(char job[STEP_NAME_SIZE], struct err *err)
{
	const char *here = getenv("SLURM_JOB_ID");
	cleanup_free char *text = here ? NULL : squeue_own(err);
	char all[256] = "";
	unsigned njobs = 0;

	if (!here && !text)
		return -1;
	snprintf(job, STEP_NAME_SIZE, "%s", here ? here : "");
	for (const char *p = here ? "" : text; *p; p = text_next_line(p)) {
		int n = (int)strspn(p, "0123456789_"); /* 12, 12_3, 12+0 */
		size_t used = strlen(all);

		if (!n)
			return err_printf(err, "squeue: %.*s",
					  (int)strcspn(p, "\n"), p);
		if (strlen(job) == (size_t)n && !strncmp(job, p, (size_t)n))
			continue; /* the next component */
		snprintf(job, STEP_NAME_SIZE, "%.*s", n, p);
		snprintf(all + used, sizeof(all) - used, "%s%s",
			 njobs++ ? ", " : "", job);
	}
	if (njobs > 1)
		return err_printf(err, "%u jobs of yours run: name one of %s",
				  njobs, all);
	return *job ? 0
		    : err_printf(err, "no job of yours runs; name another by "
				      "JOB or JOB.STEP, as squeue shows it");
}

int step_find(const char *text, struct found_step *ret, struct err *err)
{
	char own[STEP_NAME_SIZE];
	struct step_name name;
	struct job_text job;
	int rc;

	*ret = (struct found_step){.step_id = NO_STEP};
	if ((!text && find_own(own, err) < 0) ||
	    step_name_read(text ? text : own, &name, err) < 0)
		return -1;
	rc = read_job(name.job, &job, err);
	if (rc == 0)
		rc = find_in_job(&job, name.step, ret, err);
	else if (rc > 0)
		rc = find_in_components(name.job, name.step, ret, err);
	if (rc == 0 && ret->running)
		site_ports_find(&ret->ports, &ret->auth);
	return rc;
}

void found_step_clear(struct found_step *step)
{
	free(step->node);
	step->node = NULL;
	step->nfound = 0;
}

int found_step_is_over(const struct found_step *step, struct err *err)
{
	if (step->step_id == NO_STEP)
		return err_printf(err,
				  "no step of job %s runs now (the job is %s)",
				  step->name, step->job_state);
	return err_printf(err, "step %s doesn't run now (its job is %s)",
			  step->name, step->job_state);
}

int found_step_become_user(const struct found_step *step, struct err *err)
{
	const struct passwd *user;

	if (geteuid() == step->uid)
		return 0;
	if (geteuid() == 0)
		return become_user(step->uid, step->gid, err);
	user = getpwuid(step->uid);
	return err_printf(err,
			  "job %lu is %s's: only its user and root may look "
			  "into it",
			  step->job_id, user ? user->pw_name : "another");
}
