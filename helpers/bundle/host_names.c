/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of hosts and users in a program that opens no library. libc's own part
 * reads /etc/hosts and /etc/passwd and asks DNS; the host's other sources
 * (sssd, LDAP, nss_slurm, myhostname) are libraries of the host's libc, which
 * may be another release than this program's, or another C library. getent(1),
 * which every C library has, is asked for what is still unknown.
 *
 * The linker puts these functions in the place of libc's (--wrap, Makefile.am).
 */
#include "helpers/bundle/host_names.h"

#include "sys/subprocess.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <nss.h>
#endif

#define ANSWER_MAX 4096
#define LIMIT_MS   5000

int __real_getaddrinfo(const char *node, const char *service,
		       const struct addrinfo *hints, struct addrinfo **ret);
struct passwd *__real_getpwnam(const char *name);
struct passwd *__real_getpwuid(uid_t uid);

void host_names_by_own_means(void)
{
#ifdef __GLIBC__
	__nss_configure_lookup("hosts", "files dns");
	__nss_configure_lookup("passwd", "files");
	__nss_configure_lookup("group", "files");
	__nss_configure_lookup("initgroups", "files");
#endif
}

/* What the host says to a question about `name`; false: nothing. */
static bool ask(const char *database, const char *name, char ret[ANSWER_MAX])
{
	const char *const argv[] = {"/usr/bin/env", "getent", database, name,
				    NULL};
	struct err ignored;

	return *name && *name != '-' &&
	       subprocess_ask_program(argv, LIMIT_MS, ret, ANSWER_MAX,
				      &ignored) == 0 &&
	       *ret;
}

/* The first address of its answer, an IPv4 one if there is one. */
static bool ask_address(const char *host, char ret[ANSWER_MAX])
{
	if (!ask("ahostsv4", host, ret) && !ask("ahosts", host, ret))
		return false;
	ret[strcspn(ret, " \t\n")] = '\0';
	return true;
}

int __wrap_getaddrinfo(const char *node, const char *service,
		       const struct addrinfo *hints, struct addrinfo **ret)
{
	int rc = __real_getaddrinfo(node, service, hints, ret);
	char text[ANSWER_MAX];

	if (rc == 0 || !node || (hints && hints->ai_flags & AI_NUMERICHOST) ||
	    !ask_address(node, text))
		return rc;
	return __real_getaddrinfo(text, service, hints, ret);
}

/* As getpwnam's, it is there until the next call. */
static struct passwd *ask_user(const char *name)
{
	char text[ANSWER_MAX];
	struct passwd *user;
	FILE *f;

	if (!ask("passwd", name, text))
		return NULL;
	f = fmemopen(text, strlen(text), "r");
	if (!f)
		return NULL;
	user = fgetpwent(f);
	fclose(f);
	return user;
}

struct passwd *__wrap_getpwnam(const char *name)
{
	struct passwd *user = __real_getpwnam(name);

	return user ? user : ask_user(name);
}

struct passwd *__wrap_getpwuid(uid_t uid)
{
	struct passwd *user = __real_getpwuid(uid);
	char name[16];

	snprintf(name, sizeof(name), "%u", (unsigned)uid);
	return user ? user : ask_user(name);
}
