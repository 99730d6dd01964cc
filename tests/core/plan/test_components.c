/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heterogeneous steps of every shape: what their tasks tell each other, how
 * many processes each is, and what each process finds. The expected numbers are
 * counted here, one by one, from how the step was made up; nothing of the
 * product has a part in that.
 */
#include "core/env/process_env.h"
#include "core/facts/components.h"
#include "core/facts/learned.h"
#include "registry/component_options.h"
#include "registry/registry.h"
#include "tests/fixtures/plan_fixture.h"

#define STEPS	  400
#define COMPS	  4
#define NODES	  16
#define TASKS	  64
#define PER_NODE  8
#define LEARNED	  (LEARN_COUNTS | LEARN_COMPONENTS)
#define TEXT_SIZE 512

enum word { AUTO, TASK, DEVICE, NUMBER };

/* --- a step is made up --- */

struct node {
	unsigned comp, ntasks, devices, task[PER_NODE];
	char name[8];
};

struct step {
	unsigned ncomp, nnodes, ntasks;
	enum word word[COMPS];
	unsigned number[COMPS], begin[COMPS + 1]; /* by task */
	struct node node[NODES];		  /* by SLURM_NODEID */
	unsigned node_of[TASKS];
	char options[TEXT_SIZE]; /* by line */
};

static unsigned seed;

/* From 0 to n - 1, the same in each run. */
static unsigned some(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 12) % n;
}

static void deal_tasks(struct step *s, unsigned comp, unsigned first_node)
{
	bool cyclic = !some(3);
	unsigned at = first_node, left = 0;
	unsigned got[NODES] = {0};

	for (unsigned i = first_node; i < s->nnodes; i++)
		left += s->node[i].ntasks;
	s->begin[comp] = s->ntasks;
	while (left--) {
		while (got[at] == s->node[at].ntasks)
			at = at + 1 < s->nnodes ? at + 1 : first_node;
		s->node[at].task[got[at]++] = s->ntasks;
		s->node_of[s->ntasks++] = at;
		if (cyclic)
			at = at + 1 < s->nnodes ? at + 1 : first_node;
	}
}

static void add_component(struct step *s, unsigned comp)
{
	unsigned first = s->nnodes, n = 1 + some(3), same = some(9);
	bool single = some(4), equal = some(2);

	s->word[comp] = some(3) ? AUTO : (enum word)some(4);
	s->number[comp] = 1 + some(4);
	for (unsigned i = 0; i < n; i++) {
		struct node *node = &s->node[s->nnodes++];

		node->comp = comp;
		node->ntasks = single ? 1 : 1 + some(3);
		node->devices = equal ? same : some(9);
	}
	deal_tasks(s, comp, first);
}

/* Slurm sorts the nodes of such a step by their names. */
static void name_nodes(struct step *s)
{
	unsigned from = some(97);

	for (unsigned i = 0; i < s->nnodes; i++)
		snprintf(s->node[i].name, sizeof(s->node[i].name), "n%02u",
			 (from + i * 7) % 97);
}

static void write_options(struct step *s)
{
	static const char *const text[] = {"ddp", "ddp,procs=task",
					   "ddp,procs=device"};
	char *at = s->options;

	for (unsigned i = 0; i < s->ncomp; i++) {
		at += sprintf(at, "%s", i ? "\n" : "");
		if (s->word[i] == NUMBER)
			at += sprintf(at, "ddp,procs=%u", s->number[i]);
		else
			at += sprintf(at, "%s", text[s->word[i]]);
	}
}

static void make_up(struct step *s)
{
	memset(s, 0, sizeof(*s));
	s->ncomp = 1 + some(COMPS);
	for (unsigned i = 0; i < s->ncomp; i++)
		add_component(s, i);
	s->begin[s->ncomp] = s->ntasks;
	name_nodes(s);
	write_options(s);
}

/* --- what it has to come to, counted --- */

struct expected {
	unsigned bad; /* the first component that can't be; ncomp: none */
	unsigned procs[TASKS];
	unsigned world;
	bool device; /* some task is several processes */
};

/* Whether each node of the component has one task, and the fewest and most
 * devices of its nodes. */
static bool look(const struct step *s, unsigned comp, unsigned *min,
		 unsigned *max)
{
	bool single = true;

	*min = 99;
	*max = 0;
	for (unsigned i = 0; i < s->nnodes; i++) {
		if (s->node[i].comp != comp)
			continue;
		single = single && s->node[i].ntasks == 1;
		*min = s->node[i].devices < *min ? s->node[i].devices : *min;
		*max = s->node[i].devices > *max ? s->node[i].devices : *max;
	}
	return single;
}

