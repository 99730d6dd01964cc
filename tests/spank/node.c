/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine around the plugin, in the place of libc's functions: names,
 * routes, ports and the installed helper are those of the scenario, not of the
 * machine that runs the tests.
 */
#include "host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HELPER "/dist-train-launch"
#define INSIDE "/dist-train-launch-static"
#define SACK   "/run/slurm/sack.socket"
#define OF_FD  "/proc/self/fd/"

static bool ends_with(const char *path, const char *end)
{
	size_t len = strlen(path), n = strlen(end);

	return len >= n && !strcmp(path + len - n, end);
}

/* The launcher is installed unless the scenario says `helper missing`. With
 * `enters noproc` a container has no /proc. */
int access(const char *path, int mode)
{
	if (stage.inside && !strncmp(path, OF_FD, strlen(OF_FD)) &&
	    !strcmp(range_get(stage.section, "enters"), "noproc")) {
		errno = ENOENT;
		return -1;
	}
	if (!ends_with(path, HELPER))
		return faccessat(AT_FDCWD, path, mode, 0);
	if (!range_get(stage.head, "helper"))
		return 0;
	errno = ENOENT;
	return -1;
}

/* With `enters` the root directory is another one in task_init. */
int stat(const char *path, struct stat *ret)
{
	if (fstatat(AT_FDCWD, path, ret, 0) < 0)
		return -1;
	if (!strcmp(path, "/") && stage.inside)
		ret->st_ino++;
	return 0;
}

/* The static launcher is opened before that, once for all tasks, to be executed
 * and no more. */
static int open_inside(int flags)
{
	const char *helper = range_get(stage.head, "helper");

	if (stage.hook != HOOK_POST_OPT || flags != (O_PATH | O_CLOEXEC))
		forbidden("open() of " INSIDE);
	if (!helper)
		return (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", flags);
	errno = ENOENT;
	return -1;
}

/* `cmdline WORD...`, for the process that plays the section. */
FILE *fopen(const char *path, const char *mode)
{
	const char *words = range_get(stage.section, "cmdline");
	char *copy;
	int fd;

	if (strcmp(path, "/proc/self/cmdline") != 0 || !words) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		return fd < 0 ? NULL : fdopen(fd, mode);
	}
	fd = memfd_create("cmdline", MFD_CLOEXEC);
	copy = strdup(words);
	for (char *p = copy; (p = strchr(p, ' ')); p++)
		*p = '\0';
	if (write(fd, copy, strlen(words) + 1) < 0 ||
	    lseek(fd, 0, SEEK_SET) < 0)
		abort();
	free(copy);
	return fdopen(fd, mode);
}

int execv(const char *path, char *const argv[])
{
	(void)path;
	for (char *const *w = argv; *w; w++)
		printf("%s%s", w == argv ? "" : " ", *w);
	printf("\n");
	fflush(stdout);
	_exit(0);
}

static const char *lookup(const char *word, const char *name)
{
	size_t len = strlen(name);
	const char *text;

	for (unsigned at = 0; (text = range_next(stage.head, word, &at));)
		if (!strncmp(text, name, len) && text[len] == ' ')
			return text + len + 1;
	return NULL;
}

struct answer {
	struct addrinfo info;
	struct sockaddr_in6 addr;
};

/* `resolve NAME never`: whoever waits must have set himself a limit. */
static void never_answer(void)
{
	if (alarm(0))
		raise(SIGALRM);
	printf("no time limit\n");
	abort();
}

/* `resolve NAME IP [IP]`; numbers are themselves. */
static struct addrinfo *make_info(const char *ip, size_t len)
{
	char text[INET6_ADDRSTRLEN] = "";
	struct answer *a = calloc(1, sizeof(*a));
	struct sockaddr_in *v4 = (struct sockaddr_in *)&a->addr;

