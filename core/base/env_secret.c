/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/env_secret.h"

#include "core/base/text.h"

#include <ctype.h>
#include <string.h>

/* Names of secrets end like this, in capitals or not. */
static const char *const endings[] = {
	"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "_KEY", "APIKEY",
};

static bool is_same(char a, char b)
{
	return toupper((unsigned char)(a == '-' ? '_' : a)) == b;
}

/* Whether a variable or an option of a command line whose name has `len` bytes
 * holds a secret, by its name: HF_TOKEN, --api-key. */
static bool has_secret_name(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t n = strlen(endings[i]), at = 0;

		if (len < n)
			continue;
		while (at < n && is_same(name[len - n + at], endings[i][at]))
			at++;
		if (at == n)
			return true;
	}
	return false;
}

bool env_is_secret(const struct env_entry *entry, const char *value)
{
	if (!value || !*value || strstr(value, ENV_LATER) ||
	    strstr(value, ENV_ON_NODE))
		return false;
	return entry->secret ||
	       has_secret_name(entry->name, strlen(entry->name));
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

void env_secret_command(char *const *argv, char *buf, size_t size)
{
	bool secret = false;

	*buf = '\0';
	for (; argv && *argv; argv++) {
		const char *value = strchr(*argv, '=');
		size_t name = value ? (size_t)(value - *argv) : strlen(*argv);

		if (secret && **argv != '-') {
			text_add(buf, size, " ", "...");
			secret = false;
			continue;
		}
		secret = has_secret_name(*argv, name) &&
			 (value || **argv == '-');
		if (secret && value)
			text_add(buf, size, " ", "%.*s=...", (int)name, *argv);
		else
			text_add(buf, size, " ", "%s", *argv);
		secret = secret && !value;
	}
}

const char *env_kept(const struct env_entry *e, const char *ours,
		     char buf[ENV_KEPT_SIZE])
{
	char theirs[SHOW_SIZE], shown[SHOW_SIZE];

	snprintf(buf, ENV_KEPT_SIZE,
		 "your %s=%s is kept, but the step has %s (%s); overwrite=yes "
		 "replaces it",
		 e->name, env_show(e, e->former, theirs),
		 env_show(e, ours, shown), e->source);
	return buf;
}

int env_refuse(const struct env_entry *e, const char *ours, struct err *err)
{
	char theirs[SHOW_SIZE], shown[SHOW_SIZE];

	return err_printf(err,
			  "your %s=%s, but the step has %s (%s); unset it, or "
			  "replace it with overwrite=yes",
			  e->name, env_show(e, e->former, theirs),
			  env_show(e, ours, shown), e->source);
}
