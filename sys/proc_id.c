/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/proc_id.h"

#include "core/base/cleanup.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Behind the name, which may hold anything: STATE PARENT GROUP SESSION ..., and
 * the start is the 20th. */
#define FIELDS                                                                 \
	") %*c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "     \
	"%*d %*d %*d %llu"

int proc_id_read(pid_t pid, struct proc_id *ret)
{
	cleanup_close int fd = -1;
	unsigned long long start;
	char text[1024], *at;
	int parent, session;
	ssize_t n;

	snprintf(text, sizeof(text), "/proc/%d/stat", (int)pid);
	fd = open(text, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (n <= 0)
		return -1;
	text[n] = '\0';
	at = strrchr(text, ')');
	if (!at || sscanf(at, FIELDS, &parent, &session, &start) != 3)
		return -1;
	*ret = (struct proc_id){pid, parent, session, start};
	return 0;
}

bool proc_id_is_there(const struct proc_id *id)
{
	struct proc_id now;

	return proc_id_read(id->pid, &now) == 0 && now.start == id->start;
}
