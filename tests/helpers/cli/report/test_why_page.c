/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a step that runs: where its ranks are. */
#include "helpers/cli/json_print.h"
#include "helpers/cli/report/why_now.h"

#include "tests/fixtures/unit.h"

#include <stdlib.h>

#define TRAIN                                                                  \
	"frame\tall_reduce\t/usr/lib/python3/dist-packages/torch/distributed/" \
	"distributed_c10d.py\t1541\nframe\ttrain\t/home/a/train.py\t31\n"
#define LOAD "frame\tload\t/home/a/data.py\t88\n"
#define PROC(RANK)                                                             \
	"proc\t" RANK "\t7\tpython3\tpy-spy\tS\nthread\t7\tMain\tS\tx\n"

static struct why_now now;
static struct why why;

static int begin(void **state)
{
	struct err err;

	(void)state;
	now = (struct why_now){
		.known = true,
		.running = true,
		.answers = true,
		.nranks = 3,
		.oldest_s = 90,
		.step = {.job_id = 12},
		.stacks = stacks_new(),
	};
	why = (struct why){.now = &now, .path = "/records"};
	node_names_add(&now.nodes, "node1");
	node_names_add(&now.nodes, "node2");
	stacks_add(now.stacks, "node1",
		   PROC("0") TRAIN PROC("1") TRAIN "note\tno py-spy\n", &err);
	stacks_add(now.stacks, "node2", PROC("2") LOAD, &err);
	now.ngroups = stacks_group(now.stacks, &now.group);
	return 0;
}

static int end(void **state)
{
	(void)state;
	why_now_clear(&now);
	return 0;
}

static void page_has(const char *text)
{
	char *page = NULL;
	size_t size;
	FILE *f = open_memstream(&page, &size);

	why_page(f, &why);
	fclose(f);
	if (!strstr(page, text))
		fail_msg("no '%s' in:\n%s", text, page);
	free(page);
}

static void json_has(const char *text)
{
	char *json = NULL;
	size_t size;
	FILE *f = open_memstream(&json, &size);
	struct json j = json_begin(f);

	why_json(&j, &why);
	json_end(&j);
	fclose(f);
	if (!strstr(json, text))
		fail_msg("no '%s' in:\n%s", text, json);
	free(json);
}

static void groups(void **state)
{
	(void)state;
	page_has("now        3 ranks on 2 nodes answer, the oldest for ");
	page_has("\nwhere its ranks are:\n"
		 "  2 ranks (0-1): all_reduce distributed_c10d.py:1541 < train "
		 "train.py:31\n"
		 "  1 rank (2, node2): load data.py:88  <- suspect: isn't in a "
		 "collective, as others are\n"
		 "  note: node1: no py-spy\n");
	json_has("\"now\":{\"answers\":true,\"ranks\":3,\"nodes\":2,"
		 "\"oldest_s\":90,\"groups\":[{\"ranks\":[0,1],"
		 "\"does\":\"collective\",\"collective\":\"all_reduce\"");
	json_has("\"suspect\":true,\"why\":\"isn't in a collective");
}

/* It has a record, which has no end. */
static void beside_the_record(void **state)
{
	struct record record = {.step = "12.0.0"};

	(void)state;
	why.record = &record;
	page_has("end        it still runs\n");
	page_has("\nwhere its ranks are:\n  2 ranks (0-1): ");
}

/* The second question wasn't answered. */
static void not_known(void **state)
{
	(void)state;
	stacks_free(now.stacks);
	now.stacks = NULL;
	now.ngroups = 0;
	strcpy(now.unseen, "step 12.0: too late");
	page_has("\nwhere its ranks are:\n  not known: step 12.0: too late\n");
	json_has("\"oldest_s\":90,\"text\":\"step 12.0: too late\"}");
}

static void no_answer(void **state)
{
	(void)state;
	now.answers = false;
	strcpy(now.silence, "nobody listens");
	page_has("now        nobody listens\n");
	json_has("\"now\":{\"answers\":false,\"text\":\"nobody listens\"}");
}

#define AT(S) "{\"t_ms\":" S "000,\"step\":\"12.0.0\",\"event\":"
#define STOPPED(MORE)                                                          \
	AT("9")                                                                \
	"\"stopped\",\"round\":0,\"signal\":15" MORE                           \
	"}\n" AT("9") "\"stopped\",\"round\":0,\"signal\":2}\n"
#define FAILED(S, WHY)                                                         \
	AT(S)                                                                  \
	"\"failure\",\"round\":0,\"node\":\"node2\",\"code\":143" WHY "}\n"

