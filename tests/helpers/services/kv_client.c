/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request as Horovod's Gloo client sends it and an answer as it reads it
 * (HTTPRequest.hpp below horovod/common/gloo/http_store.cc): these headers and
 * no others, "Content-Length" in exactly that case, a connection for each
 * request.
 *
 *	kv_client HOST PORT METHOD PATH [FROM-ADDRESS] <BODY
 *
 * Prints the status, a newline and the body.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char body[4 << 20], answer[4 << 20];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void bind_to(int fd, const char *address)
{
	struct sockaddr_in from = {.sin_family = AF_INET};

	if (inet_pton(AF_INET, address, &from.sin_addr) != 1 ||
	    bind(fd, (void *)&from, sizeof(from)) < 0)
		die("bind");
}

static int connect_to(const char *host, const char *port, const char *from)
{
	struct addrinfo hints = {.ai_family = AF_INET,
				 .ai_socktype = SOCK_STREAM},
			*list;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (from)
		bind_to(fd, from);
	if (getaddrinfo(host, port, &hints, &list) != 0 || fd < 0 ||
	    connect(fd, list->ai_addr, list->ai_addrlen) < 0)
		die("connect");
	freeaddrinfo(list);
	return fd;
}

static void send_all(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, data, n, MSG_NOSIGNAL);

		if (sent < 0)
			die("send");
		data += sent;
		n -= (size_t)sent;
	}
}

/* Read until the announced length is there. Returns the whole length. */
static size_t read_answer(int fd, char **ret_body)
{
	size_t n = 0, announced = 0;
	ssize_t got;

	*ret_body = NULL;
	while ((got = recv(fd, answer + n, sizeof(answer) - n - 1, 0)) > 0) {
		char *length;

		n += (size_t)got;
		answer[n] = '\0';
		if (!*ret_body && (*ret_body = strstr(answer, "\r\n\r\n"))) {
			length = strstr(answer, "\r\nContent-Length:");
			*ret_body += 4;
			if (length && length < *ret_body)
				announced = strtoul(length + 17, NULL, 10);
		}
		if (*ret_body && n - (size_t)(*ret_body - answer) >= announced)
			return n;
	}
	die("the connection ended early");
	return 0;
}

int main(int argc, char **argv)
{
	size_t n = fread(body, 1, sizeof(body), stdin);
	char head[2048], *content;
	int fd, status;

	if (argc < 5 || argc > 6)
		return 2;
	fd = connect_to(argv[1], argv[2], argv[5]);
	snprintf(head, sizeof(head),
		 "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %zu\r\n\r\n",
		 argv[3], argv[4], argv[1], n);
	send_all(fd, head, strlen(head));
	send_all(fd, body, n);
	n = read_answer(fd, &content);
	if (sscanf(answer, "HTTP/1.1 %d ", &status) != 1)
		return 1;
	printf("%d\n", status);
	fwrite(content, 1, n - (size_t)(content - answer), stdout);
	close(fd);
	return 0;
}
