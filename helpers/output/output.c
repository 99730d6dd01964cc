/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of a task's processes, as the keys label, log-dir, log-tee and
 * timeline ask for: opens the files, gives each process its pipes, and tells
 * the timeline of first outputs. The launcher (helpers/launch) is the only
 * caller.
 */
#include "helpers/output/output.h"

#include "core/base/cleanup.h"
#include "core/plan/service.h"
#include "helpers/output/io_thread.h"
#include "helpers/output/log_file.h"
#include "helpers/output/log_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define CLOSE_WAIT_MS 2000

struct output {
	struct loop *loop;
	struct loop_watch done;
	void (*drained)(void *arg);
	void *arg;
	struct io_thread io_thread;
	unsigned n, first_rank, world_size;
	unsigned nranks; /* number of processes; the last stream may be a
			    service's */
	char service[SERVICE_NAME_SIZE];
	bool label;
	const struct timeline *timeline;
	const struct plan *plan;
	struct outfile *log; /* two per process; NULL without log-dir */
	bool *tee;	     /* with log-dir: also to the terminal */
	struct last_lines *last;
	char text[TAIL_SIZE + 2];
};

/* Mark this task's ranks in log-tee. */
static void read_tee(struct output *o, const char *list)
{
	while (list && *list) {
		char *end;
		unsigned long rank = strtoul(list, &end, 10);

		if (rank >= o->first_rank && rank - o->first_rank < o->nranks)
			o->tee[rank - o->first_rank] = true;
		list = *end ? end + 1 : end;
	}
}

static int open_log(struct output *o, const struct plan *plan, unsigned i,
		    struct err *err)
{
	static const char *const stream[] = {"out", "err"};
	struct outfile *log = &o->log[i];

	log->name = log_file_name(plan, o->first_rank + i / 2,
				  i / 2 < o->nranks ? NULL : o->service,
				  stream[i % 2], err);
	if (!log->name)
		return -1;
	log->fd = log_open("log-dir", log->name, err);
	return log->fd < 0 ? -1 : 0;
}

/* All files are opened before any process starts. */
static int open_logs(struct output *o, const struct plan *plan, struct err *err)
{
	if (!request_text(plan->request, KEY_LOG_DIR))
		return 0;
	o->log = calloc(2 * (size_t)o->n, sizeof(*o->log));
	o->tee = calloc(o->n, sizeof(*o->tee));
	if (!o->log || !o->tee)
		return err_memory(err);
	o->io_thread.log = o->log;
	o->io_thread.nlogs = 2 * o->n;
	for (unsigned i = 0; i < 2 * o->n; i++)
		o->log[i].fd = -1;
	for (unsigned i = 0; i < 2 * o->n; i++)
		if (open_log(o, plan, i, err) < 0)
			return -1;
	read_tee(o, request_text(plan->request, KEY_LOG_TEE));
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
	o->nranks = plan->nprocs;
	o->n = plan->nprocs + plan->service.here;
	service_name(plan, o->service);
	o->first_rank = plan->first_rank;
	o->world_size = plan->world_size;
	o->label = request_yes(plan->request, KEY_LABEL);
	o->last = calloc(o->n, sizeof(*o->last));
	if (!o->last)
		return err_memory(err);
	if (open_logs(o, plan, err) < 0 ||
	    io_thread_start(&o->io_thread, err) < 0)
		return -1;
	o->done = (struct loop_watch){
		.fd = o->io_thread.done_fd,
		.ready = on_done,
		.arg = o,
	};
	return loop_watch(o->loop, &o->done, EPOLLIN, err);
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

	if (is_err)
		s->last = &o->last[index];
	if (o->log)
		s->log = &o->log[2 * index + is_err];
	if (o->log && !o->tee[index])
		return;
	if (!o->label) {
		s->raw = sink;
		return;
	}
	s->lines.sink = sink;
	if (index < o->nranks)
		line_writer_set_prefix(&s->lines, o->first_rank + index,
				       o->world_size, in_colour(sink));
	else
		line_writer_set_name(&s->lines, o->service, in_colour(sink));
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
	s->timeline = index < o->nranks ? o->timeline : NULL;
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
	return io_thread_last_lines(&output->io_thread, &output->last[index],
				    output->text);
}

void output_close(struct output *output)
{
	if (!output)
		return;
	loop_remove(output->loop, &output->done);
	if (!io_thread_close(&output->io_thread, CLOSE_WAIT_MS))
		return;
	for (unsigned i = 0; output->log && i < 2 * output->n; i++) {
		if (output->log[i].fd >= 0)
			close(output->log[i].fd);
		free((char *)output->log[i].name);
	}
	free(output->log);
	free(output->tee);
	free(output->last);
	free(output);
}
