/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/metrics/metrics.h"

#include "core/base/ip.h"
#include "helpers/conn/step_cert.h"
#include "sys/helper_path.h"
#include "sys/socket.h"
#include "sys/subprocess.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define PROGRAM	   "dist-train-metrics"
#define BACKLOG	   4096 /* that strangers fill, too */
#define TOKEN_SIZE 65	/* 32 bytes as text, with a NUL */
#define FILE_SIZE  (PATH_MAX + 16)
#define CHUNK	   4096

struct endpoint {
	struct endpoint_options o;
	int listen_fd;
	unsigned port;
	char token[TOKEN_SIZE];
	struct step_cert pem;
	char cert_file[FILE_SIZE], token_file[FILE_SIZE];
	struct subprocess server;
	bool running;
	char line[REPORT_LINE_MAX + 16]; /* that comes, its begin */
	size_t nline; /* of it; sizeof(line): it is dropped */
};

/* --- its address and its secrets --- */

static int make_word(char word[TOKEN_SIZE], struct err *err)
{
	unsigned char byte[(TOKEN_SIZE - 1) / 2];

	if (getrandom(byte, sizeof(byte), 0) != sizeof(byte))
		return err_printf(err, "no random numbers: %s",
				  strerror(errno));
	for (size_t i = 0; i < sizeof(byte); i++)
		snprintf(word + 2 * i, 3, "%02x", byte[i]);
	return 0;
}

static int write_text(char file[FILE_SIZE], const struct endpoint *e,
		      const char *name, const char *text, struct err *err)
{
	snprintf(file, FILE_SIZE, "%s/%s", e->o.dir, name);
	return write_file(file, text, strlen(text), 0600, err);
}

/* The key stays in memory, and goes to the program through a pipe. */
static int make_secrets(struct endpoint *e, struct err *err)
{
	char seed[TOKEN_SIZE];
	struct ip ip;

	if (make_word(e->token, err) < 0 || make_word(seed, err) < 0)
		return -1;
	if (ip_parse(METRICS_ADDR, strlen(METRICS_ADDR), &ip) < 0 ||
	    step_cert_make(seed, &ip, &e->pem) < 0)
		return err_printf(err, "can't make its certificate");
	if (write_text(e->cert_file, e, "metrics.pem", e->pem.cert, err) < 0)
		return -1;
	return write_text(e->token_file, e, "metrics-token", e->token, err);
}

static int open_socket(struct endpoint *e, struct err *err)
{
	struct sockaddr_in at = {.sin_port = 0};
	socklen_t size = sizeof(at);

	e->listen_fd = socket_listen(METRICS_ADDR, 0, BACKLOG);
	if (e->listen_fd < 0 ||
	    getsockname(e->listen_fd, (struct sockaddr *)&at, &size) < 0)
		return err_printf(err, "can't listen on " METRICS_ADDR ": %s",
				  strerror(errno));
	if (at.sin_family != AF_INET ||
	    at.sin_addr.s_addr != htonl(INADDR_LOOPBACK))
		return err_printf(err, "this host has no " METRICS_ADDR);
	e->port = ntohs(at.sin_port);
	return 0;
}

/* --- where processes find it --- */

/* urllib, requests and curl would ask a proxy for it. */
static int without_proxy(struct envset *set, struct err *err)
{
	static const char why[] = "only where a proxy is set";
	static const char *const proxies[] = {
		"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
		"grpc_proxy",  "http_proxy",  NULL};
	static const char *const upper[] = {"NO_PROXY", NULL};
	bool alone = !envset_find(set, "no_proxy");

	if (envset_append(set, why, err, "no_proxy", METRICS_ADDR, proxies) <
		    0 ||
	    envset_append(set, why, err, "NO_PROXY", METRICS_ADDR, upper) < 0)
		return -1;
	/* urllib doesn't read the other name where this one is set */
	if (alone)
		envset_follow(set, "no_proxy", "NO_PROXY");
	return 0;
}

/* The user's own server is kept, with its certificate and token. */
int endpoint_add_env(const struct endpoint *e, unsigned rank,
		     struct envset *set, struct err *err)
{
	static const char src[] = METRICS_KEY, leader[] = METRICS_URL_VARIABLE;

	if (e->listen_fd < 0)
		return 0;
	if (envset_add(set, ENV_HINT, src, err, leader,
		       "https://" METRICS_ADDR ":%u" METRICS_PATH_HEAD
		       "%u" METRICS_PATH_TAIL,
		       e->port, rank) < 0 ||
	    envset_add(set, ENV_HINT, src, err, METRICS_CERT_VARIABLE, "%s",
		       e->cert_file) < 0 ||
	    envset_add(set, ENV_HINT, src, err, METRICS_TOKEN_VARIABLE, "%s",
		       e->token_file) < 0)
		return -1;
	envset_follow(set, METRICS_CERT_VARIABLE, leader);
	envset_follow(set, METRICS_TOKEN_VARIABLE, leader);
	return without_proxy(set, err);
}

