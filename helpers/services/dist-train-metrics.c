/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train-metrics: takes the reports of progress of a launcher's processes
 * (key metrics), and writes them to it as lines.
 *
 *	dist-train-metrics LISTEN-FD FIRST-RANK N
 *
 * LISTEN-FD is a listening socket. Standard input has a line with the token
 * that each report must show, the server's certificate and its key as PEM, and
 * an empty line. It ends when its standard input closes, when its parent dies
 * or sends SIGTERM, and leaves all other signals of the step alone.
 */
#include "core/base/parse.h"
#include "helpers/services/http_serve.h"
#include "helpers/services/metrics_http.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INPUT_MAX 4096
#define RANK_MAX  (1 << 30)
#define N_MAX	  65536
#define KEY_BEGIN "-----BEGIN PRIVATE"

struct input {
	char token[INPUT_MAX], cert[INPUT_MAX], key[INPUT_MAX];
};

static int read_arguments(int argc, char **argv, struct metrics_http_options *o,
			  struct err *err)
{
	long fd, first, n;

	if (argc != 4 || parse_number(argv[1], 3, 1 << 20, &fd) < 0 ||
	    parse_number(argv[2], 0, RANK_MAX, &first) < 0 ||
	    parse_number(argv[3], 1, N_MAX, &n) < 0)
		return err_printf(err, "usage: dist-train-metrics LISTEN-FD "
				       "FIRST-RANK N");
	o->listen_fd = (int)fd;
	o->first = (unsigned)first;
	o->n = (unsigned)n;
	o->out_fd = STDOUT_FILENO;
	return 0;
}

/* Up to the empty line; what follows it must stay in the pipe. */
static int read_text(char text[INPUT_MAX], struct err *err)
{
	size_t n = 0;

	while (n + 1 < INPUT_MAX && read(STDIN_FILENO, text + n, 1) == 1) {
		text[++n] = '\0';
		if (n > 1 && !strcmp(text + n - 2, "\n\n"))
			return 0;
	}
	return err_printf(err, "standard input must hold a token, a "
			       "certificate, a key and an empty line");
}

static int read_input(struct input *in, struct metrics_http_options *o,
		      struct err *err)
{
	char text[INPUT_MAX] = "", *cert, *key;

	if (read_text(text, err) < 0)
		return -1;
	cert = strchr(text, '\n') + 1;
	key = strstr(cert, KEY_BEGIN);
	if (!key)
		return err_printf(err, "standard input has no private key");
	strcpy(in->key, key);
	*key = '\0';
	strcpy(in->cert, cert);
	cert[-1] = '\0';
	strcpy(in->token, text);
	explicit_bzero(text, sizeof(text));
	o->token = in->token;
	o->cert = in->cert;
	o->key = in->key;
	return 0;
}

/* A reader that is slow must not stop the server. */
static int set_output(struct err *err)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	if (flags < 0 || fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK) < 0)
		return err_printf(err, "can't write to standard output: %s",
				  strerror(errno));
	return 0;
}

int main(int argc, char **argv)
{
	struct metrics_http_options o = {0};
	struct metrics_http *http = NULL;
	struct input in;
	struct err err;

	service_leave_signals();
	if (read_arguments(argc, argv, &o, &err) == 0 &&
	    read_input(&in, &o, &err) == 0 && set_output(&err) == 0 &&
	    metrics_http_start(&o, &http, &err) == 0) {
		metrics_http_run(http, STDIN_FILENO);
		metrics_http_stop(http);
		return 0;
	}
	fprintf(stderr, "dist-train: metrics: %s\n", err.text);
	return 1;
}
