/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/subprocess.h"

#include "core/base/exit_code.h"
#include "sys/orphans.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_SIZE     4096
#define AFTER_KILL_MS 200
#define WAIT_POLL_MS  5
#define LOOKS_MAX     24 /* at a time, with those that hang */

/* --- the child --- */

/* The caller may block or ignore some. */
static void reset_signals(void)
{
	static const int number[] = {SIGPIPE, SIGXFSZ, SIGTERM, SIGINT,
				     SIGCHLD};
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++)
		signal(number[i], SIG_DFL);
}

/* A program of another user, who may look into it (sys/become_user.c), types
 * nothing there. */
static void give_up_terminal(void)
{
	int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	ioctl(fd, TIOCNOTTY);
	close(fd);
}

/* A program's pipes are its standard streams, a function's aren't. */
static void set_streams(const struct subprocess_spec *spec, const int fd[2])
{
	int err = spec->flags & SUBPROCESS_ERR ? fd[1] : -1, null = -1;
	const int pipes[3] = {fd[0], fd[1], err};

	if (spec->flags & SUBPROCESS_NULL &&
	    (null = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0)
		_exit(126);
	for (int to = 0; to < 3; to++) {
		int from = spec->argv && pipes[to] >= 0 ? pipes[to] : null;

		if (from >= 0 && dup2(from, to) < 0)
			_exit(126);
	}
}

static void execute(const struct subprocess_spec *spec)
{
	const char *file = spec->file ? spec->file : spec->argv[0];
	int why;

	execve(file, (char *const *)spec->argv,
	       spec->env ? spec->env : environ);
	why = errno;
	dprintf(STDERR_FILENO, "%s: %s\n", file, strerror(why));
	_exit(exit_of_exec(why));
}

/* Memory may be short: it goes first, not the processes that it looks at. */
static void offer_to_oom_killer(void)
{
	cleanup_close int fd =
		open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? write(fd, "1000", 4) : 0;

	(void)n;
}

static bool looks(const struct subprocess_spec *spec)
{
	return spec->flags & SUBPROCESS_BESIDE;
}

/* Its session names what it leaves behind (sys/orphans.h). */
static void set_place(const struct subprocess_spec *spec)
{
	if (looks(spec))
		setsid();
	else if (spec->flags & SUBPROCESS_GROUP)
		setpgid(0, 0);
}

static void stand_beside(const struct subprocess_spec *spec, const int fd[2])
{
	close_others((int[]){fd[0], fd[1], spec->keeps}, 3);
	offer_to_oom_killer();
	signal(SIGPIPE, SIG_IGN);
}

static void run_child(const struct subprocess_spec *spec, pid_t parent,
		      const int fd[2])
{
	set_place(spec);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(126);
	if (spec->flags & SUBPROCESS_NULL)
		give_up_terminal();
	set_streams(spec, fd);
	if (!(spec->flags & SUBPROCESS_SIGNALS))
		reset_signals();
	if (looks(spec))
		stand_beside(spec, fd);
	if (spec->argv)
		execute(spec);
	_exit(spec->run(fd, spec->arg));
}

/* --- its start --- */

/* Its ends are fd[], ours are in *ret. */
static int open_pipes(unsigned flags, int fd[2], struct subprocess *ret)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1};
	int rc = flags & SUBPROCESS_IN ? pipe2(in, O_CLOEXEC) : 0;

	if (rc == 0 && flags & SUBPROCESS_OUT)
		rc = pipe2(out, O_CLOEXEC);
	fd[0] = in[0];
	fd[1] = out[1];
	*ret = (struct subprocess){.in = in[1], .out = out[0], .flags = flags};
	return rc;
}

int subprocess_start(const struct subprocess_spec *spec, struct subprocess *ret,
		     struct err *err)
{
	pid_t parent = getpid(), pid = -1;
	struct subprocess sub;
	int fd[2], why;

