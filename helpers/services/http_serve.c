/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/services/http_serve.h"

#include "sys/loop.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define GUESTS_MAX	1024
#define GUEST_MS	5000 /* from accept to the whole headers */
#define IDLE_S		10   /* seconds until a silent connection is closed */
#define CONNECTIONS_MAX (1 << 20)
#define FILES		32 /* descriptors for other things than connections */
#define MEMORY		(8 * 1024) /* bytes for the headers of one connection */

static const union MHD_ConnectionInfo *about(struct MHD_Connection *connection,
					     enum MHD_ConnectionInfoType what)
{
	return MHD_get_connection_info(connection, what);
}

/* --- guests --- */

/* A connection that hasn't shown the secret yet. */
struct guest {
	struct newcomer newcomer; /* the first member: it stands for all */
	int fd;			  /* borrowed */
};

/* Closing the descriptor is libmicrohttpd's, which sees the connection's end as
 * if the peer had closed it. */
static void end_guest(struct http_serve *serve, struct newcomer *guest)
{
	newcomers_remove(&serve->guests, guest);
	shutdown(((struct guest *)guest)->fd, SHUT_RDWR);
}

/* Where it is one too many, one of the address with the most is ended. */
static struct guest *add_guest(struct http_serve *serve,
			       struct MHD_Connection *connection)
{
	int fd = about(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
			 ->connect_fd;
	const void *from = about(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
				   ->client_addr;
	struct guest *g = calloc(1, sizeof(*g));
	uint64_t now = loop_now_ms();
	struct newcomer *goes = NULL;

	if (!g ||
	    newcomers_add(&serve->guests, &g->newcomer, NULL, from, now) < 0) {
		shutdown(fd, SHUT_RDWR);
		free(g);
		return NULL;
	}
	g->fd = fd;
	if (serve->guests.n > serve->guests_max)
		goes = newcomers_who_goes(&serve->guests, serve->guests_max,
					  now);
	if (goes)
		end_guest(serve, goes);
	return g;
}

/* End those whose time is over. Returns the milliseconds until the next one's
 * is, or -1 when nobody is here. */
static int sweep_guests(struct http_serve *serve)
{
	uint64_t now = loop_now_ms();
	struct newcomer *oldest;

	while ((oldest = serve->guests.oldest)) {
		if (now < oldest->since_ms + GUEST_MS)
			return (int)(oldest->since_ms + GUEST_MS - now);
		end_guest(serve, oldest);
	}
	return -1;
}

void http_serve_welcome(struct http_serve *serve,
			struct MHD_Connection *connection)
{
	struct guest *g = about(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
				  ->socket_context;

	if (g)
		newcomers_remove(&serve->guests, &g->newcomer);
}

/* A connection has come, or is about to be closed. */
static void note_connection(void *arg, struct MHD_Connection *connection,
			    void **context,
			    enum MHD_ConnectionNotificationCode code)
{
	struct http_serve *serve = arg;
	struct guest *g = *context;

	if (code != MHD_CONNECTION_NOTIFY_CLOSED) {
		*context = add_guest(serve, connection);
		return;
	}
	if (g)
		newcomers_remove(&serve->guests, &g->newcomer);
	free(g);
}

/* --- the server --- */

enum MHD_Result http_serve_answer(struct MHD_Connection *connection,
				  unsigned status, const char *type,
				  const void *data, size_t n)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		n, (void *)data, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result rc;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	if (type)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
					type);
	rc = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return rc;
}

/* As many connections as this process may have: all guests, and the ranks. */
static unsigned most_connections(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return GUESTS_MAX;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	if (r.rlim_cur > CONNECTIONS_MAX + FILES)
		return CONNECTIONS_MAX;
	return r.rlim_cur > 2 * FILES ? (unsigned)r.rlim_cur - FILES : FILES;
}

int http_serve_start(struct http_serve *serve,
		     const struct http_serve_options *o, struct err *err)
{
	unsigned most = o->connections ? o->connections : most_connections();
	struct MHD_OptionItem tls[] = {
		{MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)o->cert},
		{MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)o->key},
		{MHD_OPTION_END, 0, NULL},
	};

	serve->guests_max = most / 2 < GUESTS_MAX ? most / 2 : GUESTS_MAX;
	serve->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | (o->cert ? MHD_USE_TLS : 0), 0, o->accept,
		o->arg, o->request, o->arg, MHD_OPTION_LISTEN_SOCKET, o->fd,
		MHD_OPTION_NOTIFY_COMPLETED, o->ended, o->arg,
		MHD_OPTION_NOTIFY_CONNECTION, note_connection, serve,
		MHD_OPTION_CONNECTION_LIMIT, most,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY,
		MHD_OPTION_ARRAY, o->cert ? tls : tls + 2, MHD_OPTION_END);
	return serve->daemon ? 0
			     : err_printf(err, "the HTTP server can't start");
}

static int sooner(int a_ms, int b_ms)
{
	return a_ms < 0 || (b_ms >= 0 && b_ms < a_ms) ? b_ms : a_ms;
}

/* Milliseconds for which nothing has to be done; -1: for ever. */
static int idle_ms(struct http_serve *serve)
{
	int guests_ms = sweep_guests(serve);
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(serve->daemon, &ms) != MHD_YES)
		return guests_ms;
	if (ms > IDLE_S * 1000)
		ms = IDLE_S * 1000;
	return sooner(guests_ms, (int)ms);
}

void http_serve_run(struct http_serve *serve, int fd, int (*idle)(void *arg),
		    void *arg)
{
	struct pollfd p[] = {
		{.fd = fd, .events = POLLIN},
		{.fd = MHD_get_daemon_info(serve->daemon,
					   MHD_DAEMON_INFO_EPOLL_FD)
			       ->epoll_fd,
		 .events = POLLIN},
	};
	int wait_ms = -1;
	char rest[64];

	for (;;) {
		poll(p, 2, sooner(idle_ms(serve), wait_ms));
		if (p[0].revents && read(fd, rest, sizeof(rest)) <= 0)
			return;
		MHD_run(serve->daemon);
		wait_ms = idle ? idle(arg) : -1;
	}
}

void http_serve_stop(struct http_serve *serve)
{
	if (serve->daemon)
		MHD_stop_daemon(serve->daemon);
	serve->daemon = NULL;
}

/* --- its process --- */

static void end_by_parent(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (info->si_pid == getppid())
		_exit(0);
}

void service_leave_signals(void)
{
	static const int left[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1,
				   SIGUSR2, SIGALRM, SIGPIPE};
	struct sigaction term = {
		.sa_sigaction = end_by_parent,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		signal(left[i], SIG_IGN);
	sigaction(SIGTERM, &term, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}
