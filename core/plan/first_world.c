/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/recovery.h"

#include "core/facts/places.h"
#include "core/facts/taskmap.h"
#include "core/plan/resolve.h"

#include <stdio.h>

int first_places(const struct job *step, unsigned nspares, struct places *ret,
		 struct err *err)
{
	if (!step->order)
		return places_first(step->nnodes, nspares, ret, err);
	if (nspares >= step->nnodes)
		return err_printf(err, "%u spares of %u nodes leave no node",
				  nspares, step->nnodes);
	if (node_order_parse(step->order, step->nnodes, ret, NULL, err) < 0)
		return -1;
	ret->n -= nspares;
	return 0;
}

/* What the user has asked for. */
static const char *asked(const struct resolved *w, char buf[RECOVERY_ASKED])
{
	if (w->recovery)
		return recovery_asked(w, buf);
	return "order=topology";
}

const struct job *first_world(const struct request *request,
			      const struct job *step, struct job *own,
			      struct err *err)
{
	char what[RECOVERY_ASKED];
	struct places places;
	struct resolved w;
	struct err why;
	int rc;

	*own = (struct job){.node_name = NULL};
	resolve(request, step, &w);
	if (!w.recovery && !w.ordered)
		return step;
	if (w.recovery && recovery_check_step(&w, step, err) < 0)
		return NULL;
	rc = first_places(step, w.spares, &places, &why);
	if (rc == 0) {
		rc = job_world(step, &places, own, &why);
		places_clear(&places);
	}
	if (rc == 0)
		return own;
	err_printf(err, "%s: %.900s", asked(&w, what), why.text);
	return NULL;
}