/* The record of a step that has ended after 10 s. */
static void read_ended(struct record *record, const char *lines)
{
	char text[4096];
	struct err err;

	snprintf(text, sizeof(text), "%s%s%s", AT("0") "\"step\"}\n", lines,
		 AT("10") "\"end\",\"round\":0,\"code\":143}\n");
	assert_int_equal(record_read(text, record, &err), 0);
	now.running = now.answers = false;
	why = (struct why){.now = &now, .record = record, .path = "/records"};
	why_read(&why);
}

/* By the user: no node is blamed, whatever its processes do then. */
static void cancelled(void **state)
{
	struct record record;

	(void)state;
	read_ended(&record, STOPPED("") FAILED("10", ""));
	page_has("end        cancelled (SIGTERM to the whole step): exit code "
		 "143 after 10.0 s\n");
	page_has("\n  9.00 s       cancelled (SIGTERM to the whole step)\n"
		 "  10.0 s       ");
	json_has("\"exit_code\":143,\"stopped_by\":\"signal\","
		 "\"failures\":0,\"events\":");
	record_clear(&record);
}

static void time_limit(void **state)
{
	struct record record;

	(void)state;
	read_ended(&record, STOPPED(",\"limit_s\":64800"));
	page_has("end        the job's time limit (18 h): exit code 143 "
		 "after 10.0 s\n");
	json_has("\"stopped_by\":\"time-limit\"");
	record_clear(&record);
	read_ended(&record, STOPPED(",\"limit_s\":0"));
	page_has("end        the job's time limit: exit code");
	record_clear(&record);
}

/* Slurm ends a step that has failed; a lost launcher is told of later. */
static void failed_before(void **state)
{
	struct record record;

	(void)state;
	read_ended(&record, FAILED("8", "") STOPPED(""));
	page_has("end        exit code 143 after 10.0 s\n");
	page_has("\nfirst failure, 8.00 s after the begin:\n"
		 "  a process on node2, exit code 143\n");
	record_clear(&record);
	read_ended(&record,
		   STOPPED("") FAILED("10", ",\"why\":\"node2 has gone\""));
	page_has("end        exit code 143 after 10.0 s\n");
	page_has("\n  node2 has gone\n");
	record_clear(&record);
}

/* Several worlds: what was decided says which has failed, not who came last. */
/* clang-format off */
#define STEP(TIME) "{\"t_ms\":100" TIME ",\"step\":\"12.0.0\",\"round\":0,"
#define B ",\"world\":\"b.1\"}\n"
#define A ",\"world\":\"a\"}\n"
static const char worlds[] =
	STEP("0") "\"event\":\"step\",\"framework\":\"roles\"}\n"
	STEP("1") "\"event\":\"failure\",\"node\":\"n2\",\"code\":7" B
	STEP("2") "\"event\":\"report\",\"text\":\"dist-train: b.1: rank 0\"" B
	STEP("3") "\"event\":\"failure\",\"node\":\"n1\",\"code\":1" A
	STEP("4") "\"event\":\"report\",\"text\":\"dist-train: a: rank 0\"" A
	STEP("5") "\"event\":\"world\",\"state\":\"failed\","
		  "\"text\":\"b.1 has ended\"" B
	STEP("6") "\"event\":\"world\",\"state\":\"restarted\"" A
	STEP("7") "\"event\":\"said\",\"text\":\"dist-train: slow\"" A;
/* clang-format on */

static void of_several_worlds(void **state)
{
	struct record record;
	struct err err;

	(void)state;
	assert_int_equal(record_read(worlds, &record, &err), 0);
	why.record = &record;
	why_read(&why);
	page_has("\nfirst failure, 0.00 s after the begin:\n  b.1: rank 0\n"
		 "  b.1 has ended\n");
	page_has(" a has restarted\n");
	page_has(" a: slow\n");
	page_has(" b.1 on n2 has failed first, exit code 7\n");
	json_has("\"world\":\"b.1\",\"node\":\"n2\",\"exit_code\":7");
	json_has("\"report\":\"dist-train: b.1: rank 0\","
		 "\"followed\":\"b.1 has ended\"");
	record_clear(&record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(groups, begin, end),
		cmocka_unit_test_setup_teardown(beside_the_record, begin, end),
		cmocka_unit_test_setup_teardown(not_known, begin, end),
		cmocka_unit_test_setup_teardown(no_answer, begin, end),
		cmocka_unit_test_setup_teardown(cancelled, begin, end),
		cmocka_unit_test_setup_teardown(time_limit, begin, end),
		cmocka_unit_test_setup_teardown(failed_before, begin, end),
		cmocka_unit_test_setup_teardown(of_several_worlds, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
