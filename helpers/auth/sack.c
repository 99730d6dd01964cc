/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/auth/sack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define AGAIN_MS 200 /* between two tries */

#define OVERFLOW_UID 65534 /* of a user that has no number here */

struct sack {
	struct loop *loop;
	struct auth auth;
	struct sack_call *first, **last; /* all, in the order of their begin */
	unsigned nasked;		 /* that have had their turn */
	struct err fault;		 /* of the last try; "": none */
};

struct sack_call {
	struct sack *sack;
	struct sack_call *next, **prev;
	sack_answered *answered;
	void *arg;
	bool creates;
	bool asked; /* it has had its turn */
	uint64_t since_ms;
	struct loop_watch watch; /* fd -1: not connected */
	struct loop_timer again, limit;
	char path[SACK_PATH_SIZE]; /* of the last socket */
	struct err fault;	   /* of the last try */
	size_t nrequest, nsent, nin;
	unsigned char request[SACK_REQUEST_MAX];
	unsigned char in[SACK_ANSWER + SACK_TOKEN_MAX];
};

/* --- where --- */

bool sack_path(const char *cluster, unsigned try, char ret[SACK_PATH_SIZE])
{
	static const char *const folders[] = {"slurm", "slurmctld", "slurmdbd"};
	const char *named = getenv(SACK_VARIABLE);
	int n = 0;

	if (named && try)
		return false;
	if (named)
		n = snprintf(ret, SACK_PATH_SIZE, "%s", named);
	else if (!try)
		n = snprintf(ret, SACK_PATH_SIZE, "/run/slurm-%s/sack.socket",
			     cluster);
	else if (try <= sizeof(folders) / sizeof(*folders))
		n = snprintf(ret, SACK_PATH_SIZE, "/run/%s/sack.socket",
			     folders[try - 1]);
	else
		return false;
	if (n >= SACK_PATH_SIZE)
		*ret = '\0';
	return true;
}

uid_t sack_user(const struct auth *auth)
{
	return auth->socket_fd ? auth->user : getuid();
}

static const char *daemon_of_host(void)
{
	return "slurmd must run here, or sackd on a host for logins and where "
	       "AuthInfo in slurm.conf has disable_sack: ask the administrator";
}

/* --- one socket --- */

/* Whether who listens there may vouch for users; `handed`: slurmstepd has
 * opened the socket. */
static int check_owner(struct sack_call *c, int fd, bool handed)
{
	const struct auth *auth = &c->sack->auth;
	struct ucred peer = {.uid = OVERFLOW_UID};
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return err_printf(&c->fault, "%s: %s", c->path,
				  strerror(errno));
	if (peer.uid == 0 || peer.uid == auth->slurm_user)
		return 0;
	if (handed && peer.uid == OVERFLOW_UID)
		return 0; /* slurmstepd has looked */
	if (peer.uid == OVERFLOW_UID)
		return err_printf(
			&c->fault,
			"%s: who listens there has no number here, as root "
			"hasn't in a container with users of its own (a user "
			"namespace): it isn't asked",
			c->path);
	return err_printf(&c->fault,
			  "%s: user %u listens there, neither root nor "
			  "SlurmUser (%u): it isn't asked; tell the "
			  "administrator",
			  c->path, (unsigned)peer.uid,
			  (unsigned)auth->slurm_user);
}

/* A socket that is connected, or -1. One that nobody listens at, or somebody
 * else does, isn't the last word. */
