/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims of the office at srun (a step that outlives a lost node), in lines:
 * "aN" a caller claims with the number N; "bNTEXT" caller N says TEXT; "cN"
 * caller N closes; "t" and "T" time passes, a little and a lease; "e" the job's
 * end changes. N is a byte.
 */
#include "spank/srun/srun_claims.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define CALLERS_MAX 24
#define LINES_MAX   100

static struct {
	struct claims claims;
	uint64_t now_ms;
	int fd[CALLERS_MAX]; /* the callers' ends; -1: closed */
	unsigned n, term;
} s;

static int *caller(char number)
{
	return s.n ? &s.fd[(unsigned char)number % s.n] : NULL;
}

static void come(unsigned procid)
{
	int end[2];

	if (s.n == CALLERS_MAX)
		return;
	RULE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
			end) == 0);
	s.fd[s.n++] = end[0];
	claims_add(&s.claims, end[1], procid, s.now_ms);
}

static void say(int *fd, const char *text)
{
	if (fd && *fd >= 0 && send(*fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		RULE(errno == EPIPE || errno == EAGAIN || errno == ECONNRESET);
}

static void leave(int *fd)
{
	if (!fd || *fd < 0)
		return;
	close(*fd);
	*fd = -1;
}

static void check(void)
{
	const struct claims *c = &s.claims;
	struct pollfd p[CLAIMS_MAX + 1];

	RULE(c->n <= CLAIMS_MAX);
	RULE(claims_poll(c, p) == c->n + c->held);
	for (unsigned i = 1; i < c->n; i++)
		RULE(c->waiting[i - 1].procid < c->waiting[i].procid);
	RULE(c->term >= s.term && c->term <= s.term + 1);
	RULE(!c->held || c->term);
	RULE(claims_next_ms(c) >= s.now_ms || c->held || c->n);
	s.term = c->term;
}

static void run(void)
{
	bool held = s.claims.held;
	unsigned term = s.claims.term;
	char word = claims_run(&s.claims, s.now_ms);

	/* The last word is the holder's, who has the office no more */
	RULE(!word || (held && !s.claims.held && s.claims.term == term));
	RULE(word != *SRUN_BEAT);
	check();
}

static void act(const char *line)
{
	switch (*line) {
	case 'a':
		come((unsigned char)line[1]);
		break;
	case 'b':
		say(caller(line[1]), line[1] ? line + 2 : "");
		break;
	case 'c':
		leave(caller(line[1]));
		break;
	case 't':
		s.now_ms += s.claims.interval_ms / 2;
		break;
	case 'T':
		s.now_ms += s.claims.lease_ms;
		break;
	case 'e':
		claims_end_time(&s.claims, 1800000000);
		break;
	default:
		return;
	}
	run();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text;
	unsigned n = 0;

	memset(&s, 0, sizeof(s));
	s.claims.interval_ms = 1000;
	s.claims.lease_ms = 5000;
	s.now_ms = 1;
	while (rest && n++ < LINES_MAX)
		act(strsep(&rest, "\n"));
	claims_close(&s.claims);
	RULE(!s.claims.held && !s.claims.n);
	for (unsigned i = 0; i < s.n; i++)
		leave(&s.fd[i]);
	free(text);
	return 0;
}
