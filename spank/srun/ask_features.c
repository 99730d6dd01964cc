/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In srun: which nodes of the job have the features that the administrator's
 * default profiles name (profile=NAME@FEATURE). One question to the
 * controller, and none if no default profile depends on a feature.
 */
#include "spank/srun/srun.h"

#include "core/base/envset.h"
#include "core/option/profile.h"
#include "spank/slurm/slurmctld.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a node's list, "ib,a100", has that feature. */
static bool has(const char *list, const char *feature)
{
	size_t len = strlen(feature);

	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (n == len && !strncmp(list, feature, n))
			return true;
		list += n;
		list += *list == ',';
	}
	return false;
}

/* Features that may change at a reboot are in the first list as long as the
 * node has them. */
static const char *features_of(const node_info_t *node)
{
	return node->features_act ? node->features_act : node->features;
}

/* Slurm's host list. Its type differs between releases. */
typedef __typeof__(slurm_hostlist_create(NULL)) host_list;

struct search {
	const node_info_msg_t *nodes;
	struct hostindex job_nodes;
	FILE *f;
	const char *semicolon;
};

static host_list nodes_with(const struct search *s, const char *feature)
{
	host_list list = slurm_hostlist_create("");
	unsigned index;

	for (uint32_t i = 0; list && i < s->nodes->record_count; i++) {
		const node_info_t *node = &s->nodes->node_array[i];

		if (node->name && has(features_of(node), feature) &&
		    hostindex_find(&s->job_nodes, node->name, &index) == 0)
			slurm_hostlist_push_host(list, node->name);
	}
	return list;
}

static int put_feature(void *arg, const char *feature)
{
	cleanup_free char *text = malloc(ENV_STRING_MAX);
	struct search *s = arg;
	host_list list = text ? nodes_with(s, feature) : NULL;

	if (!list)
		return -1;
	if (slurm_hostlist_count(list) > 0 &&
	    slurm_hostlist_ranged_string(list, ENV_STRING_MAX, text) > 0) {
		fprintf(s->f, "%s%s=%s", s->semicolon, feature, text);
		s->semicolon = ";";
	}
	slurm_hostlist_destroy(list);
	return 0;
}

static int found_one(void *arg, const char *feature)
{
	(void)arg;
	(void)feature;
	return 1;
}

/* Only the job's nodes matter, but Slurm's API asks for one node or for all
 * nodes of the cluster. */
static node_info_msg_t *ask(const struct hostindex *job_nodes, struct err *err)
{
	return slurmctld_nodes(job_nodes->n == 1 ? job_nodes->name[0] : NULL,
			       err);
}

static int describe(struct search *s, const struct config *config,
		    const char *partition, char **ret, struct err *err)
{
	char *text = NULL;
	size_t size = 0;
	int rc;

	s->f = open_memstream(&text, &size);
	if (!s->f)
		return err_memory(err);
	rc = profile_features(config->profiles, partition, put_feature, s);
	if (fclose(s->f) < 0 || rc < 0) {
		free(text);
		return err_memory(err);
	}
	if (size > ENV_STRING_MAX - 64) {
		free(text);
		return err_printf(
			err,
			"the list of nodes with the features of the default "
			"profiles has %zu bytes, too many for an environment "
			"variable; use profile=NAME, which needs no list",
			size);
	}
	*ret = text;
	return 0;
}

int ask_features(const struct request *r, const struct config *config,
		 char **ret, struct err *err)
{
	const char *partition = getenv("SLURM_JOB_PARTITION"), *job_nodes;
	struct search s = {.semicolon = ""};
	node_info_msg_t *nodes;
	int rc;

	if (request_text(r, KEY_PROFILE) || !config->profiles)
		return 0;
	rc = profile_features(config->profiles, partition, found_one, NULL);
	if (rc <= 0)
		return rc < 0 ? err_memory(err) : 0;
	job_nodes = getenv("SLURM_JOB_NODELIST");
	if (!job_nodes)
		job_nodes = getenv("SLURM_NODELIST");
	if (!job_nodes)
		return err_printf(err,
				  "SLURM_JOB_NODELIST isn't set, so the nodes' "
				  "features can't be looked up; use "
				  "profile=NAME, which needs no features");
	if (hostindex_make(job_nodes, &s.job_nodes, err) < 0)
		return -1;
	s.nodes = nodes = ask(&s.job_nodes, err);
	rc = nodes ? describe(&s, config, partition, ret, err) : -1;
	if (nodes)
		slurm_free_node_info_msg(nodes);
	hostindex_clear(&s.job_nodes);
	return rc;
}
