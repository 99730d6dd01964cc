/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's public API as far as spank/slurm/slurmctld.c calls it. Everything is
 * a heap block of exact size, so that ASan sees who reads or frees wrongly. */
#include "config.h"

#include "host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No header declares these. */
extern slurm_conf_t slurm_conf;
slurm_conf_t slurm_conf;
int slurm_conf_get_addr(const char *node, slurm_addr_t *addr, uint16_t flags);

static char *head_text(const char *word)
{
	const char *text = range_get(stage.head, word);

	return text ? strdup(text) : NULL;
}

void conf_read(void)
{
	slurm_conf.gres_plugins = head_text("grestypes");
	slurm_conf.mpi_params = head_text("mpiparams");
	slurm_conf.job_submit_plugins = head_text("jobsubmit");
	slurm_conf.task_prolog = head_text("taskprolog");
	slurm_conf.authtype = head_text("authtype");
	slurm_conf.cluster_name = slurm_conf.authtype ? strdup("c") : NULL;
	slurm_conf.slurm_user_id = 64030;
	slurm_conf.job_requeue = !range_get(stage.head, "jobrequeue");
}

void conf_free(void)
{
	free(slurm_conf.gres_plugins);
	free(slurm_conf.mpi_params);
	free(slurm_conf.job_submit_plugins);
	free(slurm_conf.task_prolog);
	free(slurm_conf.authtype);
	free(slurm_conf.cluster_name);
}

bool rpc(const char *what)
{
	const char *failing;

	bool ends = stage.hook == HOOK_EXIT && range_get(stage.section, "ends");

	bool left = stage.context == S_CTX_REMOTE && stage.hook == HOOK_TASK &&
		    (!strcmp(what, "layout") || !strcmp(what, "node") ||
		     (env_get(stage.env, "SLURM_DIST_TRAIN_HET") &&
		      (!strcmp(what, "job") || !strcmp(what, "step"))));
	bool srun = stage.context == S_CTX_LOCAL &&
		    (stage.hook == HOOK_LOCAL || ends ||
		     (stage.leaves && stage.hook == HOOK_POST_OPT));

	if (stage.idle || !(srun || left))
		forbidden(what);
	stage.result->nrpcs++;
	for (unsigned at = 0; (failing = range_next(stage.head, "fail", &at));)
		if (!strcmp(failing, what)) {
			errno = ESLURM_INVALID_JOB_ID;
			return false;
		}
	return true;
}

char *slurm_strerror(int errnum)
{
	static char known[] = "Invalid job id specified";
	static char other[] = "another error";

	return errnum == ESLURM_INVALID_JOB_ID ? known : other;
}

/* "NAME REST" among the scenario's lines: the REST of a name. */
static const char *lookup(const char *word, const char *name)
{
	size_t len = strlen(name);
	const char *text;

	for (unsigned at = 0; (text = range_next(stage.head, word, &at));)
		if (!strncmp(text, name, len) && text[len] == ' ')
			return text + len + 1;
	return NULL;
}

int slurm_conf_get_addr(const char *node, slurm_addr_t *addr, uint16_t flags)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *v4 = (struct sockaddr_in *)addr;
	const char *ip = lookup("conf", node);

	(void)flags;
	if (stage.idle || stage.hook != HOOK_LOCAL)
		forbidden("slurm_conf_get_addr()");
	if (!ip)
		return SLURM_ERROR;
	memset(addr, 0, sizeof(*addr));
	if (inet_pton(AF_INET, ip, &v4->sin_addr) == 1)
		v4->sin_family = AF_INET;
	else if (inet_pton(AF_INET6, ip, &v6->sin6_addr) == 1)
		v6->sin6_family = AF_INET6;
	else
		return SLURM_ERROR;
	return SLURM_SUCCESS;
}

static void check_id(unsigned job_id, unsigned step_id)
{
	if (job_id != stage.step.job_id ||
	    (step_id != NO_VAL && step_id != stage.step.step_id))
		forbidden("a question about another step");
}

slurm_step_layout_t *slurm_job_step_layout_get(slurm_step_id_t *id)
{
	const struct step *s = &stage.step;
	slurm_step_layout_t *l;

	if (!rpc("layout"))
		return NULL;
	check_id(id->job_id, id->step_id);
	l = calloc(1, sizeof(*l));
	l->node_cnt = s->nnodes;
	l->task_cnt = s->ntasks;
	l->node_list = step_node_list(s);
	l->tasks = calloc(s->nnodes, sizeof(*l->tasks));
	l->tids = calloc(s->nnodes, sizeof(*l->tids));
	for (unsigned i = 0; i < s->nnodes; i++) {
		const struct node *n = &s->node[i];

		l->tasks[i] = (uint16_t)n->ntasks;
		l->tids[i] = calloc(n->ntasks, sizeof(**l->tids));
		memcpy(l->tids[i], n->task, n->ntasks * sizeof(**l->tids));
	}
	return l;
}

