/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/secure_conn.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

union end {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

int conn_address(int fd, bool ours, char ret[IP_TEXT_SIZE])
{
	union end e = {.any.sa_family = AF_UNSPEC};
	socklen_t len = sizeof(e);
	const void *bytes = &e.v4.sin_addr;
	int family = AF_INET;

	if ((ours ? getsockname(fd, &e.any, &len)
		  : getpeername(fd, &e.any, &len)) < 0)
		return -1;
	if (e.any.sa_family == AF_INET6) {
		bool mapped = IN6_IS_ADDR_V4MAPPED(&e.v6.sin6_addr);

		bytes = e.v6.sin6_addr.s6_addr + (mapped ? 12 : 0);
		family = mapped ? AF_INET : AF_INET6;
	} else if (e.any.sa_family != AF_INET) {
		return -1;
	}
	return inet_ntop(family, bytes, ret, IP_TEXT_SIZE) ? 0 : -1;
}
