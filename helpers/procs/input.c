/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/procs/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum source { SOURCE_PIPE, SOURCE_FILE, SOURCE_TERMINAL };

/* A process, which reads from the other end of a pipe. */
struct reader {
	struct input *input;
	struct loop_watch watch; /* of the pipe; fd -1: it has ended, or takes
				    nothing */
	uint64_t at;		 /* how much it has got */
	bool attached;
};

struct input {
	struct loop *loop;
	enum source source;
	struct loop_watch watch; /* of the source */
	off_t start;		 /* of a file */
	bool ended;
	uint64_t read; /* how much has come; the last INPUT_RING are kept */
	char *ring;
	unsigned n;
	struct reader reader[];
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How much can be read before something would be lost that a reader still
 * needs; one that isn't attached yet needs all. */
static uint64_t room(const struct input *in)
{
	uint64_t last = in->read;

	for (unsigned i = 0; i < in->n; i++)
		if (in->reader[i].watch.fd >= 0 || !in->reader[i].attached)
			last = least(last, in->reader[i].at);
	return INPUT_RING - (in->read - last);
}

static bool is_read_by_any(const struct input *in)
{
	for (unsigned i = 0; i < in->n; i++)
		if (in->reader[i].watch.fd >= 0 || !in->reader[i].attached)
			return true;
	return false;
}

static void end_reader(struct reader *r)
{
	loop_remove(r->input->loop, &r->watch);
	close(r->watch.fd);
	r->watch.fd = -1;
}

/* Write what the reader lacks, until its pipe is full; it is closed at the end,
 * or when nobody reads. */
static void feed(struct reader *r)
{
	struct input *in = r->input;
	struct err err;

	while (r->at < in->read) {
		uint64_t from = r->at % INPUT_RING;
		size_t size = least(in->read - r->at, INPUT_RING - from);
		ssize_t n = write(r->watch.fd, in->ring + from, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN &&
		    loop_watch(in->loop, &r->watch, EPOLLOUT, &err) == 0)
			return;
		if (n < 0) {
			end_reader(r);
			return;
		}
		r->at += (uint64_t)n;
	}
	loop_remove(in->loop, &r->watch);
	if (in->ended)
		end_reader(r);
}

/* Wait for more where there is room for it and somebody wants it. */
static void wait_for_more(struct input *in)
{
	struct err err;

	if (in->ended || !room(in) || !is_read_by_any(in))
		loop_remove(in->loop, &in->watch);
	else if (!in->watch.added)
		loop_watch(in->loop, &in->watch, EPOLLIN, &err);
}

static void on_room(void *arg, uint32_t events)
{
	struct reader *r = arg;

	(void)events;
	feed(r);
	wait_for_more(r->input);
}

static void on_input(void *arg, uint32_t events)
{
	struct input *in = arg;
	uint64_t to = in->read % INPUT_RING;
	size_t size = least(room(in), INPUT_RING - to);
	ssize_t n = read(in->watch.fd, in->ring + to, size);

	(void)events;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0)
		in->read += (uint64_t)n;
	else
		in->ended = true;
	for (unsigned i = 0; i < in->n; i++)
		if (in->reader[i].watch.fd >= 0)
			feed(&in->reader[i]);
	wait_for_more(in);
}

/* False where there is nothing to read. */
static bool find_source(int fd, enum source *ret)
{
	struct stat s;

	if (fstat(fd, &s) < 0 || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
		return false;
	if (S_ISREG(s.st_mode))
		*ret = SOURCE_FILE;
	else if (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode))
		*ret = SOURCE_PIPE;
	else if (isatty(fd))
		*ret = SOURCE_TERMINAL;
	else
		return false;
	return true;
}

int input_open(struct loop *loop, int fd, unsigned n, struct input **ret,
	       struct err *err)
{
	enum source source;
	struct input *in;

	*ret = NULL;
	if (n < 2 || !find_source(fd, &source))
		return 0;
	in = calloc(1, sizeof(*in) + n * sizeof(in->reader[0]));
	if (!in)
		return err_memory(err);
	*in = (struct input){
		.loop = loop,
		.source = source,
		.watch = {.fd = fd, .ready = on_input, .arg = in},
		.start = source == SOURCE_FILE ? lseek(fd, 0, SEEK_CUR) : 0,
		.n = n,
	};
	for (unsigned i = 0; i < n; i++)
		in->reader[i] = (struct reader){
			.input = in,
			.watch = {.fd = -1,
				  .ready = on_room,
				  .arg = &in->reader[i]},
		};
	*ret = in;
	return 0;
}

static int open_again(const struct input *in, int *ret, struct err *err)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", in->watch.fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || lseek(fd, in->start, SEEK_SET) < 0) {
		err_printf(err,
			   "can't give each process its own standard "
			   "input: %s",
			   strerror(errno));
		close_fd(&fd);
		return -1;
	}
	*ret = fd;
	return 0;
}

static int open_null(int *ret, struct err *err)
{
	*ret = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return *ret < 0 ? err_printf(err, "can't open /dev/null: %s",
				     strerror(errno))
			: 0;
}

static int open_pipe(struct input *in, struct reader *r, int *ret,
		     struct err *err)
{
	int fd[2];

	if (!in->ring)
		in->ring = malloc(INPUT_RING);
	if (!in->ring)
		return err_memory(err);
	if (pipe2(fd, O_CLOEXEC) < 0)
		return err_printf(err, "can't make a pipe: %s",
				  strerror(errno));
	fcntl(fd[1], F_SETFL, O_NONBLOCK);
	r->watch.fd = fd[1];
	*ret = fd[0];
	feed(r);
	wait_for_more(in);
	return 0;
}

bool input_lacks_terminal(const struct input *input, unsigned index)
{
	return input && input->source == SOURCE_TERMINAL && index > 0;
}

int input_attach(struct input *input, unsigned index, bool reads, int *ret,
		 struct err *err)
{
	*ret = -1;
	if (input && index < input->n)
		input->reader[index].attached = true;
	if (!reads)
		return open_null(ret, err);
	if (!input)
		return 0;
	switch (input->source) {
	case SOURCE_FILE:
		return open_again(input, ret, err);
	case SOURCE_TERMINAL:
		return input_lacks_terminal(input, index) ? open_null(ret, err)
							  : 0;
	default:
		return open_pipe(input, &input->reader[index], ret, err);
	}
}

int input_again(struct input *input, struct err *err)
{
	if (!input || input->source != SOURCE_PIPE)
		return 0;
	if (input->read > INPUT_RING)
		return err_printf(
			err,
			"restarts: more than %u MiB of standard input have "
			"been read and can't be given to the processes again; "
			"let them read a file",
			INPUT_RING >> 20);
	for (unsigned i = 0; i < input->n; i++) {
		struct reader *r = &input->reader[i];

		if (r->watch.fd >= 0)
			end_reader(r);
		r->at = 0;
		r->attached = false;
	}
	return 0;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	loop_remove(input->loop, &input->watch);
	for (unsigned i = 0; i < input->n; i++)
		if (input->reader[i].watch.fd >= 0)
			end_reader(&input->reader[i]);
	free(input->ring);
	free(input);
}
