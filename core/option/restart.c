/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/restart.h"

#include "core/option/hang.h"

#include <stdlib.h>

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
		return true;
	while (list && *list) {
		char *end;

		if (strtol(list, &end, 10) == code)
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}