	memcpy(text, ip, len < sizeof(text) ? len : sizeof(text) - 1);
	a->info.ai_addr = (struct sockaddr *)&a->addr;
	a->info.ai_socktype = SOCK_STREAM;
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		a->info.ai_addrlen = sizeof(*v4);
	} else if (inet_pton(AF_INET6, text, &a->addr.sin6_addr) == 1) {
		a->addr.sin6_family = AF_INET6;
		a->info.ai_addrlen = sizeof(a->addr);
	} else {
		free(a);
		return NULL;
	}
	a->info.ai_family = a->addr.sin6_family;
	return &a->info;
}

int getaddrinfo(const char *host, const char *service,
		const struct addrinfo *hints, struct addrinfo **ret)
{
	const char *ips = lookup("resolve", host);
	struct addrinfo *list = NULL, **end = &list;

	(void)service;
	(void)hints;
	if (ips && !strcmp(ips, "never"))
		never_answer();
	for (const char *p = ips ? ips : host; *p;) {
		size_t len = strcspn(p, " ");

		*end = make_info(p, len);
		if (!*end)
			break;
		end = &(*end)->ai_next;
		p += len + (p[len] == ' ');
	}
	*ret = list;
	return list ? 0 : EAI_NONAME;
}

void freeaddrinfo(struct addrinfo *list)
{
	while (list) {
		struct addrinfo *next = list->ai_next;

		free(list);
		list = next;
	}
}

/* `route DESTINATION OWN`: a datagram socket is "connected" by the address of
 * ours that the scenario has for it. */
static char own[INET6_ADDRSTRLEN];

int connect(int fd, const struct sockaddr *to, socklen_t len)
{
	char text[INET6_ADDRSTRLEN] = "";
	const char *from;

	if (to->sa_family != AF_INET && to->sa_family != AF_INET6)
		return (int)syscall(SYS_connect, fd, to, len);
	getnameinfo(to, len, text, sizeof(text), NULL, 0, NI_NUMERICHOST);
	from = lookup("route", text);
	if (!from || strlen(from) >= sizeof(own)) {
		errno = ENETUNREACH;
		return -1;
	}
	strcpy(own, from);
	return 0;
}

int getsockname(int fd, struct sockaddr *ret, socklen_t *len)
{
	struct addrinfo *info = *own ? make_info(own, strlen(own)) : NULL;

	if (!info)
		return (int)syscall(SYS_getsockname, fd, ret, len);
	memcpy(ret, info->ai_addr, info->ai_addrlen);
	*len = info->ai_addrlen;
	freeaddrinfo(info);
	return 0;
}

/* A port that a scenario doesn't hold becomes one of the kernel's choice, so
 * that tests that run at the same time don't meet. */
int bind(int fd, const struct sockaddr *sa, socklen_t len)
{
	struct sockaddr_in6 any;
	struct sockaddr_in *v4 = (struct sockaddr_in *)&any;

	if ((sa->sa_family != AF_INET && sa->sa_family != AF_INET6) ||
	    !stage.scenario)
		return (int)syscall(SYS_bind, fd, sa, len);
	memcpy(&any, sa, len < sizeof(any) ? len : sizeof(any));
	if (sa->sa_family == AF_INET &&
	    ntohs(v4->sin_port) != stage.scenario->busy_port)
		v4->sin_port = 0;
	if (sa->sa_family == AF_INET6 &&
	    ntohs(any.sin6_port) != stage.scenario->busy_port)
		any.sin6_port = 0;
	return (int)syscall(SYS_bind, fd, &any, len);
}

static int open_text(const char *text)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	if (write(fd, text, strlen(text)) < 0)
		abort();
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* /etc/hccn.conf is `hccn TEXT`, of root's. `hccn-odd link|fifo|owner|large`:
 * it isn't as it should be; unwanted: nobody may open it. As root, before
 * task_init, the plugin opens this file and no other but the launcher
 * and a byte of sysfs. */
#define HCCN	   "/etc/hccn.conf"
#define HCCN_LARGE 1024001

#define SMT	 "/sys/devices/system/cpu/smt/active"
#define SIBLINGS "/topology/thread_siblings_list"

static int hccn_fd = -1;

static const char *hccn_odd(void)
{
	const char *odd = range_get(stage.head, "hccn-odd");

	return odd ? odd : "";
}

