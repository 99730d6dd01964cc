/* SPDX-License-Identifier: Apache-2.0 */
#include "core/topology/topology.h"

#include "core/base/array.h"
#include "core/base/hostlist.h"
#include "core/base/parse.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum kind { SWITCH, AGGREGATE, BLOCK };

/* A line. Its texts point into the reader's copy. */
struct unit {
	enum kind kind;
	char *name, *nodes, *switches; /* the last two may be NULL */
	unsigned nnodes;	       /* of `nodes` */
	unsigned parent;	       /* or TOPOLOGY_NONE */
	unsigned nouter;	       /* units that contain it */
};

struct reader {
	char *text;
	struct unit *unit;
	unsigned n;
	struct unit **by_name;
	struct hostindex nodes; /* of the step */
	unsigned *own_switch, *own_block;
	struct unit *now; /* whose list is being read */
	struct err *err;
};

/* --- lines --- */

/* What follows "KEY=" in a word, or NULL. */
static char *value_of(char *word, const char *key)
{
	size_t n = strlen(key);

	return !strncasecmp(word, key, n) && word[n] == '=' ? word + n + 1
							    : NULL;
}

static bool begin_unit(char *word, struct unit *ret)
{
	static const struct {
		const char *word;
		enum kind kind;
	} key[] = {{"SwitchName", SWITCH},
		   {"AggregatedBlock", AGGREGATE},
		   {"BlockName", BLOCK},
		   {"RingName", BLOCK},
		   {"TorusName", BLOCK}};

	*ret = (struct unit){.parent = TOPOLOGY_NONE};
	for (unsigned k = 0; k < sizeof(key) / sizeof(*key); k++) {
		ret->kind = key[k].kind;
		ret->name = value_of(word, key[k].word);
		if (ret->name)
			return true;
	}
	return false;
}

static int read_line(struct reader *r, char *line)
{
	static const char blanks[] = " \t\r";
	char *save, *word = strtok_r(line, blanks, &save), *value;
	struct unit unit;

	if (!word || !begin_unit(word, &unit))
		return 0;
	while ((word = strtok_r(NULL, blanks, &save))) {
		if ((value = value_of(word, "Nodes")))
			unit.nodes = value;
		else if ((value = value_of(word, "Switches")))
			unit.switches = value;
	}
	if (!array_append(&r->unit, r->n, sizeof(unit)))
		return err_memory(r->err);
	r->unit[r->n++] = unit;
	return 0;
}

/* A backslash continues a line of topology.conf, a '#' begins a comment. */
static int read_lines(struct reader *r)
{
	char *at, *save;

	for (at = r->text; (at = strstr(at, "\\\n"));)
		at[0] = at[1] = ' ';
	for (at = strtok_r(r->text, "\n", &save); at;
	     at = strtok_r(NULL, "\n", &save)) {
		at[strcspn(at, "#")] = '\0';
		if (read_line(r, at) < 0)
			return -1;
	}
	return 0;
}

/* --- who contains whom --- */

static int compare_names(const void *a, const void *b)
{
	const struct unit *x = *(struct unit *const *)a,
			  *y = *(struct unit *const *)b;

	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	return strcmp(x->name, y->name);
}

static int take_switch(void *arg, const char *name)
{
	struct reader *r = arg;
	struct unit key = {.kind = SWITCH, .name = (char *)name};
	struct unit *wanted = &key, **found;

	found = bsearch(&wanted, r->by_name, r->n, sizeof(*r->by_name),
			compare_names);
	if (found && (*found)->parent == TOPOLOGY_NONE)
		(*found)->parent = (unsigned)(r->now - r->unit);
	return 0;
}

static int list_error(const struct reader *r, const char *list)
{
	char name[SHOW_SIZE], shown[SHOW_SIZE];

	return err_printf(r->err, "topology: %s of %s isn't a list of names",
			  show(shown, list), show(name, r->now->name));
}

static int find_parents(struct reader *r)
{
	r->by_name = calloc(r->n + 1UL, sizeof(*r->by_name));
	if (!r->by_name)
		return err_memory(r->err);
	for (unsigned i = 0; i < r->n; i++)
		r->by_name[i] = &r->unit[i];
	qsort(r->by_name, r->n, sizeof(*r->by_name), compare_names);
	for (unsigned i = 0; i < r->n; i++) {
		r->now = &r->unit[i];
		if (r->now->switches &&
		    hostlist_each(r->now->switches, take_switch, r) < 0)
			return list_error(r, r->now->switches);
	}
	return 0;
}

static int count_outer(struct reader *r)
{
	char shown[SHOW_SIZE];

	for (unsigned i = 0; i < r->n; i++) {
		unsigned at = r->unit[i].parent, n = 0;

		for (; at != TOPOLOGY_NONE; at = r->unit[at].parent)
			if (++n == TOPOLOGY_LEVELS_MAX)
				return err_printf(
					r->err,
					"topology: %s is below %d others or "
					"more, or below itself",
					show(shown, r->unit[i].name), n);
		r->unit[i].nouter = n;
	}
	return 0;
}

/* --- where each node is --- */

static int take_node(void *arg, const char *name)
{
	struct reader *r = arg;
	unsigned node, me = (unsigned)(r->now - r->unit), *own;

	if (hostindex_find(&r->nodes, name, &node) < 0)
		return 0;
	own = r->now->kind == SWITCH ? &r->own_switch[node]
				     : &r->own_block[node];
	if (r->now->kind == SWITCH) {
		if (*own == TOPOLOGY_NONE ||
		    r->unit[*own].nouter <= r->now->nouter)
			*own = me;
		return 0;
	}
	if (r->now->parent == TOPOLOGY_NONE && *own != TOPOLOGY_NONE &&
	    r->unit[*own].kind == AGGREGATE)
		r->now->parent = *own;
	*own = me;
	return 0;
}