void slurm_job_step_layout_free(slurm_step_layout_t *l)
{
	for (unsigned i = 0; i < l->node_cnt; i++)
		free(l->tids[i]);
	free(l->tids);
	free(l->tasks);
	free(l->node_list);
	free(l);
}

int slurm_load_node_single(node_info_msg_t **ret, char *name, uint16_t flags)
{
	const char *addr = lookup("node", name);
	const char *features = lookup("feature", name);
	node_info_msg_t *m;

	(void)flags;
	if (!rpc("node"))
		return SLURM_ERROR;
	m = calloc(1, sizeof(*m));
	m->record_count = addr || features ? 1 : 0;
	m->node_array = calloc(1, sizeof(*m->node_array));
	if (addr)
		m->node_array[0].node_addr = strdup(addr);
	m->node_array[0].name = m->record_count ? strdup(name) : NULL;
	m->node_array[0].features_act = features ? strdup(features) : NULL;
	*ret = m;
	return SLURM_SUCCESS;
}

/* `feature NODE LIST` lines. */
int slurm_load_node(time_t since, node_info_msg_t **ret, uint16_t flags)
{
	node_info_msg_t *m;
	const char *text;

	(void)since;
	(void)flags;
	if (!rpc("nodes"))
		return SLURM_ERROR;
	m = calloc(1, sizeof(*m));
	m->node_array = calloc(1, sizeof(*m->node_array));
	for (unsigned at = 0;
	     (text = range_next(stage.head, "feature", &at));) {
		size_t len = strcspn(text, " ");
		node_info_t *node;

		m->node_array = realloc(m->node_array,
					(m->record_count + 1) * sizeof(*node));
		node = memset(&m->node_array[m->record_count++], 0,
			      sizeof(*node));
		node->name = strndup(text, len);
		node->features_act = strdup(text + len + (text[len] == ' '));
	}
	*ret = m;
	return SLURM_SUCCESS;
}

void slurm_free_node_info_msg(node_info_msg_t *m)
{
	for (unsigned i = 0; i < m->record_count; i++) {
		free(m->node_array[i].node_addr);
		free(m->node_array[i].name);
		free(m->node_array[i].features_act);
	}
	free(m->node_array);
	free(m);
}

/* A host list is its text, without brackets. */
typedef __typeof__(slurm_hostlist_create(NULL)) host_list;

host_list slurm_hostlist_create(const char *hosts)
{
	char **text = calloc(1, sizeof(*text));

	*text = strdup(hosts);
	return (host_list)text;
}

int slurm_hostlist_push_host(host_list list, const char *host)
{
	char **text = (char **)list, *longer;

	if (asprintf(&longer, "%s%s%s", *text, **text ? "," : "", host) < 0)
		return 0;
	free(*text);
	*text = longer;
	return 1;
}

int slurm_hostlist_count(host_list list)
{
	return **(char **)list != '\0';
}

ssize_t slurm_hostlist_ranged_string(host_list list, size_t n, char *buf)
{
	return snprintf(buf, n, "%s", *(char **)list);
}

void slurm_hostlist_destroy(host_list list)
{
	free(*(char **)list);
	free(list);
}

static char *job_nodes(void)
{
	const char *nodes = range_get(stage.head, "nodes");

	return nodes ? strdup(nodes) : step_node_list(&stage.step);
}

/* A number of the job, as the scenario says it stands; else `other`. */
static uint32_t job_number(const char *name, uint32_t other)
{
	bool ends = stage.hook == HOOK_EXIT;
	const char *text = ends ? range_get(stage.section, "ends")
				: range_get(stage.head, "life");
	const char *at = text ? strstr(text, name) : NULL;

	return at ? (uint32_t)strtoul(at + strlen(name) + 1, NULL, 0) : other;
}

static void fill_life(job_info_t *job)
{
	job->job_id = stage.step.job_id;
	job->job_state = job_number("state", JOB_RUNNING);
	job->submit_time = job_number("submitted", 0);
	job->end_time = job_number("limit", 0);
	job->time_limit = job->end_time ? 1 : INFINITE;
	job->preempt_time = job_number("preempted", 0);
	job->restart_cnt = (uint16_t)job_number("restarts", 0);
	job->batch_flag = (uint16_t)job_number("batch", 1);
	job->requeue = (uint16_t)job_number("requeue", 1);
}

