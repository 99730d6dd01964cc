/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/learned.h"

#include "core/base/envset.h"
#include "core/base/ip.h"
#include "core/base/parse.h"
#include "core/base/runlength.h"
#include "core/base/text.h"
#include "core/facts/taskmap.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING "-"

/* the bits LEARN_... */
static const char words[] = "counts addrs taskmap components";

struct learned {
	const struct job *job;
	unsigned what;
	unsigned nthere;
	bool *there; /* by task, as the next three */
	unsigned *node, *count, *first;
	char (*addr)[IP_TEXT_SIZE]; /* by node, as the name */
	char **name, **npus;
};

int learned_words(const char *text, unsigned *ret, struct err *err)
{
	unsigned what = 0;
	char shown[SHOW_SIZE];

	for (const char *at = text; *at;) {
		size_t len = strcspn(at, ",");
		int i;

		if (!word_find(words, at, len, &i))
			return err_printf(err,
					  "the launchers can't learn %s of "
					  "each other; known are counts, "
					  "addrs, taskmap, components",
					  show(shown, text));
		what |= 1U << i;
		at += len;
		at += *at == ',';
	}
	*ret = what;
	return 0;
}

const char *learned_words_text(unsigned what, char buf[LEARNED_WORDS_SIZE])
{
	const char *word = words;

	*buf = '\0';
	for (unsigned bit = 1; *word; bit <<= 1) {
		int len = (int)strcspn(word, " ");

		if (what & bit)
			sprintf(buf + strlen(buf), "%s%.*s", *buf ? "," : "",
				len, word);
		word += len;
		word += *word == ' ';
	}
	return buf;
}

/* --- what a task tells --- */

/* This node's, "0,1"; NOTHING where it has none. */
static int npus_text(const struct job *job, char ret[LEARNED_NPUS_SIZE],
		     struct err *err)
{
	const struct idlist *npus = &job->devices.step;

	strcpy(ret, NOTHING);
	if (!job->devices.npu || !npus->n ||
	    idlist_format(npus, ret, LEARNED_NPUS_SIZE) == 0)
		return 0;
	return err_printf(err, "node %s: %u NPUs are too many to tell",
			  job->node_name, npus->n);
}

int learned_own(const struct job *job, unsigned what,
		char ret[LEARNED_OWN_SIZE], struct err *err)
{
	const char *count = what & LEARN_COUNTS ? job->procs : NOTHING;
	const char *addr = what & LEARN_ADDRS ? job->own_addr : NOTHING;
	char npus[LEARNED_NPUS_SIZE];
	struct ip ip;
	int at;
	long n;

	if (what & LEARN_COUNTS &&
	    (!count || parse_number(count, 0, INT_MAX, &n) < 0))
		return err_printf(err,
				  "the number of devices of node %s isn't "
				  "known; set it with procs=N",
				  job->node_name);
	if (what & LEARN_ADDRS &&
	    (!addr || ip_parse(addr, strlen(addr), &ip) < 0))
		return err_printf(err,
				  "node %s doesn't know by which address the "
				  "others can reach it; nic=IFACE names an "
				  "interface",
				  job->node_name);
	at = snprintf(ret, LEARNED_OWN_SIZE, "%u %s %s", job->nodeid, count,
		      addr);
	if (!(what & LEARN_COMPONENTS))
		return 0;
	if (npus_text(job, npus, err) < 0)
		return -1;
	snprintf(ret + at, LEARNED_OWN_SIZE - (size_t)at, " %u %s %s",
		 job->first, job->node_name, npus);
	return 0;
}

/* The next word of a text, which ends at a blank; "" at its end. */
static void take_word(const char **text, char *ret, size_t size)
{
	size_t len = strcspn(*text, " ");

	snprintf(ret, size, "%.*s", (int)len, *text);
	*text += len;
	*text += **text == ' ';
}

struct own {
	long node, count, first;
	struct ip addr;
	char name[HOSTLIST_NAME_MAX];
	char npus[LEARNED_NPUS_SIZE]; /* "": none */
};

