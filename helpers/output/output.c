/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of a task's processes, as the keys label, log-dir, log-tee and
 * timeline ask for: opens the files, gives each process its pipes, and tells
 * the timeline of first outputs. The launcher (helpers/launch) is the only
 * caller.
 */
#include "helpers/output/output.h"

#include "helpers/output/line_writer.h"
#include "sys/kept/log_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Mark this task's ranks in log-tee. */
static void read_tee(struct output_ranks *r, const char *list)
{
	while (list && *list) {
		char *end;
		unsigned long rank = strtoul(list, &end, 10);

		if (rank >= r->first && rank - r->first < r->nranks)
			r->tee[rank - r->first] = true;
		list = *end ? end + 1 : end;
	}
}

static int open_log(struct output_ranks *r, const struct plan *plan, unsigned i,
		    struct err *err)
{
	static const char *const stream[] = {"out", "err"};
	struct outfile *log = &r->logs.file[i];

	log->name = log_file_name(plan, r->first + i / 2,
				  i / 2 < r->nranks ? NULL : r->service,
				  stream[i % 2], err);
	if (!log->name)
		return -1;
	log->fd = log_open("log-dir", log->name, err);
	return log->fd < 0 ? -1 : 0;
}

/* All files are opened before any process starts. */
static int open_logs(struct output_ranks *r, const struct plan *plan,
		     struct err *err)
{
	if (!request_text(plan->request, KEY_LOG_DIR))
		return 0;
	r->logs.file = calloc(2 * (size_t)r->n + 1, sizeof(*r->logs.file));
	r->tee = calloc(r->n + 1, sizeof(*r->tee));
	if (!r->logs.file || !r->tee)
		return err_memory(err);
	r->logs.n = 2 * r->n;
	for (unsigned i = 0; i < 2 * r->n; i++)
		r->logs.file[i].fd = -1;
	for (unsigned i = 0; i < 2 * r->n; i++)
		if (open_log(r, plan, i, err) < 0)
			return -1;
	read_tee(r, request_text(plan->request, KEY_LOG_TEE));
	return 0;
}

static void output_ranks_free(struct output_ranks *r)
{
	for (unsigned i = 0; r->logs.file && i < r->logs.n; i++) {
		close_fd(&r->logs.file[i].fd);
		free((char *)r->logs.file[i].name);
	}
	free(r->logs.file);
	free(r->tee);
	free(r->last);
	free(r->heard_ms);
	free(r);
}

/* Those of the plan, with their log files open. NULL on failure. */
static struct output_ranks *output_ranks_new(const struct plan *plan,
					     struct err *err)
{
	size_t n = plan->nprocs + plan->service.here + 1;
	struct output_ranks *r = calloc(1, sizeof(*r));

	if (!r)
		return err_memory_null(err);
	r->last = calloc(n, sizeof(*r->last));
	r->heard_ms = calloc(n, sizeof(*r->heard_ms));
	if (!r->last || !r->heard_ms) {
		output_ranks_free(r);
		return err_memory_null(err);
	}
	r->nranks = plan->nprocs;
	r->n = plan->nprocs + plan->service.here;
	service_name(plan, r->service);
	r->first = plan->first_rank;
	r->world_size = plan->world_size;
	if (open_logs(r, plan, err) == 0)
		return r;
	output_ranks_free(r);
	return NULL;
}

/* A line in the log of each: whoever reads it sees on which node the rest of
 * it was written. */
static void output_ranks_say_where(const struct output_ranks *r,
				   const struct plan *plan)
{
	char line[512];
	int n;

	for (unsigned i = 0; r->logs.file && i < r->nranks; i++) {
		n = snprintf(line, sizeof(line),
			     "dist-train: round %u: rank %u is on %s\n",
			     plan->job->round, r->first + i,
			     plan->job->node_name);
		if (n > 0 && (size_t)n < sizeof(line))
			outfile_write(&r->logs.file[2 * i + 1], line,
				      (size_t)n);
	}
}

#define CLOSE_WAIT_MS 2000

struct output {
	struct loop *loop;
	struct loop_watch done;
	void (*drained)(void *arg);
	void *arg;
	struct io_thread io_thread;
	bool label;
	const struct timeline *timeline;
	const struct plan *plan;
	struct output_ranks *ranks; /* that are here now */
	char text[TAIL_SIZE + 2];
};

static int add_ranks(struct output *o, struct err *err)
{
	struct output_ranks *r = output_ranks_new(o->plan, err);

	if (!r)
		return -1;
	r->before = o->ranks;
	r->logs.before = o->io_thread.logs;
	o->ranks = r;
	o->io_thread.logs = &r->logs;
	return 0;
}

static void on_done(void *arg, uint32_t events)
{
	struct output *o = arg;

	(void)events;
	loop_remove(o->loop, &o->done);
	o->drained(o->arg);
}

