/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/env_secret.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Names of secrets end like this, in capitals or not. */
static const char *const endings[] = {
	"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "_KEY", "APIKEY",
};

static bool is_name_of_secret(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t n = strlen(endings[i]);

		if (len >= n && !strcasecmp(name + len - n, endings[i]))
			return true;
	}
	return false;
}

bool env_is_secret(const struct env_entry *entry, const char *value)
{
	if (!value || !*value || strstr(value, ENV_LATER))
		return false;
	return entry->secret || is_name_of_secret(entry->name);
}

const char *env_secret(const char *value, char buf[SHOW_SIZE])
{
	snprintf(buf, SHOW_SIZE, "(a secret, %zu characters)", strlen(value));
	return buf;
}

const char *env_show(const struct env_entry *entry, const char *value,
		     char buf[SHOW_SIZE])
{
	return env_is_secret(entry, value) ? env_secret(value, buf)
					   : show(buf, value);
}
