/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/sample/sample_rank.h"

#include "core/facts/rows.h"
#include "helpers/sample/proc_look.h"
#include "helpers/sample/tools.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <limits.h>
#include <string.h>
#include <time.h>

#define TOOL_MS_MIN 50 /* below that none is begun */
#define NOTE_MAX    200
#define UNDO_MS	    50

/* What is known of it by now. */
struct found {
	struct proc_stat stat;
	unsigned nthreads, all; /* of its threads: here, and there */
	struct proc_thread thread[SAMPLE_THREADS];
	enum tool_id tool; /* TOOL_COUNT: none */
	struct tool_stacks stacks;
};

/* Whether a thread has one of the states. */
static bool has_state(const struct found *found, const char *states)
{
	for (unsigned i = 0; i < found->nthreads; i++)
		if (strchr(states, found->thread[i].state))
			return true;
	return false;
}

/* In the kernel, or in a place that it only leaves for state D: a read of a
 * FUSE file, once a signal has come. Who stops it waits as long as it does. */
static bool is_stuck(const struct found *found)
{
	for (unsigned i = 0; i < found->nthreads; i++)
		if (!strcmp(found->thread[i].wchan, "request_wait_answer") ||
		    !strncmp(found->thread[i].wchan, "fuse_", 5))
			return true;
	return has_state(found, "D");
}

static void note(FILE *f, const struct sample_process *p,
		 const struct found *found, const char *what, const char *why)
{
	char text[NOTE_MAX * 2];

	snprintf(text, sizeof(text), "rank %ld, %s (pid %d): %s%s%.*s", p->rank,
		 found->stat.name, (int)p->pid, what, *what ? ": " : "",
		 NOTE_MAX, why);
	row_note(f, text);
}

/* --- a tool --- */

/* The first line that a tool has printed. */
static const char *first_line(char *text)
{
	text += strspn(text, " \n");
	text[strcspn(text, "\n")] = '\0';
	return *text ? text : "it said nothing";
}

/* One that has found nothing may have died, and the stop comes late. */
static void undo_stop(struct stop_undo *undo)
{
	static const struct timespec pause = {0, UNDO_MS * 1000000L};

	stop_undo(undo);
	nanosleep(&pause, NULL);
	stop_undo(undo);
}

/* A stack that it has found, of any thread. */
static bool has_frames(const struct tool_stacks *s)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->thread[i].n)
			return true;
	return false;
}

/* Whether the state of its threads lets the tool look. */
static bool can_look(struct tool_call *call, enum tool_id id,
		     const struct found *found)
{
	call->quiet = is_stuck(found) || has_state(found, "Tt");
	return !(is_stuck(found) && tools[id].stops);
}

static int run_tool(const struct sample_process *p,
		    const struct tool_call *call, long ms,
		    const struct found *found, struct err *err)
{
	if (!has_state(found, "Tt"))
		stop_undo_begin(p->undo, p->pid);
	return subprocess_ask_program(call->argv, (int)ms, p->text, p->size,
				      err);
}

/* What it says when it fails is one line, and no stack. Returns NULL, or that
 * line. */
static const char *read_stacks(const struct sample_process *p, enum tool_id id,
			       struct found *found, struct err *err)
{
	snprintf(err->text, sizeof(err->text), "%.*s", NOTE_MAX, p->text);
	tools[id].read(p->text, &found->stacks);
	if (has_frames(&found->stacks)) {
		found->tool = id;
		return NULL;
	}
	found->stacks.n = 0;
	return first_line(err->text);
}

/* Returns why it has found nothing; NULL: it has. */
static const char *ask_tool(const struct sample_process *p, enum tool_id id,
			    const char *file, struct found *found,
			    struct err *err)
{
	struct tool_call call = {.native = p->native};
	uint64_t now = loop_now_ms();
	uint64_t left = p->until_ms > now ? p->until_ms - now : 0;
	const char *why = err->text;

	if (!can_look(&call, id, found))
		return "it can't look at a process that is stuck in the kernel";
	if (left < TOOL_MS_MIN)
		return "no time was left for it";
	tool_call_make(id, file, p->pid, &call);
	if (run_tool(p, &call, (long)left, found, err) == 0)
		why = read_stacks(p, id, found, err);
	if (why)
		undo_stop(p->undo);
	stop_undo_end(p->undo);
	return why;
}

