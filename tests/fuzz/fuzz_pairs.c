/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What nodes tell of their measurements with each other (check=full): the first
 * byte is their number, each further one what a node tells of a measurement;
 * who has none left tells nothing.
 */
#include "helpers/check/pairs.h"

#include "tests/fuzz/fuzz.h"

#define NODES_MAX 12

struct bytes {
	const uint8_t *at, *end;
};

/* From 0 on, by tens; the lowest bits are of packets sent again. */
static void note(struct pairs *p, unsigned node, struct bytes *b)
{
	static const double rate[] = {0,   0,	1e3, 1e6, 2e8, 4e8,
				      1e9, 1e9, 1e9, 1e9, 2e9, 1e300};
	static const unsigned again[] = {0, 10, 49, 50, 200, 1000, 4000000000U};
	struct pair_figure f;

	if (b->at == b->end)
		return;
	f.rate = rate[*b->at % 12];
	f.again = again[*b->at++ / 12 % 7];
	pairs_note(p, node, &f);
}

static void measure(struct pairs *p, struct bytes *b)
{
	struct pair pair[NODES_MAX];
	unsigned n, stages = 0;

	while ((n = pairs_next(p, pair))) {
		RULE(n <= p->nnodes / 2 && ++stages <= PAIR_STAGES);
		for (unsigned i = 0; i < n; i++) {
			RULE(pair[i].a < p->nnodes && pair[i].b < p->nnodes);
			note(p, pair[i].a, b);
			note(p, pair[i].b, b);
		}
	}
}

/* No figure is never well. */
static void judge(const struct pairs *p, unsigned node)
{
	static const char *const name[NODES_MAX] = {"n0", "n1", "n2",  "n3",
						    "n4", "n5", "n6",  "n7",
						    "n8", "n9", "n10", "n11"};
	char text[512] = "";
	enum pair_verdict v = pairs_judge(p, node, name, text, sizeof(text));
	bool none = pairs_best(p, node) <= 0;

	RULE((v == PAIR_BROKEN) == none);
	RULE((v == PAIR_WELL) == !*text);
	RULE(none || pairs_usual(p) > 0);
	RULE(none || v != PAIR_SLOW ||
	     pairs_best(p, node) < pairs_usual(p) / PAIR_LESS_THAN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = {data + 1, data + size};
	struct pairs p;

	if (!size)
		return 0;
	RULE(pairs_open(&p, 2 + data[0] % (NODES_MAX - 1)) == 0);
	measure(&p, &b);
	for (unsigned i = 0; i < p.nnodes; i++)
		judge(&p, i);
	pairs_close(&p);
	return 0;
}