static int set_up(struct output *o, const struct plan *plan, struct err *err)
{
	o->label = request_yes(plan->request, KEY_LABEL);
	if (add_ranks(o, err) < 0 || io_thread_start(&o->io_thread, err) < 0)
		return -1;
	o->done = (struct loop_watch){
		.fd = o->io_thread.done_fd,
		.ready = on_done,
		.arg = o,
	};
	return loop_watch(o->loop, &o->done, EPOLLIN, err);
}

int output_again(struct output *o, struct err *err)
{
	const struct plan *plan = o->plan;
	const struct output_ranks *now = o->ranks;
	bool moved =
		plan->nprocs != now->nranks || plan->first_rank != now->first;

	if (!moved && plan->world_size == now->world_size)
		return 0;
	if (add_ranks(o, err) < 0)
		return -1;
	if (moved)
		output_ranks_say_where(o->ranks, plan);
	return 0;
}

int output_open(struct loop *loop, const struct plan *plan,
		const struct timeline *timeline, void (*drained)(void *arg),
		void *arg, struct output **ret, struct err *err)
{
	struct output *o;

	*ret = NULL;
	if (!request_text(plan->request, KEY_LOG_DIR) && timeline->fd < 0 &&
	    !request_yes(plan->request, KEY_LABEL))
		return 0;
	o = calloc(1, sizeof(*o));
	if (!o)
		return err_memory(err);
	o->loop = loop;
	o->plan = plan;
	o->timeline = timeline;
	o->drained = drained;
	o->arg = arg;
	if (set_up(o, plan, err) < 0) {
		output_close(o);
		return -1;
	}
	*ret = o;
	return 0;
}

static bool in_colour(const struct sink *sink)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(sink->target.fd) && (!no_color || !*no_color) &&
	       (!term || strcmp(term, "dumb") != 0);
}

/* Where a stream goes: file, terminal or both. */
static void set_ways(struct output *o, struct stream *s, unsigned index,
		     bool is_err)
{
	struct sink *sink = is_err ? o->io_thread.err_sink : &o->io_thread.out;
	const struct output_ranks *r = o->ranks;
	char name[PREFIX_SIZE];

	s->heard_ms = &r->heard_ms[index];
	if (is_err)
		s->last = &r->last[index];
	if (r->logs.file)
		s->log = &r->logs.file[2 * index + is_err];
	if (r->logs.file && !r->tee[index])
		return;
	if (!o->label) {
		s->raw = sink;
		return;
	}
	s->lines.sink = sink;
	if (index < r->nranks && o->plan->job->world) {
		snprintf(name, sizeof(name), "%s:%u", o->plan->job->world,
			 r->first + index);
		line_writer_set_name(&s->lines, name, in_colour(sink));
	} else if (index < r->nranks)
		line_writer_set_prefix(&s->lines, r->first + index,
				       r->world_size, in_colour(sink));
	else
		line_writer_set_name(&s->lines, r->service, in_colour(sink));
}

static int attach(struct output *o, unsigned index, bool is_err,
		  const struct process *process, int *ret, struct err *err)
{
	cleanup_free struct stream *s = calloc(1, sizeof(*s));
	cleanup_close int in = -1, out = -1;
	int fd[2];

	if (!s)
		return err_memory(err);
	if (pipe2(fd, O_CLOEXEC) < 0)
		return err_printf(err, "can't make a pipe for output: %s",
				  strerror(errno));
	in = fd[0];
	out = fd[1];
	fcntl(in, F_SETFL, O_NONBLOCK);
	s->watch.fd = in;
	s->timeline = index < o->ranks->nranks ? o->timeline : NULL;
	s->who = timeline_who(o->plan, process);
	set_ways(o, s, index, is_err);
	if (io_thread_attach(&o->io_thread, s, err) < 0)
		return -1;
	*ret = out;
	in = out = -1;
	s = NULL;
	return 0;
}

int output_attach(struct output *output, unsigned index,
		  const struct process *process, int *ret_out, int *ret_err,
		  struct err *err)
{
	cleanup_close int out = -1;

	if (attach(output, index, false, process, &out, err) < 0 ||
	    attach(output, index, true, process, ret_err, err) < 0)
		return -1;
	*ret_out = out;
	out = -1;
	return 0;
}

void output_finish(struct output *output)
{
	io_thread_finish(&output->io_thread);
}

void output_say(struct output *output, const char *lines)
{
	io_thread_say(&output->io_thread, lines);
}

const char *output_last_lines(struct output *output, unsigned index)
{
	return io_thread_last_lines(&output->io_thread,
				    &output->ranks->last[index], output->text);
}

uint64_t output_heard_ms(const struct output *output, unsigned index)
{
	return atomic_load_explicit(&output->ranks->heard_ms[index],
				    memory_order_relaxed);
}

void output_close(struct output *output)
{
	if (!output)
		return;
	loop_remove(output->loop, &output->done);
	if (!io_thread_close(&output->io_thread, CLOSE_WAIT_MS))
		return;
	while (output->ranks) {
		struct output_ranks *r = output->ranks;

		output->ranks = r->before;
		output_ranks_free(r);
	}
	free(output);
}