/* `gres DETAIL` lines, in the order of the job's nodes. */
/* Devices are those of one cluster: no question about a federation. */
static int load_job(job_info_msg_t **ret, unsigned job_id, uint16_t flags)
{
	job_info_msg_t *m;
	job_info_t *job;
	const char *text;

	if (flags & SHOW_DETAIL && !(flags & SHOW_LOCAL))
		forbidden("slurm_load_job() of a federation");
	if (!rpc("job"))
		return SLURM_ERROR;
	check_id(job_id, NO_VAL);
	m = calloc(1, sizeof(*m));
	m->record_count = 1;
	m->job_array = job = calloc(1, sizeof(*job));
	job->nodes = job_nodes();
	fill_life(job);
	for (unsigned at = 0; (text = range_next(stage.head, "gres", &at));) {
		job->gres_detail_str =
			realloc(job->gres_detail_str,
				(job->gres_detail_cnt + 1) * sizeof(char *));
		job->gres_detail_str[job->gres_detail_cnt++] = strdup(text);
	}
	*ret = m;
	return SLURM_SUCCESS;
}

/* As in 26.05, it takes a step's id, below a macro. */
#ifdef slurm_load_job
int(slurm_load_job)(job_info_msg_t **ret, slurm_step_id_t id, uint16_t flags)
{
	return load_job(ret, id.job_id, flags);
}
#else
int slurm_load_job(job_info_msg_t **ret, uint32_t job_id, uint16_t flags)
{
	return load_job(ret, job_id, flags);
}
#endif

static int requeue(unsigned job_id)
{
	if (!rpc("requeue"))
		return SLURM_ERROR;
	check_id(job_id, NO_VAL);
	stage.result->requeued = job_id;
	return SLURM_SUCCESS;
}

#ifdef slurm_requeue
int(slurm_requeue)(slurm_step_id_t id, uint32_t flags)
{
	(void)flags;
	return requeue(id.job_id);
}
#else
int slurm_requeue(uint32_t job_id, uint32_t flags)
{
	(void)flags;
	return requeue(job_id);
}
#endif

void slurm_free_job_info_msg(job_info_msg_t *m)
{
	job_info_t *job = &m->job_array[0];

	for (unsigned i = 0; i < job->gres_detail_cnt; i++)
		free(job->gres_detail_str[i]);
	free(job->gres_detail_str);
	free(job->nodes);
	free(job);
	free(m);
}

static char *tres(const char *which)
{
	const char *text = lookup("tres", which);

	return text ? strdup(text) : NULL;
}

static int load_step(job_step_info_response_msg_t **ret, unsigned job_id,
		     unsigned step_id)
{
	job_step_info_response_msg_t *m;

	if (!rpc("step"))
		return SLURM_ERROR;
	check_id(job_id, step_id);
	m = calloc(1, sizeof(*m));
	m->job_step_count = 1;
	m->job_steps = calloc(1, sizeof(*m->job_steps));
	m->job_steps->step_id.step_id = stage.step.step_id;
	m->job_steps->nodes = step_node_list(&stage.step);
	m->job_steps->tres_per_node = tres("per_node");
	m->job_steps->tres_per_task = tres("per_task");
	m->job_steps->tres_per_step = tres("per_step");
	m->job_steps->tres_per_socket = tres("per_socket");
	*ret = m;
	return SLURM_SUCCESS;
}

#if SLURM_STEPS_BY_ID
int slurm_get_job_steps(slurm_step_id_t *id, job_step_info_response_msg_t **ret,
			uint16_t flags)
{
	(void)flags;
	return load_step(ret, id->job_id, id->step_id);
}
#else
int slurm_get_job_steps(time_t since, uint32_t job_id, uint32_t step_id,
			job_step_info_response_msg_t **ret, uint16_t flags)
{
	(void)since;
	(void)flags;
	return load_step(ret, job_id, step_id);
}
#endif

void slurm_free_job_step_info_response_msg(job_step_info_response_msg_t *m)
{
	free(m->job_steps->tres_per_node);
	free(m->job_steps->tres_per_task);
	free(m->job_steps->tres_per_step);
	free(m->job_steps->tres_per_socket);
	free(m->job_steps->nodes);
	free(m->job_steps);
	free(m);
}
