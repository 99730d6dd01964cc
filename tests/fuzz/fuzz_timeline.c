/* SPDX-License-Identifier: Apache-2.0 */
/* A step's record, as anybody may have written it. */
#include "helpers/cli/timeline/timeline_reader.h"

#include "tests/fuzz/fuzz.h"

static void check_record(const struct record *r)
{
	const struct life *first = record_first_failure(r);

	RULE(!r->n == !r->life && r->steps > 0);
	RULE(!first || life_failed(first));
	for (size_t i = 0; i < r->n; i++) {
		const struct life *l = &r->life[i];

		RULE(l->rank < r->nranks);
		RULE(strlen(l->node) < sizeof(l->node));
		RULE(strlen(l->role) < sizeof(l->role));
		RULE(!i || l[-1].rank < l->rank ||
		     (l[-1].rank == l->rank && l[-1].round < l->round));
	}
	for (int e = 0; e < RECORD_EVENTS; e++)
		record_last(r, (enum record_event)e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct record r;
	struct err err = {""};

	if (record_read(text, &r, &err) < 0) {
		fuzz_check_error(err.text);
	} else {
		check_record(&r);
		record_clear(&r);
	}
	free(text);
	return 0;
}