static int connect_to(struct sack_call *c, bool handed)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd;

	_Static_assert(sizeof(at.sun_path) == SACK_PATH_SIZE, "as the kernel");
	memcpy(at.sun_path, c->path, sizeof(at.sun_path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_printf(&c->fault, "no socket: %s", strerror(errno));
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
	    check_owner(c, fd, handed) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Returns a descriptor, or -1: no path leads there. */
static int connect_by_path(struct sack_call *c)
{
	int fd = -1;

	for (unsigned try = 0; fd < 0; try++) {
		if (!sack_path(c->sack->auth.cluster, try, c->path))
			return -1;
		if (*c->path)
			fd = connect_to(c, false);
	}
	return fd;
}

/* As in a container: what slurmstepd has opened outside of that. */
static int connect_by_fd(struct sack_call *c)
{
	snprintf(c->path, sizeof(c->path), "/proc/self/fd/%d",
		 c->sack->auth.socket_fd);
	return connect_to(c, true);
}

static int connect_somewhere(struct sack_call *c)
{
	const char *named = getenv(SACK_VARIABLE);
	int fd;

	err_printf(&c->fault,
		   "Slurm's authentication can't be asked on this host: no "
		   "socket answers %s%.200s; %s",
		   named ? "where SLURM_SACK_SOCKET says, at " : "in ",
		   named ? named : "/run/slurm", daemon_of_host());
	fd = connect_by_path(c);
	return fd < 0 && c->sack->auth.socket_fd ? connect_by_fd(c) : fd;
}

/* --- one question --- */

static void disconnect(struct sack_call *c)
{
	loop_remove(c->sack->loop, &c->watch);
	close_fd(&c->watch.fd);
}

static void start_next(struct sack *sack);

void sack_cancel(struct sack_call *c)
{
	struct sack *sack;

	if (!c)
		return;
	sack = c->sack;
	disconnect(c);
	loop_disarm(sack->loop, &c->again);
	loop_disarm(sack->loop, &c->limit);
	*c->prev = c->next;
	if (c->next)
		c->next->prev = c->prev;
	else
		sack->last = c->prev;
	sack->nasked -= c->asked;
	explicit_bzero(c, sizeof(*c));
	free(c);
	start_next(sack);
}

static void answer(struct sack_call *c, const char *token)
{
	sack_answered *answered = c->answered;
	void *arg = c->arg;
	char text[SACK_TOKEN_MAX];
	struct err why = c->fault;

	*c->sack->fault.text = '\0';
	if (!token && c->creates)
		c->sack->fault = why;
	snprintf(text, sizeof(text), "%s", token ? token : "");
	sack_cancel(c);
	answered(arg, token ? text : NULL, token ? NULL : why.text);
}

static void try_again(struct sack_call *c)
{
	disconnect(c);
	c->sack->fault = c->fault;
	if (loop_now_ms() - c->since_ms >= SACK_LIMIT_MS)
		answer(c, NULL);
	else
		loop_arm(c->sack->loop, &c->again, AGAIN_MS);
}

/* Closed without a word. A token that isn't good is the usual reason; a new one
 * of ours is refused by a daemon that isn't ready, or lacks its key. */
static void closed(struct sack_call *c)
{
	if (c->creates)
		err_printf(
			&c->fault,
			"%s gives no token: the log of who listens there "
			"says why (slurmd's, sackd's): ask the administrator",
			c->path);
	else
		err_printf(
			&c->fault,
			"Slurm's authentication on this host (%s) refuses "
			"the token: it isn't of this cluster, is for another "
			"user or has expired (do the clocks differ?)",
			c->path);
	if (c->creates)
		try_again(c);
	else
		answer(c, NULL);
}

/* Returns 1 when all is there, 0, or -1: it is nonsense. */
static int is_complete(const struct sack_call *c)
{
	uint32_t number;

	if (c->nin < SACK_ANSWER)
		return 0;
	number = sack_words_number(c->in);
	if (!c->creates)
		return number ? -1 : 1;
	if (number < 2 || number > SACK_TOKEN_MAX)
		return -1;
	if (c->nin < SACK_ANSWER + number)
		return 0;
	return strnlen((const char *)c->in + SACK_ANSWER, number) == number - 1
		       ? 1
		       : -1;
}

static void take(struct sack_call *c)
{
	ssize_t n =
		recv(c->watch.fd, c->in + c->nin, sizeof(c->in) - c->nin, 0);
	int rc;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	c->nin += n > 0 ? (size_t)n : 0;
	rc = n > 0 ? is_complete(c) : -1;
	if (rc > 0)
		answer(c, c->creates ? (const char *)c->in + SACK_ANSWER : "");
	else if (rc < 0)
		closed(c);
}

static void on_ready(void *arg, uint32_t events)
{
	struct sack_call *c = arg;
	struct err err;
	ssize_t n;

	if (c->nsent == c->nrequest) {
		take(c);
		return;
	}
	(void)events;
	n = send(c->watch.fd, c->request + c->nsent, c->nrequest - c->nsent,
		 MSG_NOSIGNAL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		closed(c);
		return;
	}
	c->nsent += (size_t)n;
	if (c->nsent == c->nrequest)
		loop_watch(c->sack->loop, &c->watch, EPOLLIN, &err);
}

static void ask(void *arg)
{
	struct sack_call *c = arg;

	c->nsent = c->nin = 0;
	c->watch.fd = connect_somewhere(c);
	if (c->watch.fd < 0 ||
	    loop_watch(c->sack->loop, &c->watch, EPOLLOUT, &c->fault) < 0)
		try_again(c);
}

static void on_limit(void *arg)
{
	struct sack_call *c = arg;

	if (c->watch.fd >= 0)
		err_printf(&c->fault, "%s doesn't answer within %d s; %s",
			   c->path, SACK_LIMIT_MS / 1000, daemon_of_host());
	answer(c, NULL);
}

/* --- turns --- */

static void start_next(struct sack *sack)
{
	struct sack_call *c = sack->first;

	while (c && c->asked)
		c = c->next;
	if (!c || sack->nasked == SACK_AT_A_TIME)
		return;
	c->asked = true;
	sack->nasked++;
	c->since_ms = loop_now_ms();
	loop_arm(sack->loop, &c->limit, SACK_LIMIT_MS);
	loop_arm(sack->loop, &c->again, 0);
}

static struct sack_call *new_call(struct sack *sack, sack_answered *answered,
				  void *arg)
{
	struct sack_call *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->sack = sack;
	c->answered = answered;
	c->arg = arg;
	c->watch = (struct loop_watch){.fd = -1, .ready = on_ready, .arg = c};
	c->again = (struct loop_timer){.expired = ask, .arg = c};
	c->limit = (struct loop_timer){.expired = on_limit, .arg = c};
	c->prev = sack->last;
	*sack->last = c;
	sack->last = &c->next;
	return c;
}

struct sack_call *sack_create(struct sack *sack, uid_t reader,
			      const char *payload, sack_answered *answered,
			      void *arg)
{
	struct sack_call *c = new_call(sack, answered, arg);

	if (!c)
		return NULL;
	c->creates = true;
	c->nrequest = sack_words_create(reader, payload, c->request);
	start_next(sack);
	return c;
}

struct sack_call *sack_verify(struct sack *sack, const char *token,
			      sack_answered *answered, void *arg)
{
	struct sack_call *c = new_call(sack, answered, arg);

	if (!c)
		return NULL;
	c->nrequest = sack_words_verify(token, c->request);
	start_next(sack);
	return c;
}

const char *sack_fault(const struct sack *sack)
{
	return *sack->fault.text ? sack->fault.text : NULL;
}

struct sack *sack_open(struct loop *loop, const struct auth *auth,
		       struct err *err)
{
	struct sack *sack = calloc(1, sizeof(*sack));

	if (!sack)
		return err_memory_null(err);
	sack->loop = loop;
	sack->auth = *auth;
	if (auth->socket_fd)
		fcntl(auth->socket_fd, F_SETFD, FD_CLOEXEC);
	sack->last = &sack->first;
	return sack;
}

void sack_close(struct sack *sack)
{
	free(sack);
}