static bool is_name(const char *text)
{
	unsigned n;

	return hostlist_count(text, &n) == 0 && n == 1;
}

/* FIRST NODE NPUS. Returns 0 or -1. */
static int parse_component(const struct learned *l, const char **text,
			   struct own *own)
{
	char first[12];
	struct idlist npus;

	take_word(text, first, sizeof(first));
	take_word(text, own->name, sizeof(own->name));
	take_word(text, own->npus, sizeof(own->npus));
	if (!strcmp(own->npus, NOTHING))
		*own->npus = '\0';
	else if (idlist_parse(own->npus, &npus) < 0 || !npus.n)
		return -1;
	if (!is_name(own->name))
		return -1;
	return parse_number(first, 0, (long)l->job->ntasks - 1, &own->first);
}

static int parse_own(const struct learned *l, const char *text, struct own *ret)
{
	char node[12], count[12], addr[IP_TEXT_SIZE];
	struct own own = {0};

	if (strlen(text) >= LEARNED_OWN_SIZE)
		return -1;
	take_word(&text, node, sizeof(node));
	take_word(&text, count, sizeof(count));
	take_word(&text, addr, sizeof(addr));
	if (l->what & LEARN_COMPONENTS && parse_component(l, &text, &own) < 0)
		return -1;
	if (*text || parse_number(node, 0, (long)l->job->nnodes - 1, &own.node))
		return -1;
	if (l->what & LEARN_COUNTS &&
	    parse_number(count, 0, INT_MAX, &own.count) < 0)
		return -1;
	if (l->what & LEARN_ADDRS &&
	    ip_parse(addr, strlen(addr), &own.addr) < 0)
		return -1;
	*ret = own;
	return 0;
}

/* --- what all have told --- */

struct learned *learned_new(const struct job *job, unsigned what)
{
	struct learned *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->job = job;
	l->what = what;
	l->there = calloc(job->ntasks, sizeof(*l->there));
	l->node = calloc(job->ntasks, sizeof(*l->node));
	l->count = calloc(job->ntasks, sizeof(*l->count));
	l->first = calloc(job->ntasks, sizeof(*l->first));
	l->addr = calloc(job->nnodes, sizeof(*l->addr));
	l->name = calloc(job->nnodes + 1, sizeof(*l->name));
	l->npus = calloc(job->nnodes + 1, sizeof(*l->npus));
	if (l->there && l->node && l->count && l->first && l->addr && l->name &&
	    l->npus)
		return l;
	learned_free(l);
	return NULL;
}

void learned_free(struct learned *l)
{
	if (!l)
		return;
	free(l->there);
	free(l->node);
	free(l->count);
	free(l->first);
	for (unsigned i = 0; l->name && l->npus && i < l->job->nnodes; i++) {
		free(l->name[i]);
		free(l->npus[i]);
	}
	free(l->name);
	free(l->npus);
	free(l->addr);
	free(l);
}

int learned_add(struct learned *l, unsigned task, const char *text)
{
	struct own own;

	if (parse_own(l, text, &own) < 0)
		return -1;
	if (!l->there[task]) {
		l->there[task] = true;
		l->node[task] = (unsigned)own.node;
		l->count[task] = (unsigned)own.count;
		l->first[task] = (unsigned)own.first;
		if (l->what & LEARN_ADDRS)
			ip_format(&own.addr, l->addr[own.node]);
		if (*own.name && !l->name[own.node])
			l->name[own.node] = strdup(own.name);
		if (*own.npus && !l->npus[own.node])
			l->npus[own.node] = strdup(own.npus);
		l->nthere++;
	}
	return (int)(l->job->ntasks - l->nthere);
}

static int put_runs(FILE *f, const char *word, const unsigned *count,
		    unsigned n, struct err *err)
{
	cleanup_free char *text = runlength_text(count, n);

	if (!text)
		return err_memory(err);
	fprintf(f, "%s %s\n", word, text);
	return 0;
}