/* Switches in any order; then the blocks, each after those that contain it. */
static int compare_sizes(const void *a, const void *b)
{
	const struct unit *x = *(struct unit *const *)a,
			  *y = *(struct unit *const *)b;

	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	if (x->nnodes != y->nnodes)
		return x->nnodes < y->nnodes ? 1 : -1;
	return (x > y) - (x < y);
}

static int find_nodes(struct reader *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		r->now = &r->unit[i];
		if (r->now->nodes &&
		    hostlist_count(r->now->nodes, &r->now->nnodes) < 0)
			return list_error(r, r->now->nodes);
	}
	qsort(r->by_name, r->n, sizeof(*r->by_name), compare_sizes);
	for (unsigned i = 0; i < r->n; i++) {
		r->now = r->by_name[i];
		if (r->now->nodes)
			hostlist_each(r->now->nodes, take_node, r);
	}
	return 0;
}

/* --- the result --- */

/* The units that a node is in, from the outermost on. */
static unsigned branch_of(const struct reader *r, unsigned own,
			  unsigned branch[TOPOLOGY_LEVELS_MAX])
{
	unsigned n = own == TOPOLOGY_NONE ? 0 : r->unit[own].nouter + 1;

	for (unsigned i = n; i; i--) {
		branch[i - 1] = own;
		own = r->unit[own].parent;
	}
	return n;
}

static unsigned depth_of(const struct reader *r, const unsigned *own)
{
	unsigned depth = 0;

	for (unsigned i = 0; i < r->nodes.n; i++)
		if (own[i] != TOPOLOGY_NONE && r->unit[own[i]].nouter >= depth)
			depth = r->unit[own[i]].nouter + 1;
	return depth;
}

static int put_units(const struct reader *r, struct topology *t)
{
	t->name = calloc(r->n + 1UL, sizeof(*t->name));
	t->leaf = calloc(r->n + 1UL, sizeof(*t->leaf));
	if (!t->name || !t->leaf)
		return err_memory(r->err);
	for (t->nunits = 0; t->nunits < r->n; t->nunits++) {
		const struct unit *unit = &r->unit[t->nunits];

		if (unit->kind == SWITCH && !unit->switches)
			t->leaf[t->nunits] = unit->nnodes;
		t->name[t->nunits] = strdup(unit->name);
		if (!t->name[t->nunits])
			return err_memory(r->err);
	}
	return 0;
}

/* Put a branch, `n` units from the outermost to the innermost, into `depth`
 * levels of a path; n may be 0. The levels in front that it doesn't have hold
 * its outermost unit. */
static void put_branch(unsigned *path, unsigned depth, const unsigned *unit,
		       unsigned n)
{
	for (unsigned i = 0; i < depth; i++) {
		unsigned back = depth - i;

		if (!n)
			path[i] = TOPOLOGY_NONE;
		else
			path[i] = unit[back > n ? 0 : n - back];
	}
}

static int put_result(const struct reader *r, struct topology *t)
{
	unsigned branch[TOPOLOGY_LEVELS_MAX], n, *path;

	t->nnodes = r->nodes.n;
	t->block_depth = depth_of(r, r->own_block);
	t->depth = t->block_depth + depth_of(r, r->own_switch);
	t->path = calloc((size_t)t->nnodes * t->depth + 1, sizeof(*t->path));
	if (!t->path)
		return err_memory(r->err);
	for (unsigned i = 0; i < t->nnodes; i++) {
		path = t->path + (size_t)i * t->depth;
		n = branch_of(r, r->own_block[i], branch);
		put_branch(path, t->block_depth, branch, n);
		n = branch_of(r, r->own_switch[i], branch);
		put_branch(path + t->block_depth, t->depth - t->block_depth,
			   branch, n);
	}
	return put_units(r, t);
}

static void reader_clear(struct reader *r)
{
	free(r->text);
	free(r->unit);
	free(r->by_name);
	free(r->own_switch);
	free(r->own_block);
	hostindex_clear(&r->nodes);
}

static int begin(struct reader *r, const char *text, const char *nodes)
{
	if (hostindex_make(nodes, &r->nodes, r->err) < 0)
		return -1;
	r->text = strdup(text);
	r->own_switch = calloc(r->nodes.n + 1UL, sizeof(*r->own_switch));
	r->own_block = calloc(r->nodes.n + 1UL, sizeof(*r->own_block));
	if (!r->text || !r->own_switch || !r->own_block)
		return err_memory(r->err);
	for (unsigned i = 0; i < r->nodes.n; i++)
		r->own_switch[i] = r->own_block[i] = TOPOLOGY_NONE;
	return 0;
}

int topology_read(const char *text, const char *nodes, struct topology *ret,
		  struct err *err)
{
	__attribute__((cleanup(reader_clear))) struct reader r = {.err = err};
	struct topology t = {0};

	/* Blocks find their parents among the nodes, so depths come twice. */
	if (begin(&r, text, nodes) < 0 || read_lines(&r) < 0 ||
	    find_parents(&r) < 0 || count_outer(&r) < 0 || find_nodes(&r) < 0 ||
	    count_outer(&r) < 0)
		return -1;
	if (put_result(&r, &t) < 0) {
		topology_clear(&t);
		return -1;
	}
	*ret = t;
	return 0;
}
