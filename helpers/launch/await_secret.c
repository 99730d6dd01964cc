/* SPDX-License-Identifier: Apache-2.0 */
/* The phase that waits until the step's secret is there, for those that need
 * it. Where it wasn't handed over the session gets it with its connection
 * (helpers/channel/session_state.h). */
#include "core/plan/framework.h"
#include "helpers/launch/launch.h"
#include "helpers/part/phase.h"

static bool needs_secret(const struct plan *plan)
{
	return plan->serves || plan->request->framework->program_is_file;
}

static enum phase_state begin(struct launch *l, struct err *err)
{
	(void)err;
	return session_knows_secret(l->view.session) ? PHASE_DONE : PHASE_WAITS;
}

void launch_knows_secret(struct launch *l)
{
	const struct phase *const *at = l->view.walk.at;

	if (at && *at == &secret_phase)
		phase_done(l);
}

const struct phase secret_phase = {
	.name = "secret",
	.wanted = needs_secret,
	.begin = begin,
};
