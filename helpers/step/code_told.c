/* SPDX-License-Identifier: Apache-2.0 */
/* Which files all run with code=freeze (helpers/launch/code_phase.c): what the
 * first task's launcher tells goes to all who are here, and to each who asks
 * later, a spare of a node that was slow. */
#include "helpers/step/controller.h"

#include <stdlib.h>
#include <string.h>

static bool is_wanted(const struct plan *plan)
{
	return request_word(plan->request, KEY_CODE) == CODE_FREEZE;
}

static void on_told(void *arg, unsigned member, const char *text)
{
	struct controller *c = arg;
	struct server *server = controller_server(c);

	if (*text && !c->code) {
		c->code = strdup(text);
		server_send_all(server, MSG_CODE_ALL, text, strlen(text));
	} else if (!*text && c->code) {
		server_tell(server, member, MSG_CODE_ALL, c->code,
			    strlen(c->code));
	}
}

static void drop(struct controller *c)
{
	free(c->code);
	c->code = NULL;
}

const struct step_part code_of_step = {
	.name = "code",
	.wanted = is_wanted,
	.close = drop,
	.told =
		(const struct subscription[]){
			{.type = MSG_CODE, .take = on_told}, {0}},
};
