/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys and their meaning: tensorflow/python/distribute/cluster_resolver/
 * tfconfig_cluster_resolver.py; a job as a dictionary of some of its tasks
 * instead of a list of all: ClusterSpec in training/server_lib.py.
 */
#include "frameworks/shared.h"

#include "core/base/text.h"
#include "core/plan/dialect.h"
#include "core/plan/procmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "TF_CONFIG"

struct text {
	FILE *f;
	const struct plan *plan;
	const struct procmap *map;
	const char *comma; /* separator before the next job */
};

/* "node1:20000", with brackets around an IPv6 address. */
static void put_address(struct text *t, const struct rank_place *p)
{
	const char *host = t->map->host[p->node];
	bool v6 = strchr(host, ':') != NULL;

	fprintf(t->f, "\"%s%s%s:%u\"", v6 ? "[" : "", host, v6 ? "]" : "",
		plan_port(t->plan, p->local));
}

/* All processes of a role, as a list. */
static void put_all(struct text *t, enum role role)
{
	const char *comma = "";

	for (unsigned r = 0; r < t->plan->world_size; r++) {
		if (t->map->peer[r].role != role)
			continue;
		if (!*comma)
			fprintf(t->f, "%s\"%s\":[", t->comma, role_name(role));
		fputs(comma, t->f);
		put_address(t, &t->map->peer[r]);
		comma = t->comma = ",";
	}
	if (*comma)
		fputc(']', t->f);
}

/* Write one process under its index: the others exist, but aren't listed. */
static void put_one(struct text *t, unsigned rank)
{
	const struct rank_place *p = &t->map->peer[rank];

	fprintf(t->f, "%s\"%s\":{\"%u\":", t->comma, role_name(p->role),
		p->index);
	put_address(t, p);
	fputc('}', t->f);
	t->comma = ",";
}

/* To the others an evaluator is none of the cluster: the chief of a
 * ParameterServerStrategy would wait for its server. To itself it is, unless a
 * platform has it otherwise: strategies of TensorFlow 1's estimators look for
 * it (distribute_coordinator.py), those of TensorFlow 2 may find it. */
static void put_cluster(struct text *t, const struct process *p, bool sparse)
{
	const struct dialect_form *form = t->plan->request->form;

	if (p->role == ROLE_EVALUATOR && !(form && form->tf_environment))
		put_all(t, ROLE_EVALUATOR);
	if (!sparse) {
		put_all(t, ROLE_CHIEF);
		put_all(t, ROLE_WORKER);
		put_all(t, ROLE_PS);
		return;
	}
	if (p->role != ROLE_PS)
		put_all(t, ROLE_PS);
	if (p->role != ROLE_EVALUATOR)
		put_one(t, p->rank);
}

static char *write_config(struct text *t, const struct process *p, bool sparse,
			  struct err *err)
{
	const struct dialect_form *form = t->plan->request->form;
	struct text_stream stream;

	t->f = text_stream_open(&stream);
	t->comma = "";
	if (!t->f)
		return text_stream_end(&stream, 0, err);
	fputs("{\"cluster\":{", t->f);
	put_cluster(t, p, sparse);
	fprintf(t->f, "},\"task\":{\"type\":\"%s\",\"index\":%u}",
		role_name(p->role), p->role_index);
	if (form && form->tf_environment)
		fprintf(t->f, ",\"environment\":\"%s\"", form->tf_environment);
	fputc('}', t->f);
	return text_stream_end(&stream, 0, err);
}

static bool env_fits(const char *text)
{
	return strlen(NAME "=") + strlen(text) + 1 <= ENV_STRING_MAX;
}

static int add_tf_config(struct text *t, const struct process *p, bool sparse,
			 struct envset *set, struct err *err)
{
	static const char *const sources[] = {
		[PORT_ASKED] =
			"nodes of the step, ports counted up from key port",
		[PORT_RESERVED] = "nodes of the step, ports reserved by Slurm",
		[PORT_DERIVED] = ("nodes of the step, ports derived from job, "
				  "step and requeues"),
	};
	const char *source = sources[t->plan->coordinator.port_kind];
	cleanup_free char *text = write_config(t, p, false, err);

	if (text && !env_fits(text) && sparse) {
		free(text);
		text = write_config(t, p, true, err);
	}
	if (!text)
		return -1;
	if (!env_fits(text))
		return err_printf(
			err,
			NAME " would have %zu bytes for %u processes, but a "
			     "variable has at most %zu; use shorter node names "
			     "or fewer processes",
			strlen(text), t->plan->world_size,
			(size_t)ENV_STRING_MAX - strlen(NAME "=") - 1);
	return envset_add(set, ENV_FACT, source, err, NAME, "%s", text);
}

int tf_config_add(const struct plan *plan, const struct process *process,
		  bool sparse, struct envset *set, struct err *err)
{
	cleanup_procmap struct procmap map;
	struct text t = {.plan = plan, .map = &map};

	return procmap_find(plan, &map, err) < 0
		       ? -1
		       : add_tf_config(&t, process, sparse, set, err);
}
