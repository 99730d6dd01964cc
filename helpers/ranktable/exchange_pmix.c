/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/exchange_pmix.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

bool exchange_pmix_is_here(void)
{
	return getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK");
}

static void fail(struct exchange_pmix *x, const char *why)
{
	loop_remove(x->loop, &x->watch);
	x->failed(x->arg, why);
}

/* The child's text with a NUL behind it, which the child has written too. */
static char *map_text(const struct exchange_pmix *x, size_t *ret_size)
{
	off_t size = lseek(x->text_fd, 0, SEEK_END);
	void *text;

	if (size <= 0)
		return NULL;
	text = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, x->text_fd, 0);
	*ret_size = (size_t)size;
	return text == MAP_FAILED ? NULL : text;
}

static void tell(struct exchange_pmix *x, bool fault)
{
	size_t size;
	char *text = map_text(x, &size);

	if (!text)
		fail(x, "exchange=pmix: out of memory");
	else if (fault)
		fail(x, text);
	else
		x->facts(x->arg, text);
	if (text)
		munmap(text, size);
}

static void hear(struct exchange_pmix *x, char word)
{
	switch ((enum exchange_pmix_word)word) {
	case PMIX_WORD_FACTS:
		tell(x, false);
		break;
	case PMIX_WORD_GO:
		loop_remove(x->loop, &x->watch);
		x->go(x->arg);
		break;
	case PMIX_WORD_FAULT:
		tell(x, true);
		break;
	case PMIX_WORD_READY:
		break;
	}
}

static void ready(void *arg, uint32_t events)
{
	struct exchange_pmix *x = arg;
	char word;
	ssize_t n = read(x->watch.fd, &word, 1);

	(void)events;
	if (n == 1)
		hear(x, word);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		fail(x, "exchange=pmix: the process that talks to PMIx was "
			"killed");
}

static int fork_child(struct exchange_pmix *x, const char *data, size_t n)
{
	int fds[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fds[0]);
		exchange_pmix_child(x, fds[1], data, n);
		_exit(0);
	}
	close(fds[1]);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	x->watch = (struct loop_watch){.fd = fds[0], .ready = ready, .arg = x};
	return pid < 0 ? -1 : 0;
}

int exchange_pmix_begin(struct exchange_pmix *x, const char *data, size_t n,
			struct err *err)
{
	x->watch.fd = -1;
	x->text_fd = memfd_create("exchange", MFD_CLOEXEC);
	if (x->text_fd < 0 || fork_child(x, data, n) < 0)
		return err_printf(err, "can't start a process for PMIx: %s",
				  strerror(errno));
	return loop_watch(x->loop, &x->watch, EPOLLIN, err);
}

void exchange_pmix_ready(struct exchange_pmix *x)
{
	char word = PMIX_WORD_READY;

	/* A child that is gone is heard of by reading */
	(void)!send(x->watch.fd, &word, 1, MSG_NOSIGNAL);
}

void exchange_pmix_close(struct exchange_pmix *x)
{
	if (!x->watch.ready)
		return;
	loop_remove(x->loop, &x->watch);
	if (x->watch.fd >= 0)
		close(x->watch.fd);
	if (x->text_fd >= 0)
		close(x->text_fd);
	x->watch.ready = NULL;
}