static int put_addrs(const struct learned *l, FILE *f, struct err *err)
{
	for (unsigned i = 0; i < l->job->nnodes; i++) {
		if (!*l->addr[i])
			return err_printf(err,
					  "no task has told an address "
					  "of the step's node %u",
					  i);
		fprintf(f, "%s%s", i ? "," : "addrs ", l->addr[i]);
	}
	fprintf(f, "\n");
	return 0;
}

static int put_taskmap(const struct learned *l, const char *tasks, FILE *f,
		       struct err *err)
{
	const struct job *job = l->job;
	cleanup_free char *map = NULL;

	if (!tasks)
		return err_printf(err, "SLURM_STEP_TASKS_PER_NODE isn't set");
	if (taskmap_describe(l->node, job->ntasks, tasks, job->nnodes, &map,
			     err) < 0)
		return -1;
	if (map)
		fprintf(f, "taskmap %s\n", map);
	return 0;
}

static int put_names(const struct learned *l, FILE *f, struct err *err)
{
	cleanup_free char *text = NULL;

	for (unsigned i = 0; i < l->job->nnodes; i++)
		if (!l->name[i])
			return err_printf(err,
					  "no task has told the name of the "
					  "step's node %u",
					  i);
	text = hostnames_text(l->name, l->job->nnodes);
	if (!text)
		return err_memory(err);
	fprintf(f, "nodes %s\n", text);
	return 0;
}

/* "node2:0,1;node1:4", as srun hands them over. */
static void put_npus(const struct learned *l, FILE *f)
{
	bool any = false;

	for (unsigned i = 0; i < l->job->nnodes; i++) {
		if (!l->npus[i])
			continue;
		fprintf(f, "%s%s:%s", any ? ";" : "gres ", l->name[i],
			l->npus[i]);
		any = true;
	}
	if (any)
		fprintf(f, "\n");
}

/* Slurm's own list of tasks is in the order of the nodes' names. */
static int put_components(const struct learned *l, FILE *f, struct err *err)
{
	unsigned nnodes = l->job->nnodes, ntasks = l->job->ntasks;
	cleanup_free unsigned *tasks = calloc(nnodes, sizeof(*tasks));
	cleanup_free char *text = NULL;

	if (!tasks)
		return err_memory(err);
	for (unsigned i = 0; i < ntasks; i++)
		tasks[l->node[i]]++;
	text = runlength_text(tasks, nnodes);
	if (!text)
		return err_memory(err);
	if (put_names(l, f, err) < 0 ||
	    put_runs(f, "firsts", l->first, ntasks, err) < 0 ||
	    put_runs(f, "tasks", tasks, nnodes, err) < 0)
		return -1;
	put_npus(l, f);
	return put_taskmap(l, text, f, err);
}

char *learned_text(const struct learned *l, struct err *err)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	int rc = f ? 0 : err_memory(err);

	if (rc == 0 && l->what & LEARN_COUNTS)
		rc = put_runs(f, "counts", l->count, l->job->ntasks, err);
	if (rc == 0 && l->what & LEARN_ADDRS)
		rc = put_addrs(l, f, err);
	if (rc == 0 && l->what & LEARN_COMPONENTS)
		rc = put_components(l, f, err);
	else if (rc == 0 && l->what & LEARN_TASKMAP)
		rc = put_taskmap(l, l->job->tasks, f, err);
	return text_stream_end(&stream, rc, err);
}

/* --- what all get to know --- */

/* The list of a line, for the caller to free; NULL when there is none. */
static char *list_of(const char *text, const char *word)
{
	size_t len = strlen(word);

	while (*text) {
		const char *end = strchrnul(text, '\n');

		if (!strncmp(text, word, len) && text[len] == ' ' &&
		    end > text + len + 1)
			return strndup(text + len + 1,
				       (size_t)(end - text) - len - 1);
		text = end + (*end == '\n');
	}
	return NULL;
}

