/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <netdb.h>
#include <pwd.h>
#include <sys/types.h>

/* From now on libc looks names of hosts and users up without libraries of this
 * host. */
void host_names_by_own_means(void);

/* What all of the program calls in the place of libc's: what libc doesn't find
 * so, getent(1) is asked for, for five seconds at most. */
int __wrap_getaddrinfo(const char *node, const char *service,
		       const struct addrinfo *hints, struct addrinfo **ret);
struct passwd *__wrap_getpwnam(const char *name);
struct passwd *__wrap_getpwuid(uid_t uid);