/* --- */

int endpoint_open(const struct endpoint_options *options, struct endpoint **ret,
		  struct err *err)
{
	struct endpoint *e;
	char path[PATH_MAX];

	helper_path(PROGRAM, path);
	if (access(path, X_OK) < 0)
		return err_printf(err, "%s: %s", path, strerror(errno));
	e = calloc(1, sizeof(*e));
	if (!e)
		return err_memory(err);
	e->o = *options;
	e->listen_fd = -1;
	if (open_socket(e, err) < 0 || make_secrets(e, err) < 0) {
		endpoint_close(e);
		return -1;
	}
	*ret = e;
	return 0;
}

/* --- what the program says --- */

/* "RANK WORDS" */
static void end_line(struct endpoint *e)
{
	char *end;
	unsigned long rank;

	if (e->nline >= sizeof(e->line))
		return;
	e->line[e->nline] = '\0';
	rank = strtoul(e->line, &end, 10);
	if (end != e->line && *end == ' ' && rank <= INT_MAX)
		e->o.line(e->o.arg, (unsigned)rank, end + 1);
}

static void take(struct endpoint *e, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (data[i] == '\n') {
			end_line(e);
			e->nline = 0;
		} else if (e->nline < sizeof(e->line)) {
			e->line[e->nline++] = data[i];
		}
	}
}

static void close_server(struct endpoint *e)
{
	e->running = false;
	e->nline = 0;
	subprocess_close(&e->server);
}

/* Nobody would take a connection any more: clients would wait. */
static void on_output(void *arg, const char *data, size_t n)
{
	struct endpoint *e = arg;

	if (n) {
		take(e, data, n);
		return;
	}
	close_server(e);
	close(e->listen_fd);
	e->listen_fd = -1;
	e->o.lost(e->o.arg);
}

/* --- the program --- */

struct start {
	const char *path;
	int listen_fd;
	char first[16], n[16];
};

/* In the fork: the socket is the one thing that it inherits. */
static int execute(const int fd[2], const void *arg)
{
	const struct start *s = arg;
	char socket[16];

	snprintf(socket, sizeof(socket), "%d", s->listen_fd);
	if (dup2(fd[0], STDIN_FILENO) < 0 || dup2(fd[1], STDOUT_FILENO) < 0 ||
	    fcntl(s->listen_fd, F_SETFD, 0) < 0)
		return 126;
	unsetenv(PRELOAD_VARIABLE);
	execl(s->path, PROGRAM, socket, s->first, s->n, NULL);
	dprintf(STDERR_FILENO, "dist-train: %s: %s\n", s->path,
		strerror(errno));
	return 127;
}

static int hand_over(const struct endpoint *e, struct err *err)
{
	cleanup_free char *text = NULL;
	int rc;

	if (asprintf(&text, "%s\n%s%s\n", e->token, e->pem.cert, e->pem.key) <
	    0)
		return err_memory(err);
	rc = write_full(e->server.in, text, strlen(text));
	explicit_bzero(text, strlen(text));
	return rc < 0 ? err_printf(err, "can't write to " PROGRAM) : 0;
}

int endpoint_start(struct endpoint *e, unsigned first, unsigned n,
		   struct err *err)
{
	char path[PATH_MAX];
	struct start s = {.path = path, .listen_fd = e->listen_fd};
	const struct subprocess_spec spec = {
		.run = execute,
		.arg = &s,
		.flags = SUBPROCESS_IN | SUBPROCESS_OUT | SUBPROCESS_SIGNALS,
	};

	endpoint_stop(e);
	if (e->listen_fd < 0)
		return err_printf(err, PROGRAM " has ended before");
	helper_path(PROGRAM, path);
	snprintf(s.first, sizeof(s.first), "%u", first);
	snprintf(s.n, sizeof(s.n), "%u", n);
	if (subprocess_start(&spec, &e->server, err) < 0)
		return -1;
	e->running = true;
	if (hand_over(e, err) == 0 &&
	    subprocess_watch(&e->server, e->o.loop, on_output, e, err) == 0)
		return 0;
	subprocess_kill(&e->server, SIGKILL);
	close_server(e);
	return -1;
}

void endpoint_stop(struct endpoint *e)
{
	char data[CHUNK];
	ssize_t n;

	if (!e->running)
		return;
	while ((n = read(e->server.out, data, sizeof(data))) > 0)
		take(e, data, (size_t)n);
	subprocess_kill(&e->server, SIGKILL);
	close_server(e);
}

void endpoint_close(struct endpoint *e)
{
	if (!e)
		return;
	endpoint_stop(e);
	close_fd(&e->listen_fd);
	explicit_bzero(e, sizeof(*e));
	free(e);
}
