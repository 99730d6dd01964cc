/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/stack/stack_show.h"
#include "helpers/cli/groups_json.h"

/* --- for a person --- */

static void show_names(FILE *f, const char *what,
		       const struct node_names *nodes)
{
	char text[NODE_NAMES_SIZE];

	if (nodes->n)
		fprintf(f, "%s %s", what, node_names_text(nodes, 0, text));
}

void stack_text(FILE *f, const struct stack_view *v, bool all)
{
	for (unsigned i = 0; i < v->ngroups; i++)
		stacks_print_group(f, v->stacks, &v->group[i], all);
	if (!v->ngroups)
		fprintf(f, "no rank of step %lu.%lu runs yet\n", v->job,
			v->step);
	stacks_print_notes(f, v->stacks);
	if (v->answered.n >= v->nnodes)
		return;
	fprintf(f, "note: %u of %u nodes have answered", v->answered.n,
		v->nnodes);
	show_names(f, "; no answer from", &v->silent);
	show_names(f, "; not here:", &v->away);
	fputc('\n', f);
}

/* --- for a program --- */

static void put_thread(struct json *j, const struct stack_thread *t)
{
	json_add(j, "{tid:%d name:%s state:%c wchan?:%s frames:[", (int)t->tid,
		 t->name, t->state, t->wchan);
	for (unsigned i = 0; i < t->nframes; i++)
		json_frame(j, "", &t->frame[i]);
	json_add(j, "]}");
}

static void put_proc(struct json *j, const struct stack_proc *p)
{
	json_add(j,
		 "{world?:%s rank:%d node:%s pid:%d child:%i name:%s "
		 "state:%c tool:%s threads:[",
		 p->world, (int)p->rank, p->node, (int)p->pid, p->child,
		 p->comm, p->state, p->tool);
	for (unsigned i = 0; i < p->nthreads; i++)
		put_thread(j, &p->thread[i]);
	json_add(j, "]}");
}

static void put_names(struct json *j, const char *name,
		      const struct node_names *nodes)
{
	json_open(j, name, '[');
	for (unsigned i = 0; i < nodes->n; i++)
		json_add(j, "%s", nodes->name[i]);
	json_add(j, "]");
}

void stack_json(FILE *f, const struct stack_view *v)
{
	struct json j = json_begin(f);
	const struct stack_proc *const *proc;
	const char *const *note;
	unsigned nprocs = stacks_procs(v->stacks, &proc);
	unsigned nnotes = stacks_notes(v->stacks, &note);

	json_add(&j, "job:%lu step:%lu nodes:%u nodes_answered:%u", v->job,
		 v->step, v->nnodes, v->answered.n);
	put_names(&j, "away", &v->away);
	put_names(&j, "silent", &v->silent);
	json_groups(&j, v->group, v->ngroups);
	json_add(&j, "processes:[");
	for (unsigned i = 0; i < nprocs; i++)
		put_proc(&j, proc[i]);
	json_add(&j, "] notes:[");
	for (unsigned i = 0; i < nnotes; i++)
		json_add(&j, "%s", note[i]);
	json_add(&j, "]");
	json_end(&j);
}