/* Processes of each task there: 0: that can't be; 9: as many as devices. */
static unsigned rule(const struct step *s, unsigned comp)
{
	unsigned min, max;
	bool single = look(s, comp, &min, &max);

	switch (s->word[comp]) {
	case TASK:
		return 1;
	case NUMBER:
		return single ? s->number[comp] : 0;
	case DEVICE:
		return single && min ? 9 : 0;
	case AUTO:
		break;
	}
	if (!single || max < 2)
		return 1;
	return min ? 9 : 0;
}

static void expect(const struct step *s, struct expected *e)
{
	memset(e, 0, sizeof(*e));
	for (e->bad = 0; e->bad < s->ncomp; e->bad++) {
		unsigned each = rule(s, e->bad);

		if (!each)
			return;
		for (unsigned t = s->begin[e->bad]; t < s->begin[e->bad + 1];
		     t++) {
			e->procs[t] = each == 9 ? s->node[s->node_of[t]].devices
						: each;
			e->world += e->procs[t];
			e->device = e->device || e->procs[t] > 1;
		}
	}
}

/* --- what Slurm and slurmstepd give to its tasks --- */

static void list_gtids(const struct node *n, char *ret)
{
	for (unsigned i = 0; i < n->ntasks; i++)
		ret += sprintf(ret, "%s%u", i ? "," : "", n->task[i]);
}

static struct facts facts_of(const struct step *s, unsigned task)
{
	const struct node *n = &s->node[s->node_of[task]];
	char gtids[64], devices[16], first[32];
	unsigned local = 0;
	struct facts f;

	while (n->task[local] != task)
		local++;
	list_gtids(n, gtids);
	f = facts_task(s->ntasks, s->nnodes, task, local, s->node_of[task],
		       gtids);
	facts_handover(&f);
	facts_set(&f, "SLURMD_NODENAME", n->name);
	snprintf(first, sizeof(first), "%u 1", s->begin[n->comp]);
	facts_set(&f, "SLURM_DIST_TRAIN_FIRST", first);
	facts_number(&f, "SLURM_DIST_TRAIN_PROCS", n->devices);
	snprintf(devices, sizeof(devices), "0-%u", n->devices - 1);
	if (n->devices)
		facts_set(&f, "SLURM_DIST_TRAIN_GPUS", devices);
	facts_set(&f, "SLURM_STEP_NODELIST", "sorted");
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", "1");
	return f;
}

static void read_job(const struct step *s, unsigned task, struct job *ret)
{
	struct facts f = facts_of(s, task);
	struct err err;

	assert_int_equal(job_read(facts_lookup, &f, false, ret, &err), 0);
	assert_true(ret->het);
}

/* All tell what they have, in some order. */
static char *tell_all(const struct step *s)
{
	char own[LEARNED_OWN_SIZE];
	struct learned *l;
	struct job first;
	struct err err;
	char *all;

	read_job(s, 0, &first);
	l = learned_new(&first, LEARNED);
	for (unsigned i = 0; i < s->ntasks; i++) {
		unsigned task = (i + s->ntasks / 2) % s->ntasks;
		struct job job;

		read_job(s, task, &job);
		assert_int_equal(learned_own(&job, LEARNED, own, &err), 0);
		assert_int_equal(learned_add(l, task, own), s->ntasks - 1 - i);
		job_clear(&job);
	}
	all = learned_text(l, &err);
	assert_non_null(all);
	learned_free(l);
	job_clear(&first);
	return all;
}

/* --- and what comes of it --- */

static const char *value_of(const struct envset *set, const char *name)
{
	const struct env_entry *e = envset_find(set, name);

	assert_non_null(e);
	return e->value;
}

static void assert_number(const struct envset *set, const char *name,
			  unsigned n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	assert_string_equal(value_of(set, name), text);
}

/* Processes of a node, and of those the ones of its tasks before. */
static unsigned procs_of(const struct step *s, const struct expected *e,
			 unsigned node, unsigned before)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->node[node].ntasks; i++)
		if (s->node[node].task[i] < before)
			n += e->procs[s->node[node].task[i]];
	return n;
}

/* "2(x2),1": the count of each node. */
static void check_counts(const struct step *s, const struct expected *e,
			 const char *list)
{
	unsigned node = 0;

	while (*list) {
		unsigned long n = strtoul(list, (char **)&list, 10), times = 1;

		if (!strncmp(list, "(x", 2)) {
			times = strtoul(list + 2, (char **)&list, 10);
			list++;
		}
		list += *list == ',';
		for (; times; times--, node++)
			assert_int_equal(n, procs_of(s, e, node, TASKS));
	}
	assert_int_equal(node, s->nnodes);
}

