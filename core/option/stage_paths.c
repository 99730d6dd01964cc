/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/option.h"

#include "core/base/parse.h"

#include <string.h>

const char *stage_next_path(const char **text, size_t *ret_len)
{
	const char *at = *text;

	if (!at)
		return NULL;
	*ret_len = strcspn(at, "+");
	*text = at[*ret_len] ? at + *ret_len + 1 : NULL;
	return at;
}

static int check_paths(const char *all, struct err *err)
{
	const char *at = all;
	char shown[SHOW_SIZE];
	unsigned n = 0;
	size_t len;

	while (stage_next_path(&at, &len)) {
		if (!len)
			return err_printf(err,
					  "stage=%s: must be auto, or paths "
					  "joined by +",
					  show(shown, all));
		if (++n > STAGE_PATHS_MAX)
			return err_printf(err,
					  "stage=%s: at most %d paths; name a "
					  "folder that has several of them",
					  show(shown, all), STAGE_PATHS_MAX);
	}
	return 0;
}

int stage_check(const struct request *r, struct err *err)
{
	const char *paths = request_text(r, KEY_STAGE);

	return paths ? check_paths(paths, err) : 0;
}

long stage_keeps(const struct request *r, const struct config *config)
{
	long own = request_word(r, KEY_STAGE_KEEP) < 0
			   ? request_number(r, KEY_STAGE_KEEP)
			   : -1;

	if (own < 0 || config->stagekeep < 0)
		return own < 0 ? config->stagekeep : own;
	return own < config->stagekeep ? own : config->stagekeep;
}
