/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/component_request.h"

#include "core/facts/components.h"
#include "core/facts/handover.h"
#include "helpers/launch/launch.h"
#include "registry/component_options.h"

#include <stdio.h>
#include <stdlib.h>

/* This launcher's own component may have another option than the one that Slurm
 * has told all nodes, the last. */
static int take_request(struct launch *l, const char *texts, struct err *err)
{
	struct request own = {0};
	unsigned number, n;

	if (!components_differ(texts))
		return 0;
	if (component_of(&l->job, l->job.procid, &number, &n, err) < 0 ||
	    components_request(texts, number, &l->config, &own, err) < 0)
		return -1;
	request_clear(&l->request);
	l->request = own;
	return 0;
}

int components_take(struct launch *l, struct err *err)
{
	const char *texts = getenv(HANDOVER_COMPONENTS);
	struct component_wish wish[COMPONENTS_MAX];
	char remark[COMPONENTS_REMARK_SIZE];
	unsigned n;

	if (!l->job.firsts || l->job.dealt)
		return 0;
	if (!texts)
		texts = getenv(HANDOVER_REQUEST);
	if (components_wishes(texts, &l->config, wish, &n, err) < 0 ||
	    components_deal(&l->job, wish, n, remark, err) < 0 ||
	    take_request(l, texts, err) < 0)
		return -1;
	if (*remark && !l->job.procid)
		fprintf(stderr, "dist-train: %s\n", remark);
	return 0;
}