static int open_hccn(int flags)
{
	const char *text = range_get(stage.head, "hccn");
	int wanted = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, ends[2];

	if (!strcmp(hccn_odd(), "unwanted") || stage.hook != HOOK_POST_OPT ||
	    stage.context != S_CTX_REMOTE || stage.idle ||
	    (flags & wanted) != wanted)
		forbidden("open() of " HCCN);
	if (!text || !strcmp(hccn_odd(), "link")) {
		errno = text ? ELOOP : ENOENT;
		return -1;
	}
	if (!strcmp(hccn_odd(), "fifo")) {
		if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) < 0)
			abort();
		close(ends[1]);
		return ends[0];
	}
	hccn_fd = open_text(text);
	return hccn_fd;
}

/* slurmstepd is root; in task_init_privileged the plugin may take the user's
 * effective id for a while. */
static uid_t effective;

uid_t geteuid(void)
{
	return effective;
}

int seteuid(uid_t uid)
{
	if (stage.hook != HOOK_PRIVILEGED)
		forbidden("seteuid()");
	effective = uid;
	return 0;
}

/* Once for all tasks, which then needn't look at their own core. */
static int open_smt(void)
{
	int ends[2];

	if (stage.hook != HOOK_POST_OPT || stage.context != S_CTX_REMOTE ||
	    stage.idle)
		forbidden("open() of " SMT);
	if (!range_get(stage.head, "smt")) {
		errno = ENOENT;
		return -1;
	}
	if (pipe2(ends, O_CLOEXEC) < 0 || write(ends[1], "0\n", 2) != 2)
		abort();
	close(ends[1]);
	return ends[0];
}

/* What `args inventory=/etc/npus` names: srun reads it once, and only where it
 * has to. Without the word it isn't there. */
#define INVENTORY "/etc/npus"

static int open_inventory(void)
{
	const char *text = range_get(stage.head, "inventory");

	if (stage.context != S_CTX_LOCAL || stage.hook != HOOK_LOCAL)
		forbidden("open() of " INVENTORY);
	if (!text) {
		errno = ENOENT;
		return -1;
	}
	if (!strcmp(text, "unwanted"))
		forbidden("open() of " INVENTORY);
	return open_text(text);
}

/* There is none on this node: what a step of auth/slurm alone may look for. */
static int open_sack(int flags)
{
	if (stage.hook != HOOK_POST_OPT || !range_get(stage.head, "authtype") ||
	    flags != (O_PATH | O_NOFOLLOW | O_CLOEXEC))
		forbidden("open() of " SACK);
	errno = ENOENT;
	return -1;
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	if (stage.scenario && !strcmp(path, HCCN))
		return open_hccn(flags);
	if (stage.scenario && !strcmp(path, INVENTORY))
		return open_inventory();
	if (stage.scenario && range_get(stage.section, "file") &&
	    (ends_with(path, ".roles") || ends_with(path, ".sh")))
		return open_text(range_get(stage.section, "file"));
	if (ends_with(path, INSIDE))
		return open_inside(flags);
	if (stage.scenario && !strcmp(path, SACK))
		return open_sack(flags);
	if (stage.scenario && !strcmp(path, SMT))
		return open_smt();
	if (stage.scenario && ends_with(path, SIBLINGS) &&
	    range_get(stage.head, "smt"))
		forbidden("open() of " SIBLINGS);
	if (stage.context == S_CTX_REMOTE &&
	    (stage.hook == HOOK_INIT || stage.hook == HOOK_POST_OPT ||
	     (stage.hook == HOOK_PRIVILEGED && !effective)))
		forbidden("open() as root");
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int fstat(int fd, struct stat *ret)
{
	if (fstatat(fd, "", ret, AT_EMPTY_PATH) < 0)
		return -1;
	if (fd < 0 || fd != hccn_fd)
		return 0;
	ret->st_uid = !strcmp(hccn_odd(), "owner") ? 1000 : 0;
	if (!strcmp(hccn_odd(), "large"))
		ret->st_size = HCCN_LARGE;
	return 0;
}