/* What a process reads of Slurm: the nodes as they are numbered. */
static void check_nodes(const struct step *s, const struct expected *e,
			unsigned node, const struct envset *set)
{
	char ranks[TEXT_SIZE] = "", *at = ranks;
	const char *list = value_of(set, "SLURM_STEP_NODELIST");
	char name[HOSTLIST_NAME_MAX];

	for (unsigned i = 0; i < s->nnodes; i++) {
		assert_int_equal(hostlist_nth(list, i, name), 0);
		assert_string_equal(name, s->node[i].name);
	}
	for (unsigned t = 0, rank = 0; t < s->ntasks; rank += e->procs[t++])
		for (unsigned k = 0; s->node_of[t] == node && k < e->procs[t];
		     k++)
			at += sprintf(at, "%s%u", at > ranks ? "," : "",
				      rank + k);
	assert_string_equal(value_of(set, "SLURM_GTIDS"), ranks);
	assert_number(set, "SLURM_NODEID", node);
	check_counts(s, e, value_of(set, "SLURM_TASKS_PER_NODE"));
	check_counts(s, e, value_of(set, "SLURM_STEP_TASKS_PER_NODE"));
}

static void check_process(const struct step *s, const struct expected *e,
			  unsigned task, const struct plan *plan,
			  unsigned index, unsigned rank)
{
	unsigned node = s->node_of[task];
	struct envset set = {0};
	struct process p;
	struct err err;

	assert_int_equal(plan_process(plan, index, &p, &err), 0);
	if (process_env(plan, &p, &set, &err) < 0)
		fail_msg("%s", err.text);
	assert_number(&set, "RANK", rank);
	assert_number(&set, "WORLD_SIZE", e->world);
	assert_number(&set, "LOCAL_RANK", procs_of(s, e, node, task) + index);
	assert_number(&set, "LOCAL_WORLD_SIZE", procs_of(s, e, node, TASKS));
	assert_number(&set, "GROUP_RANK", node);
	if (e->device) {
		assert_number(&set, "SLURM_PROCID", rank);
		assert_number(&set, "SLURM_NTASKS", e->world);
		check_nodes(s, e, node, &set);
	}
	envset_clear(&set);
}

