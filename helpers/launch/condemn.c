/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/condemn.h"

#include "core/base/cleanup.h"
#include "core/base/json_quote.h"
#include "helpers/launch/launch.h"
#include "helpers/launch/note.h"
#include "helpers/launch/step.h"

#include <stdio.h>
#include <stdlib.h>

void launch_condemn(struct launch *l, const char *why)
{
	char quoted[JSON_QUOTE_SIZE(512)];
	cleanup_free char *more = NULL;

	if (asprintf(&more, ",\"why\":%s",
		     json_quote(why, quoted, sizeof(quoted))) >= 0)
		note_mark(l, l->job.round, MARK_CONDEMNED, l->job.node_name,
			  more);
	launch_send(l, MSG_CONDEMNED, why);
}
