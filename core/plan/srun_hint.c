/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/srun_hint.h"

#include "core/plan/framework.h"
#include "core/plan/resolve.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MANY 65535

static const struct {
	const char *option, *variable;
	char letter;
	size_t where;
} words[] = {
	{"nodes", "SLURM_NNODES", 'N', offsetof(struct srun_hint, nnodes)},
	{NULL, "SLURM_JOB_NUM_NODES", 0, offsetof(struct srun_hint, nnodes)},
	{"ntasks", "SLURM_NTASKS", 'n', offsetof(struct srun_hint, ntasks)},
	{"ntasks-per-node", "SLURM_NTASKS_PER_NODE", 0,
	 offsetof(struct srun_hint, node_tasks)},
	{"gpus-per-node", "SLURM_GPUS_PER_NODE", 0,
	 offsetof(struct srun_hint, node_devices)},
	{"gres", "SLURM_GPUS_ON_NODE", 0,
	 offsetof(struct srun_hint, node_devices)},
};

#define NWORDS (sizeof(words) / sizeof(*words))

/* "4", "2-4" (the least), "gpu:4", "a100:4,shard:2" (the first), "gpu" (1). */
static unsigned read_number(const char *text)
{
	size_t len = strcspn(text, ",");
	const char *at = memrchr(text, ':', len);
	unsigned long n = 1;

	at = at ? at + 1 : text;
	if (isdigit((unsigned char)*at))
		n = strtoul(at, NULL, 10);
	return n > MANY ? MANY : (unsigned)n;
}

static void set_from_word(struct srun_hint *g, size_t i, const char *value)
{
	unsigned *n = (unsigned *)((char *)g + words[i].where);

	if (*n || !value || !*value)
		return;
	*n = read_number(value);
	if (n == &g->nnodes)
		g->more_nodes = value[strspn(value, "0123456789")] != 0;
}

/* The value if `word` is that option: "--nodes=2", "--nodes 2", "-N2",
 * "-N 2"; else NULL. */
static const char *value_of(size_t i, const char *word, const char *next)
{
	size_t len = words[i].option ? strlen(words[i].option) : 0;

	if (len && !strncmp(word, "--", 2) &&
	    !strncmp(word + 2, words[i].option, len)) {
		if (word[2 + len] == '=')
			return word + 2 + len + 1;
		return word[2 + len] ? NULL : next;
	}
	if (words[i].letter && *word == '-' && word[1] == words[i].letter)
		return word[2] ? word + 2 : next;
	return NULL;
}

void srun_hint_word(struct srun_hint *g, const char *word, const char *next)
{
	for (size_t i = 0; i < NWORDS; i++)
		set_from_word(g, i, value_of(i, word, next));
}

void srun_hint_variable(struct srun_hint *g, const char *name,
			const char *value)
{
	for (size_t i = 0; i < NWORDS; i++)
		if (!strcmp(words[i].variable, name))
			set_from_word(g, i, value);
}

const char *srun_hint_variable_nth(unsigned n)
{
	return n < NWORDS ? words[n].variable : NULL;
}

/* Whether each task will be a process: several tasks per node. */
static bool is_task_mode(const struct request *r, const struct srun_hint *g)
{
	if (request_word(r, KEY_PROCS) == PROCS_TASK || g->node_tasks > 1)
		return true;
	return g->ntasks > 1 && g->ntasks != g->nnodes;
}

/* Processes per launcher: one per device, or as the key procs says. */
static unsigned procs_of(const struct request *r, const struct srun_hint *g)
{
	if (request_word(r, KEY_PROCS) == PROCS_N)
		return (unsigned)request_number(r, KEY_PROCS);
	return g->node_devices;
}

/* The largest number of processes that a node has, over all roles. */
static unsigned roles_of(const struct request *r, const struct srun_hint *g)
{
	unsigned nnodes = g->nnodes ? g->nnodes : 1, workers, most = 0;
	struct role_wish wish;
	struct roles roles;
	struct err ignored;

	workers = request_word(r, KEY_PROCS) == PROCS_AUTO ? 1 : procs_of(r, g);
	r->framework->roles(r, &wish);
	if (roles_of_nodes(&wish, nnodes, workers, &roles, &ignored) < 0)
		return 0;
	for (unsigned node = 0; node < nnodes; node++) {
		unsigned n = roles_on_node(&roles, node, nnodes);

		most = n > most ? n : most;
	}
	return most;
}

/* The service's, and some for the groups' rounds. */
#define REPLICA_PORTS 4

unsigned srun_hint_ports(const struct request *r, const struct srun_hint *g)
{
	struct resolved w;
	unsigned n;

	resolve(r, NULL, &w);
	if (request_word(r, KEY_PORT) != PORT_N && r->framework->nports > 2)
		return r->framework->nports;
	if (r->framework->worlds)
		return request_word(r, KEY_PORT) == PORT_N ? 0 : REPLICA_PORTS;
	if (!(w.needs & NEEDS_PROCMAP) || w.launches ||
	    request_word(r, KEY_PORT) == PORT_N || is_task_mode(r, g))
		return 0;
	n = r->framework->roles ? roles_of(r, g) : procs_of(r, g);
	return n > 2 ? n : 0;
}