static bool are_counts(const char *list, unsigned n)
{
	struct runlength counts;

	return list && runlength_read(list, &counts) == 0 && counts.n == n;
}

static bool are_addresses(const char *list, const struct job *job)
{
	unsigned n = 0;
	struct ip ip;

	for (const char *at = list; at; n++) {
		size_t len = strcspn(at, ",");

		if (ip_parse(at, len, &ip) < 0)
			return false;
		at = at[len] ? at + len + 1 : NULL;
	}
	return n == job->nnodes;
}

static bool is_taskmap(const char *map, const char *tasks,
		       const struct job *job)
{
	cleanup_free struct task_place *place = NULL;
	struct err err;

	if (!map && tasks == job->tasks)
		return true; /* blocks, of Slurm's own list */
	if (tasks)
		place = taskmap_make(tasks, map, job->ntasks, job->nnodes,
				     &err);
	return place;
}

static void take(char **to, char **from)
{
	free(*to);
	*to = *from;
	*from = NULL;
}

/* What all get to know, as far as it was asked for. */
struct lists {
	char *counts, *addrs, *map, *firsts, *nodes, *tasks, *gres;
};

static void lists_clear(struct lists *l)
{
	free(l->counts);
	free(l->addrs);
	free(l->map);
	free(l->firsts);
	free(l->nodes);
	free(l->tasks);
	free(l->gres);
}

static bool are_components(const struct lists *l, const struct job *job)
{
	struct idlist own;
	struct err err;
	unsigned n;

	return (!l->gres ||
		gres_of_node(l->gres, job->node_name, &own, &err) == 0) &&
	       are_counts(l->firsts, job->ntasks) && l->nodes &&
	       hostlist_count(l->nodes, &n) == 0 && n == job->nnodes &&
	       is_taskmap(l->map, l->tasks, job);
}

static bool are_all(const struct lists *l, unsigned what, const struct job *job)
{
	if ((what & LEARN_COUNTS && !are_counts(l->counts, job->ntasks)) ||
	    (what & LEARN_ADDRS && !are_addresses(l->addrs, job)))
		return false;
	if (what & LEARN_COMPONENTS)
		return are_components(l, job);
	return !(what & LEARN_TASKMAP) || is_taskmap(l->map, job->tasks, job);
}

/* A step in which some node has NPUs is one of NPUs for all: the launchers make
 * the same rank table. */
static void take_all(struct lists *l, unsigned what, struct job *job)
{
	if (what & LEARN_COUNTS)
		take(&job->procs, &l->counts);
	if (what & LEARN_ADDRS)
		take(&job->addrs, &l->addrs);
	if (what & (LEARN_TASKMAP | LEARN_COMPONENTS))
		take(&job->taskmap, &l->map);
	if (!(what & LEARN_COMPONENTS))
		return;
	take(&job->firsts, &l->firsts);
	take(&job->nodes, &l->nodes);
	take(&job->tasks, &l->tasks);
	if (!l->gres)
		return;
	take(&job->gres, &l->gres);
	job->devices.npu = true;
}

int learned_apply(const char *text, unsigned what, struct job *job,
		  struct err *err)
{
	__attribute__((cleanup(lists_clear))) struct lists l = {
		.counts = list_of(text, "counts"),
		.addrs = list_of(text, "addrs"),
		.map = list_of(text, "taskmap"),
		.firsts = list_of(text, "firsts"),
		.nodes = list_of(text, "nodes"),
		.tasks = list_of(text, "tasks"),
		.gres = list_of(text, "gres"),
	};

	if (!are_all(&l, what, job))
		return err_printf(err, "what task 0 tells of the other nodes "
				       "doesn't fit this step");
	if (what & LEARN_ADDRS && strlen(l.addrs) >= ENV_STRING_MAX - 64)
		return err_printf(err,
				  "the addresses of all nodes have %zu bytes, "
				  "too many for an environment variable; "
				  "addr=name uses the nodes' names",
				  strlen(l.addrs));
	take_all(&l, what, job);
	return 0;
}