	if (looks(spec) && orphans_nspared() >= LOOKS_MAX)
		return err_printf(err,
				  "%d processes that look at this step's don't "
				  "end: a driver or a file system hangs",
				  LOOKS_MAX);
	if (open_pipes(spec->flags, fd, &sub) == 0)
		pid = fork();
	if (pid == 0) {
		close_fd(&sub.in);
		close_fd(&sub.out);
		run_child(spec, parent, fd);
	}
	why = errno;
	close_fd(&fd[0]);
	close_fd(&fd[1]);
	sub.pid = pid;
	if (pid < 0) {
		subprocess_close(&sub);
		return err_printf(err, "can't start a process: %s",
				  strerror(why));
	}
	/* The child does it too: it is done for whoever is first */
	if (looks(spec))
		orphans_spare(pid);
	else if (spec->flags & SUBPROCESS_GROUP)
		setpgid(pid, pid);
	*ret = sub;
	return 0;
}

/* --- its output and its end --- */

static void on_output(void *arg, uint32_t events)
{
	struct subprocess *sub = arg;
	char data[READ_SIZE];
	ssize_t n = read(sub->out, data, sizeof(data));

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0)
		loop_remove(sub->loop, &sub->watch);
	sub->output(sub->arg, data, n > 0 ? (size_t)n : 0);
}

int subprocess_watch(struct subprocess *sub, struct loop *loop,
		     void (*output)(void *arg, const char *data, size_t n),
		     void *arg, struct err *err)
{
	fcntl(sub->out, F_SETFL, O_NONBLOCK);
	sub->loop = loop;
	sub->output = output;
	sub->arg = arg;
	sub->watch = (struct loop_watch){
		.fd = sub->out,
		.ready = on_output,
		.arg = sub,
	};
	return loop_watch(loop, &sub->watch, EPOLLIN, err);
}

static int left_ms(uint64_t deadline_ms)
{
	uint64_t now = loop_now_ms();

	return deadline_ms > now ? (int)(deadline_ms - now) : 0;
}

int subprocess_wait(const struct subprocess *sub, int limit_ms, int *ret_status)
{
	uint64_t deadline_ms = loop_now_ms() + (uint64_t)limit_ms;

	for (;;) {
		int status = 0;
		pid_t done = waitpid(sub->pid, &status, WNOHANG);

		if (done > 0 && ret_status)
			*ret_status = status;
		if (done == sub->pid || (done < 0 && errno != EINTR))
			return 0;
		if (!left_ms(deadline_ms))
			return -1;
		poll(NULL, 0, WAIT_POLL_MS);
	}
}

void subprocess_kill(const struct subprocess *sub, int signal)
{
	/* One that looks has no group before it has its session */
	if (!(sub->flags & SUBPROCESS_GROUP) || kill(-sub->pid, signal) < 0)
		kill(sub->pid, signal);
}

void subprocess_close(struct subprocess *sub)
{
	if (!sub->pid)
		return;
	if (sub->loop)
		loop_remove(sub->loop, &sub->watch);
	close_fd(&sub->in);
	close_fd(&sub->out);
}

/* Until the writers have gone. Returns 0, or -1 at the deadline. */
static int read_all(int fd, uint64_t deadline_ms, char *buf, size_t size,
		    size_t *ret_n)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char data[READ_SIZE];

	for (;;) {
		int ready = poll(&p, 1, left_ms(deadline_ms));
		ssize_t n = ready > 0 ? read(fd, data, sizeof(data)) : ready;
		size_t room = size - 1 - *ret_n;

		if (n < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return -1;
		if (n <= 0)
			return 0;
		if (room > (size_t)n)
			room = (size_t)n;
		memcpy(buf + *ret_n, data, room);
		*ret_n += room;
		buf[*ret_n] = '\0';
	}
}

