/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/sample/sample_rank.h"

#include "helpers/sample/proc_look.h"
#include "sys/loop.h"
#include "sys/text_file.h"

#define TEXT_SIZE (1U << 20) /* of what a tool prints; the rest is dropped */

struct rank_look {
	const struct sample_work *work;
	int out;
	uint64_t until_ms;
	unsigned n, nprograms;
	struct process_node node[PROGRAM_NODES];
	struct program program[PROGRAMS];
	char text[TEXT_SIZE];
};

static void tell(const struct rank_look *look, const char *rows, size_t n)
{
	write_full(look->out, rows, n);
}

/* The rows of one process, at most `max` bytes of them: the main thread's come
 * first. */
static void tell_process(struct rank_look *look, struct sample_process *p,
			 size_t max)
{
	cleanup_free char *rows = NULL;
	size_t n;
	FILE *f = open_memstream(&rows, &n);

	if (!f)
		return;
	p->native = look->work->native;
	p->until_ms = look->until_ms;
	p->undo = look->work->undo;
	p->text = look->text;
	p->size = sizeof(look->text);
	sample_process(p, f);
	if (fclose(f) != 0)
		return;
	while (n > max || (n && rows[n - 1] != '\n'))
		n--;
	tell(look, rows, n);
}

static bool is_program(const struct rank_look *look, int i)
{
	for (unsigned k = 0; k < look->nprograms; k++)
		if (look->program[k].index == i)
			return true;
	return false;
}

static void tell_child(struct rank_look *look, int i, long rank, size_t max)
{
	struct sample_process p = {
		.row = "child",
		.rank = rank,
		.pid = look->node[i].pid,
		.python = look->node[i].python,
		.cheap = true,
	};

	tell_process(look, &p, max);
}

/* Those below a program, up to the next one. */
static void tell_children(struct rank_look *look, const struct program *program,
			  size_t max)
{
	unsigned left = SAMPLE_CHILDREN;

	for (int i = program->index + 1; i < (int)look->n && left; i++) {
		int up = i;

		while (up > program->index && !is_program(look, up))
			up = look->node[up].parent;
		if (up != program->index)
			continue;
		tell_child(look, i, program->rank, max / SAMPLE_CHILDREN);
		left--;
	}
}

static void tell_gone(const struct rank_look *look)
{
	char text[64];
	int n = snprintf(text, sizeof(text), SAMPLE_GONE_ROW,
			 look->work->target.rank, (int)look->work->target.pid);

	tell(look, text, (size_t)n);
}

/* All programs first: theirs is what everybody asks for. */
static void tell_programs(struct rank_look *look)
{
	size_t share = look->work->rows_max / (2 * look->nprograms);

	for (unsigned i = 0; i < look->nprograms; i++) {
		const struct program *program = &look->program[i];
		const struct process_node *node = &look->node[program->index];
		struct sample_process p = {
			.row = "proc",
			.rank = program->rank,
			.pid = node->pid,
			.python = node->python,
			.own = program->index == 0,
		};

		tell_process(look, &p, share);
	}
	for (unsigned i = 0; i < look->nprograms; i++)
		tell_children(look, &look->program[i], share);
}

/* It may have waited for its turn, and another process has the number. */
static bool is_rank(const struct sample_target *target)
{
	struct proc_id id;

	return proc_id_read(target->pid, &id) == 0 &&
	       id.parent == target->parent;
}

int sample_rank(const int fd[2], const void *arg)
{
	cleanup_free struct rank_look *look = calloc(1, sizeof(*look));

	if (!look)
		return EXIT_FAILURE;
	/* eu-stack would ask a server for each library */
	unsetenv("DEBUGINFOD_URLS");
	look->work = arg;
	look->out = fd[1];
	look->until_ms = loop_now_ms() + (uint64_t)look->work->ms;
	if (is_rank(&look->work->target))
		look->n = proc_tree(look->work->target.pid, look->node);
	look->nprograms = programs_find(look->node, look->n,
					look->work->target.rank, look->program);
	if (look->nprograms)
		tell_programs(look);
	else
		tell_gone(look);
	return EXIT_SUCCESS;
}
