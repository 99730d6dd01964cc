/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the key on-node-loss. */
#include "core/option/ladder.h"

#include "tests/fixtures/option_fixture.h"

/* What a request comes to. */
static void ladders(void **state)
{
	static const struct {
		const char *request, *ladder;
	} cases[] = {
		{"ddp", "fail"},
		{"ddp,spares=2", "replace+fail"},
		{"ddp,on-node-loss=auto", "fail"},
		{"ddp,on-node-loss=fail", "fail"},
		{"ddp,on-node-loss=requeue", "requeue+fail"},
		{"ddp,on-node-loss=requeue+fail", "requeue+fail"},
		{"ddp,spares=1,on-node-loss=replace", "replace+fail"},
		{"ddp,on-node-loss=shrink:2", "shrink:2+fail"},
		{"ddp,spares=1,on-node-loss=Replace+Shrink:4+requeue+fail",
		 "replace+shrink:4+requeue+fail"},
		{"ddp,on-node-loss=shrink:4+replace,spares=1",
		 "shrink:4+replace+fail"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[LADDER_SIZE];
		struct ladder ladder;
		struct request r;

		parse_ok(cases[i].request, &r);
		ladder_of(&r, &ladder);
		assert_string_equal(ladder_text(&ladder, text),
				    cases[i].ladder);
		request_clear(&r);
	}
}

static void bad_ladders(void **state)
{
	static const struct {
		const char *request, *why;
	} bad[] = {
		{"ddp,on-node-loss=", "must be one of auto|fail|requeue|"},
		{"ddp,on-node-loss=retry", "'retry' is none of replace"},
		{"ddp,on-node-loss=replace+", "'' is none of replace"},
		{"ddp,on-node-loss=replace+auto", "'auto' is none of"},
		{"ddp,on-node-loss=shrink", "write shrink:MIN"},
		{"ddp,on-node-loss=shrink:0", "write shrink:MIN"},
		{"ddp,on-node-loss=replace:3", "'replace:3' is none of"},
		{"ddp,on-node-loss=replace+replace", "replace is there twice"},
		{"ddp,on-node-loss=shrink:2+shrink:3", "shrink is there twice"},
		{"ddp,on-node-loss=fail+replace",
		 "nothing is tried after fail"},
		{"ddp,on-node-loss=requeue+replace",
		 "nothing is tried after requeue; write replace before it"},
		{"ddp,on-node-loss="
		 "replacereplacereplacereplacereplacereplace",
		 "is none of"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		refused(bad[i].request, NULL, NULL, bad[i].why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ladders),
		cmocka_unit_test(bad_ladders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