/* A program that ends without reading it says itself why. */
static void write_input(struct subprocess *sub, const char *text)
{
	ssize_t n = write(sub->in, text, strnlen(text, SUBPROCESS_INPUT_MAX));

	(void)n;
	close_fd(&sub->in);
}

int subprocess_run(const struct subprocess_spec *spec, int limit_ms, char *buf,
		   size_t size, size_t *ret_n, struct err *err)
{
	uint64_t deadline_ms = loop_now_ms() + (uint64_t)limit_ms;
	struct subprocess sub;
	int rc;

	*buf = '\0';
	*ret_n = 0;
	if (subprocess_start(spec, &sub, err) < 0)
		return -1;
	if (spec->input)
		write_input(&sub, spec->input);
	rc = read_all(sub.out, deadline_ms, buf, size, ret_n);
	if (rc == 0)
		rc = subprocess_wait(&sub, left_ms(deadline_ms), NULL);
	if (rc < 0) {
		subprocess_kill(&sub, SIGKILL);
		subprocess_wait(&sub, AFTER_KILL_MS, NULL);
		err_printf(err, "no end after %.1f s, so it was killed",
			   limit_ms / 1000.0);
	}
	subprocess_close(&sub);
	return rc;
}

static int ask(const struct subprocess_spec *spec, int limit_ms, char *buf,
	       size_t size, struct err *err)
{
	size_t n, kept = 0;
	int rc = subprocess_run(spec, limit_ms, buf, size, &n, err);

	for (size_t i = 0; i < n; i++)
		if (buf[i])
			buf[kept++] = buf[i];
	buf[kept] = '\0';
	return rc;
}

int subprocess_ask_program(const char *const argv[], int limit_ms, char *buf,
			   size_t size, struct err *err)
{
	return ask(&(struct subprocess_spec){.argv = argv,
					     .flags = SUBPROCESS_HANGS},
		   limit_ms, buf, size, err);
}

int subprocess_ask(int (*run)(const int fd[2], const void *arg),
		   const void *arg, int limit_ms, char *buf, size_t size,
		   struct err *err)
{
	return ask(&(struct subprocess_spec){.run = run,
					     .arg = arg,
					     .flags = SUBPROCESS_HANGS},
		   limit_ms, buf, size, err);
}

/* --- all that it says --- */

/* Nobody has its number any more: another process may get it. */
static void end_child(struct subprocess_text *t, bool killed)
{
	loop_disarm(t->loop, &t->limit);
	if (killed)
		subprocess_kill(&t->child, SIGKILL);
	subprocess_close(&t->child);
	t->child = (struct subprocess){0};
}

static void finish(struct subprocess_text *t, bool late)
{
	end_child(t, late);
	t->text[t->n] = '\0';
	t->done(t->arg, t->text, late);
}

static void on_text(void *arg, const char *data, size_t n)
{
	struct subprocess_text *t = arg;
	size_t room = t->max - t->n;

	if (!n) {
		finish(t, false);
		return;
	}
	n = n < room ? n : room;
	memcpy(t->text + t->n, data, n);
	t->n += n;
}

static void on_limit(void *arg)
{
	finish(arg, true);
}

int subprocess_text_begin(struct subprocess_text *t,
			  const struct subprocess_spec *spec, uint64_t limit_ms,
			  struct err *err)
{
	t->n = 0;
	t->limit = (struct loop_timer){.expired = on_limit, .arg = t};
	t->text = malloc(t->max + 1);
	if (!t->text)
		return err_memory(err);
	if (subprocess_start(spec, &t->child, err) == 0) {
		loop_arm(t->loop, &t->limit, limit_ms);
		if (subprocess_watch(&t->child, t->loop, on_text, t, err) == 0)
			return 0;
	}
	subprocess_text_drop(t);
	return -1;
}

void subprocess_text_drop(struct subprocess_text *t)
{
	if (t->child.pid > 0)
		end_child(t, true);
	free(t->text);
	t->text = NULL;
	t->n = 0;
}
