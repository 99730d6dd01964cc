/* SPDX-License-Identifier: Apache-2.0 */
/* The lead inside, for lead.c and lead_srun.c. */
#ifndef DT_HELPERS_LEAD_LEAD_STATE_H
#define DT_HELPERS_LEAD_LEAD_STATE_H

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/option/key_forms.h"
#include "core/plan/resolve.h"
#include "helpers/conn/secure_conn.h"
#include "helpers/lead/lead.h"
#include "helpers/lead/srun_watch.h"
#include "helpers/progress/progress.h"
#include "helpers/server/server.h"

#include <stdbool.h>

struct lead {
	struct lead_options o;
	char id[JOB_STEP_SIZE];
	struct secure_conn_step step;
	char restart_on[RESTART_ON_SIZE]; /* for the arbiter */
	struct subscription up;		  /* the first one, for `progress` */
	struct giver *giver;		  /* of the secret; or NULL */
	struct server *server;
	struct lead_roster *roster; /* with recovery; or NULL */
	struct progress progress;
	struct loop_timer all_here; /* the time for that is over */
	bool silent;		    /* the step fails for who hasn't come */

	/* of lead_srun.c */
	struct srun_watch srun;
	struct loop_timer no_srun; /* armed: it has ended */
	bool told_by_slurm;
	unsigned char outcome; /* of lead_outcome() */
};

static inline long lead_number(const struct lead *lead, enum key_id id)
{
	return request_number(lead->o.plan->request, id);
}

#endif