/* Those that tell Python's frames, or those that don't, until one does. Returns
 * how many of them are here. */
static unsigned try_tools(const struct sample_process *p, bool python,
			  struct found *found, FILE *f)
{
	char file[PATH_MAX];
	unsigned here = 0;
	struct err err;

	for (int id = 0; id < TOOL_COUNT && found->tool == TOOL_COUNT; id++) {
		const char *why;

		if (tools[id].python != python ||
		    program_path(tools[id].name, p->pid, file, sizeof(file)) <
			    0)
			continue;
		here++;
		why = ask_tool(p, id, file, found, &err);
		if (why)
			note(f, p, found, tools[id].name, why);
	}
	return here;
}

static void find_stacks(const struct sample_process *p, struct found *found,
			FILE *f)
{
	const char *refusal = trace_refusal(trace_scope(), geteuid(), p->own);

	if (refusal) {
		note(f, p, found, "", refusal);
		return;
	}
	if (p->python && !try_tools(p, true, found, f))
		note(f, p, found, "",
		     "no Python stack without py-spy; in the job's Python: pip "
		     "install py-spy");
	if (found->tool == TOOL_COUNT && !p->cheap &&
	    !try_tools(p, false, found, f) && !p->python)
		note(f, p, found, "",
		     "no stack without eu-stack; on the nodes: install "
		     "elfutils");
}

/* --- rows --- */

static void put_frame(FILE *f, const struct tool_frame *frame)
{
	row_begin(f, "frame");
	row_text(f, frame->function);
	row_text(f, frame->file);
	row_number(f, frame->line);
	row_end(f);
}

/* What the tool has seen of the thread. One that has no number may be the main
 * one. */
static const struct tool_thread *seen_of(const struct found *found, long tid,
					 bool is_main)
{
	const struct tool_stacks *s = &found->stacks;

	for (unsigned i = 0; i < s->n; i++)
		if (s->thread[i].tid == tid ||
		    (is_main && !s->thread[i].tid &&
		     !strcmp(s->thread[i].name, "MainThread")))
			return &s->thread[i];
	return NULL;
}

static void put_thread(FILE *f, const struct found *found, unsigned i)
{
	const struct proc_thread *t = &found->thread[i];
	const struct tool_thread *seen = seen_of(found, t->tid, i == 0);
	char call[PROC_NAME_SIZE * 2] = "";

	if (*t->call)
		snprintf(call, sizeof(call), "syscall %s", t->call);
	row_begin(f, "thread");
	row_number(f, t->tid);
	row_text(f, seen && *seen->name ? seen->name : t->name);
	row_text(f, (char[]){t->state, '\0'});
	row_text(f, *t->wchan ? t->wchan : call);
	row_end(f);
	for (unsigned k = 0; seen && k < seen->n; k++)
		put_frame(f, &seen->frame[k]);
}

static void put_process(const struct sample_process *p,
			const struct found *found, FILE *f)
{
	const enum tool_id tool = found->tool;

	row_begin(f, p->row);
	row_number(f, p->rank);
	row_number(f, p->pid);
	row_text(f, found->stat.name);
	row_text(f, tool == TOOL_COUNT ? "proc" : tools[tool].name);
	row_text(f, (char[]){found->stat.state, '\0'});
	row_end(f);
	for (unsigned i = 0; i < found->nthreads; i++)
		put_thread(f, found, i);
}

void sample_process(const struct sample_process *p, FILE *f)
{
	cleanup_free struct found *found = calloc(1, sizeof(*found));
	cleanup_free char *notes = NULL;
	size_t size;
	FILE *said = open_memstream(&notes, &size);

	if (!found || !said) {
		if (said)
			fclose(said);
		return;
	}
	found->tool = TOOL_COUNT;
	if (proc_stat_read("", p->pid, 0, &found->stat) == 0) {
		found->nthreads =
			proc_threads(p->pid, found->thread, &found->all);
		find_stacks(p, found, said);
		put_process(p, found, f);
		if (found->all > found->nthreads)
			note(said, p, found, "",
			     "it has more threads than are "
			     "shown");
	}
	if (fclose(said) == 0)
		fputs(notes, f);
}