/* The launcher of one task, from what it has learned to its processes. */
static void play_task(const struct step *s, const struct expected *e,
		      unsigned task, const char *all,
		      const struct component_wish *wish, unsigned rank)
{
	char remark[COMPONENTS_REMARK_SIZE];
	struct request r = {0};
	struct config c = {0};
	struct plan plan;
	struct job job;
	struct err err;
	unsigned number, n;

	read_job(s, task, &job);
	assert_int_equal(config_parse(0, NULL, &c, &err), 0);
	assert_int_equal(learned_apply(all, LEARNED, &job, &err), 0);
	if (components_deal(&job, wish, s->ncomp, remark, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(component_of(&job, task, &number, &n, &err), 0);
	assert_int_equal(n, s->ncomp);
	assert_int_equal(number, s->node[s->node_of[task]].comp);
	assert_int_equal(components_request(s->options, number, &c, &r, &err),
			 0);
	if (plan_make(&r, &c, &job, &plan, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(plan.resolved.device_mode, e->device);
	assert_int_equal(plan.nprocs, e->procs[task]);
	for (unsigned i = 0; i < plan.nprocs; i++)
		check_process(s, e, task, &plan, i, rank + i);
	request_clear(&r);
	config_clear(&c);
	job_clear(&job);
}

static void check_refused(const struct step *s, const struct expected *e,
			  const char *all, const struct component_wish *wish)
{
	char remark[COMPONENTS_REMARK_SIZE], name[32];
	struct job job;
	struct err err;

	snprintf(name, sizeof(name), "component %u: ", e->bad);
	read_job(s, 0, &job);
	assert_int_equal(learned_apply(all, LEARNED, &job, &err), 0);
	assert_int_equal(components_deal(&job, wish, s->ncomp, remark, &err),
			 -1);
	assert_memory_equal(err.text, name, strlen(name));
	assert_false(job.dealt);
	job_clear(&job);
}

static bool play(const struct step *s)
{
	struct component_wish wish[COMPONENTS_MAX];
	struct config c = {0};
	struct expected e;
	char *all = tell_all(s);
	struct err err;
	unsigned n, rank = 0;

	expect(s, &e);
	assert_int_equal(config_parse(0, NULL, &c, &err), 0);
	assert_int_equal(components_wishes(s->options, &c, wish, &n, &err), 0);
	assert_int_equal(n, s->ncomp);
	config_clear(&c);
	if (e.bad < s->ncomp)
		check_refused(s, &e, all, wish);
	for (unsigned t = 0; e.bad == s->ncomp && t < s->ntasks; t++) {
		play_task(s, &e, t, all, wish, rank);
		rank += e.procs[t];
	}
	free(all);
	return e.bad == s->ncomp;
}

static void random_steps(void **state)
{
	unsigned played = 0, refused = 0;

	(void)state;
	for (unsigned i = 0; i < STEPS; i++) {
		struct step s;

		seed = i;
		make_up(&s);
		if (play(&s))
			played++;
		else
			refused++;
	}
	assert_true(played >= STEPS / 2);
	assert_true(refused >= STEPS / 10);
}

/* --- what people read --- */

static int deal(struct job *job, const char *options, char *remark,
		struct err *err)
{
	struct component_wish wish[COMPONENTS_MAX];
	struct config c = {0};
	unsigned n;

	assert_int_equal(config_parse(0, NULL, &c, err), 0);
	assert_int_equal(components_wishes(options, &c, wish, &n, err), 0);
	config_clear(&c);
	return components_deal(job, wish, n, remark, err);
}

/* Components of one node and task each. */
static void lines(void **state)
{
	static const struct {
		const char *options, *devices, *line;
	} rows[] = {
		{"ddp", "2,0,0", "component 1 has no devices: "},
		{"ddp", "0,0,0", ""},
		{"ddp", "1,0,1", "component 1 has no devices: "},
		{"ddp\nddp,procs=4\nddp", "2,0,2", ""},
		{"ddp,procs=device", "2,0,2",
		 "component 1: one process per device, but some node there "
		 "has none (devices by node: 0); ask for them with "},
		{"ddp\nddp", "1,1,1",
		 "srun has told the options of 2 components, but the step has "
		 "3"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char remark[COMPONENTS_REMARK_SIZE];
		struct err err = {""};
		struct job job = {
			.ntasks = 3,
			.nnodes = 3,
			.tasks = strdup("1(x3)"),
			.firsts = strdup("0,1,2"),
			.procs = strdup(rows[i].devices),
		};
		const char *line = deal(&job, rows[i].options, remark, &err) < 0
					   ? err.text
					   : remark;

		assert_case(rows[i].options,
			    !strncmp(line, rows[i].line, strlen(rows[i].line)));
		assert_case(rows[i].options, *rows[i].line || !*line);
		job_clear(&job);
	}
}

static void nonsense(void **state)
{
	static const char *const firsts[] = {"",      "1(x3)", "0,0,2,2",
					     "0,2,2", "0",     "0(x2),1"};

	(void)state;
	for (size_t i = 0; i < COUNT(firsts); i++) {
		struct job job = {.ntasks = 3, .firsts = strdup(firsts[i])};
		unsigned number, n;
		struct err err;

		assert_case(firsts[i],
			    component_of(&job, 0, &number, &n, &err) < 0);
		job_clear(&job);
	}
}

static void agree(void **state)
{
	static const struct {
		const char *a, *b, *line;
	} rows[] = {
		{"ddp", "ddp", NULL},
		{"ddp", "pytorch,procs=2,visible=one,bind=off", NULL},
		{"ddp,grace=5", "ddp,procs=1,grace=5", NULL},
		{"ddp", "none",
		 "component 1 asks for none, but component 0 for ddp: "},
		{"ddp", "tf", "component 1 asks for tf, but component 0 for "},
		{"ddp,port=25000", "ddp",
		 "components 0 and 1 differ in the key port, which holds "},
		{"ddp", "ddp,log-dir=/a",
		 "components 0 and 1 differ in the key log-dir, "},
	};
	struct config c = {0};
	struct err err;

	(void)state;
	assert_int_equal(config_parse(0, NULL, &c, &err), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		int rc = components_agree(rows[i].a, 0, rows[i].b, 1, &c, &err);

		assert_case(rows[i].b, rc == (rows[i].line ? -1 : 0));
		if (rc < 0)
			assert_case(err.text, !strncmp(err.text, rows[i].line,
						       strlen(rows[i].line)));
	}
	config_clear(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_steps),
		cmocka_unit_test(lines),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
