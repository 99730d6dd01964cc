/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/restart.h"

#include "core/option/hang.h"

#include <stdio.h>
#include <stdlib.h>

/* Of a shell, and of our launcher: it can't be run, and isn't there. */
#define CODE_NOT_RUN   126
#define CODE_NOT_FOUND 127

bool restart_is_worth(const struct request *request, int code)
{
	const struct option_value *on = &request->key[KEY_RESTART_ON];
	const char *list = on->text;
	struct hang hang;

	hang_of(request, &hang);
	if (code == HANG_CODE && hang.act == HANG_RESTART)
		return true;
	if (on->word == RESTART_ON_SIGNAL)
		return code >= 128;
	if (on->word == RESTART_ON_ANY)
		return code != CODE_NOT_RUN && code != CODE_NOT_FOUND;
	while (list && *list) {
		char *end;

		if (strtol(list, &end, 10) == code)
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

const char *restart_on_text(const struct request *request,
			    char buf[RESTART_ON_SIZE])
{
	const struct option_value *on = &request->key[KEY_RESTART_ON];

	if (on->word == RESTART_ON_SIGNAL)
		snprintf(buf, RESTART_ON_SIZE,
			 "restart-on=signal (128 and above)");
	else if (on->word == RESTART_ON_ANY)
		snprintf(buf, RESTART_ON_SIZE,
			 "restart-on=any (all but %d and %d)", CODE_NOT_RUN,
			 CODE_NOT_FOUND);
	else
		snprintf(buf, RESTART_ON_SIZE, "restart-on=%.100s", on->text);
	return buf;
}
