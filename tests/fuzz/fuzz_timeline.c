/* SPDX-License-Identifier: Apache-2.0 */
/* A step's record, as anybody may have written it. */
#include "helpers/cli/report/timeline_facts.h"

#include "tests/fuzz/fuzz.h"

static void check_record(const struct record *r)
{
	char buf[FACT_SIZE], line[MARK_LINE_SIZE];
	struct facts facts;
	struct err err;

	RULE(!r->n == !r->life && r->steps > 0);
	RULE(facts_find(r, &facts, &err) == 0);
	RULE(!facts.failed || life_failed(facts.failed));
	RULE(!r->n || (facts.nnodes && facts.nrounds));
	facts_arrival(&facts, buf);
	facts_output(&facts, buf);
	facts_failure(&facts, buf);
	facts_size(r, &facts, buf);
	facts_loss(r, buf);
	for (size_t i = 0; i < r->nmarks; i++) {
		RULE(r->mark[i].at_ms >= 0 && r->mark[i].at_ms <= r->end_ms);
		RULE(strlen(mark_line(&r->mark[i], line)) < sizeof(line));
	}
	facts_clear(&facts);
	for (size_t i = 0; i < r->n; i++) {
		const struct life *l = &r->life[i];

		RULE(l->rank < r->nranks);
		RULE(strlen(l->node) < sizeof(l->node));
		RULE(strlen(l->role) < sizeof(l->role));
		RULE(!i || l[-1].rank < l->rank ||
		     (l[-1].rank == l->rank && l[-1].round < l->round));
	}
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
