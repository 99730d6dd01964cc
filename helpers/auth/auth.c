/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/auth/auth.h"

#include "core/base/parse.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BLANKS " \t"

bool auth_read(const char *text, struct auth *ret)
{
	size_t n = strlen(HANDOVER_BY_SLURM);

	_Static_assert(AUTH_CLUSTER_SIZE == 64, "below");
	*ret = (struct auth){0};
	if (strncmp(text, HANDOVER_BY_SLURM, n) != 0)
		return false;
	n = (size_t)sscanf(text + n, "%u %63s %d %u", &ret->slurm_user,
			   ret->cluster, &ret->socket_fd, &ret->user);
	ret->by_slurm = n == 2 || n == 4;
	return ret->by_slurm;
}

uid_t auth_user(const struct auth *auth)
{
	return auth->socket_fd ? auth->user : getuid();
}

void auth_write(const struct auth *auth, char ret[AUTH_WORD_MAX])
{
	snprintf(ret, AUTH_WORD_MAX, HANDOVER_BY_SLURM "%u %s",
		 (unsigned)auth->slurm_user, auth->cluster);
}

/* "KEY   = VALUE" on a line of its own; "" there is none. */
static void value_of(const char *config, const char *key, size_t size,
		     char *ret)
{
	size_t n = strlen(key);

	*ret = '\0';
	for (const char *line = config; line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *at = line + n;

		if (strncmp(line, key, n) != 0)
			continue;
		at += strspn(at, BLANKS);
		if (*at != '=')
			continue;
		at += 1 + strspn(at + 1, BLANKS);
		snprintf(ret, size, "%.*s", (int)strcspn(at, BLANKS "\n"), at);
		return;
	}
}

void auth_of_config(const char *config, struct auth *ret)
{
	char type[64], user[128], *number;
	long uid;

	*ret = (struct auth){0};
	value_of(config, "AuthType", sizeof(type), type);
	value_of(config, "SlurmUser", sizeof(user), user);
	value_of(config, "ClusterName", sizeof(ret->cluster), ret->cluster);
	ret->by_slurm = !strcmp(type, AUTH_TYPE_SLURM);
	number = strrchr(user, '('); /* NAME(UID) */
	if (!number)
		return;
	number[strcspn(number, ")")] = '\0';
	if (parse_number(number + 1, 0, UINT_MAX, &uid) == 0)
		ret->slurm_user = (uid_t)uid;
}
