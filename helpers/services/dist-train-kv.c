/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train-kv: the key-value service by which Horovod's processes find each
 * other over Gloo, in place of the one inside horovodrun.
 *
 *	dist-train-kv ADDRESS PORT [READY-FD]
 *
 * It listens at ADDRESS alone; port 0 takes any. The first line of its standard
 * input is the secret, which each path must begin with (an empty line: none).
 * It ends when its standard input closes, when its parent dies or sends
 * SIGTERM, and leaves all other signals of the step alone. When it can be
 * asked, it writes its port and a newline to READY-FD (standard output) and
 * closes that.
 */
#include "core/base/parse.h"
#include "helpers/services/kv_http.h"
#include "sys/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BYTES_MAX  (256UL * 1024 * 1024) /* limit for all values together */
#define SECRET_MAX 128
#define BACKLOG	   1024 /* all ranks connect at once */

struct kv {
	const char *address;
	long port, ready_fd;
	char secret[SECRET_MAX];
};

static int read_arguments(int argc, char **argv, struct kv *kv, struct err *err)
{
	char shown[SHOW_SIZE];

	if (argc < 3 || argc > 4)
		return err_printf(err, "usage: dist-train-kv ADDRESS PORT "
				       "[READY-FD]");
	kv->address = argv[1];
	kv->ready_fd = STDOUT_FILENO;
	if (parse_number(argv[2], 0, 65535, &kv->port) < 0)
		return err_printf(err, "%s isn't a port", show(shown, argv[2]));
	if (argc == 4 && parse_number(argv[3], 1, 1 << 20, &kv->ready_fd) < 0)
		return err_printf(err, "%s isn't a file descriptor",
				  show(shown, argv[3]));
	return 0;
}

/* Read one byte at a time: what follows the line must stay in the pipe. */
static int read_secret(struct kv *kv, struct err *err)
{
	size_t n = 0;
	char c;

	while (read(STDIN_FILENO, &c, 1) == 1) {
		if (c == '\n') {
			kv->secret[n] = '\0';
			return 0;
		}
		if (n + 1 == sizeof(kv->secret) || strchr("/?#%", c))
			break;
		kv->secret[n++] = c;
	}
	return err_printf(err,
			  "standard input must hold one line with a secret of "
			  "at most %d bytes",
			  SECRET_MAX - 1);
}

static bool is_any_address(const struct sockaddr *a)
{
	const struct sockaddr_in6 *six = (const void *)a;
	const struct sockaddr_in *four = (const void *)a;

	return a->sa_family == AF_INET
		       ? four->sin_addr.s_addr == htonl(INADDR_ANY)
		       : IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr);
}

static int bind_to(const struct addrinfo *ai)
{
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd >= 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
	    bind(fd, ai->ai_addr, ai->ai_addrlen) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	close_fd(&fd);
	return -1;
}

static int open_socket(const struct kv *kv, struct err *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
	char port[16], shown[SHOW_SIZE];
	int fd = -1, rc;

	snprintf(port, sizeof(port), "%ld", kv->port);
	rc = getaddrinfo(kv->address, port, &hints, &list);
	if (rc != 0)
		return err_printf(err, "address %s: %s",
				  show(shown, kv->address), gai_strerror(rc));
	if (is_any_address(list->ai_addr))
		err_printf(err,
			   "address %s stands for all addresses of this host; "
			   "name one of them",
			   show(shown, kv->address));
	else if ((fd = bind_to(list)) < 0)
		err_printf(err, "can't listen on %s, port %ld: %s",
			   show(shown, kv->address), kv->port, strerror(errno));
	freeaddrinfo(list);
	return fd;
}

static int tell_ready(const struct kv *kv, int fd, struct err *err)
{
	if (dprintf((int)kv->ready_fd, "%u\n", socket_port(fd)) < 0)
		return err_printf(err, "can't report that it is ready: %s",
				  strerror(errno));
	close((int)kv->ready_fd);
	return 0;
}

static int serve(const struct kv *kv, struct err *err)
{
	struct kv_http http = {
		.store = kv_store_new(BYTES_MAX),
		.secret = kv->secret,
	};
	int fd, rc = -1;

	fd = http.store ? open_socket(kv, err) : err_memory(err);
	if (fd >= 0)
		rc = kv_http_start(&http, fd, err);
	if (rc == 0)
		rc = tell_ready(kv, fd, err);
	if (rc == 0)
		kv_http_run(&http, STDIN_FILENO);
	kv_http_stop(&http);
	kv_store_free(http.store);
	return rc;
}

int main(int argc, char **argv)
{
	struct kv kv = {0};
	struct err err;

	service_leave_signals();
	if (read_arguments(argc, argv, &kv, &err) == 0 &&
	    read_secret(&kv, &err) == 0 && serve(&kv, &err) == 0)
		return 0;
	fprintf(stderr, "dist-train: key-value service: %s\n", err.text);
	return 1;
}
