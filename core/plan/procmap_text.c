/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/procmap.h"

#include "core/base/ip.h"

#include <stdio.h>
#include <stdlib.h>

char *procmap_text(const struct plan *plan, const struct rank_place *peers,
		   char *const *hosts, const struct procmap_choice *choice,
		   unsigned *ret_n, struct err *err)
{
	char *text = NULL, endpoint[ENDPOINT_SIZE];
	unsigned n = 0;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (unsigned r = choice->first; f && r < choice->end; r++) {
		const char *host = hosts[peers[r].node];

		if (peers[r].role != choice->role)
			continue;
		if (choice->ports)
			host = endpoint_format(host,
					       plan_port(plan, peers[r].local),
					       endpoint);
		fprintf(f, "%s%s", n++ ? "," : "", host);
	}
	if (f && fclose(f) == 0) {
		*ret_n = n;
		return text;
	}
	free(text);
	err_memory(err);
	return NULL;
}
