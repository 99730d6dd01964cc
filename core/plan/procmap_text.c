/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/procmap.h"

#include "core/base/ip.h"
#include "core/base/text_stream.h"

#include <stdio.h>
#include <stdlib.h>

char *procmap_text(const struct plan *plan, const struct rank_place *peers,
		   char *const *hosts, const struct procmap_choice *choice,
		   unsigned *ret_n, struct err *err)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	char endpoint[ENDPOINT_SIZE], *text;
	unsigned n = 0;

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
	text = text_stream_end(&stream, 0, err);
	if (text)
		*ret_n = n;
	return text;
}
