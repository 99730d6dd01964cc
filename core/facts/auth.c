/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/auth.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

void auth_of(const char *type, uid_t slurm_user, const char *cluster,
	     struct auth *ret)
{
	*ret = (struct auth){
		.by_slurm = type && !strcmp(type, AUTH_TYPE_SLURM),
		.slurm_user = slurm_user,
	};
	snprintf(ret->cluster, sizeof(ret->cluster), "%s",
		 cluster && *cluster ? cluster : "-");
}

void auth_of_config(const char *config, struct auth *ret)
{
	char type[64] = "", user[128] = "", cluster[AUTH_CLUSTER_SIZE] = "";
	char *number;
	long uid = 0;

	text_setting(config, "AuthType", type, sizeof(type));
	text_setting(config, "SlurmUser", user, sizeof(user));
	text_setting(config, "ClusterName", cluster, sizeof(cluster));
	number = strrchr(user, '('); /* NAME(UID) */
	if (number) {
		number[strcspn(number, ")")] = '\0';
		parse_number(number + 1, 0, UINT_MAX, &uid);
	}
	auth_of(type, (uid_t)uid, cluster, ret);
}

/* Where `text` goes on after `word`, or NULL */
static const char *behind(const char *text, const char *word)
{
	size_t n = strlen(word);

	return strncmp(text, word, n) == 0 ? text + n : NULL;
}

bool auth_read(const char *text, struct auth *ret)
{
	const char *words = behind(text, HANDOVER_BY_SLURM);
	int n = 0;

	_Static_assert(AUTH_CLUSTER_SIZE == 64, "below");
	*ret = (struct auth){0};
	if (words)
		n = sscanf(words, "%u %63s %d %u", &ret->slurm_user,
			   ret->cluster, &ret->socket_fd, &ret->user);
	ret->by_slurm = n == 2 || n == 4;
	return ret->by_slurm;
}

bool auth_read_meet(const char *text, struct auth *ret)
{
	const char *word = behind(text, HANDOVER_MEET);

	*ret = (struct auth){0};
	return word ? auth_read(word, ret) : !strcmp(text, HANDOVER_BY_MUNGE);
}

void auth_handed(const char *secret, struct auth *ret)
{
	*ret = (struct auth){0};
	if (secret && !auth_read(secret, ret))
		auth_read_meet(secret, ret);
}

void auth_write(const struct auth *auth, char ret[AUTH_WORD_MAX])
{
	*ret = '\0';
	if (auth->by_slurm)
		snprintf(ret, AUTH_WORD_MAX, HANDOVER_BY_SLURM "%u %s",
			 (unsigned)auth->slurm_user, auth->cluster);
}
