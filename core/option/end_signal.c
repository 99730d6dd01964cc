/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/end_signal.h"

#include "core/base/parse.h"

#include <signal.h>
#include <string.h>
#include <strings.h>

/* Those that a program catches to save; not KILL, which none can, nor what the
 * kernel sends for a fault. */
static const struct {
	const char *name;
	int number;
} signals[] = {
	{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"TERM", SIGTERM},
	{"INT", SIGINT},   {"HUP", SIGHUP},
};

#define NSIGNALS (sizeof(signals) / sizeof(*signals))

static int find_signal(const char *name, size_t n)
{
	if (n > 3 && !strncasecmp(name, "SIG", 3)) {
		name += 3;
		n -= 3;
	}
	for (size_t i = 0; i < NSIGNALS; i++)
		if (strlen(signals[i].name) == n &&
		    !strncasecmp(signals[i].name, name, n))
			return signals[i].number;
	return 0;
}

const char *end_signal_name(int number)
{
	for (size_t i = 0; i < NSIGNALS; i++)
		if (signals[i].number == number)
			return signals[i].name;
	return "";
}

int end_signal_parse(const char *text, struct end_signal *ret, struct err *err)
{
	const struct option_key *key = &option_keys[KEY_END_SIGNAL];
	const char *at = strchr(text, '@');
	struct end_signal e = {.number = SIGUSR1};
	char shown[SHOW_SIZE];

	if (at)
		e.number = find_signal(text, (size_t)(at - text));
	if (!e.number || parse_seconds(at ? at + 1 : text, key->min, key->max,
				       &e.seconds) < 0)
		return err_printf(
			err,
			"%s=%s: must be none, or a number of seconds "
			"from %ld to %ld, or with s, m, h, and before "
			"it nothing, USR1@, USR2@, TERM@, INT@ or "
			"HUP@",
			key->name, show(shown, text), key->min, key->max);
	*ret = e;
	return 0;
}

void end_signal_of(const struct request *r, struct end_signal *ret)
{
	const char *text = request_text(r, KEY_END_SIGNAL);
	struct err ignored;

	*ret = (struct end_signal){0};
	if (text)
		end_signal_parse(text, ret, &ignored);
}
