/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of made-up jobs went. Records begin at T seconds. */
#include "helpers/cli/report/goodput.h"

#include "core/base/text.h"
#include "tests/fixtures/unit.h"

#include <stdlib.h>

#define T     1800000000LL
#define LIVES 4
#define STEPS 2

static struct goodput_job job;
static struct goodput_life life[LIVES];
static struct goodput_step step[LIVES][STEPS];
static struct goodput g;

static int begin(void **state)
{
	(void)state;
	job = (struct goodput_job){
		.id = 12,
		.name = "12",
		.life = life,
		.now_ms = TIME_UNKNOWN,
	};
	return 0;
}

static int end(void **state)
{
	(void)state;
	goodput_clear(&g);
	for (size_t i = 0; i < job.nlives; i++)
		for (size_t k = 0; k < job.life[i].nsteps; k++)
			record_clear(&step[i][k].record);
	return 0;
}

/* Seconds since T; a negative one isn't known. */
static int64_t at(double s)
{
	return s < 0 ? TIME_UNKNOWN : (int64_t)(T * 1000 + s * 1000);
}

static void add_life(double submit_s, double start_s, double end_s)
{
	life[job.nlives] = (struct goodput_life){
		.requeue = job.nlives,
		.submit_ms = at(submit_s),
		.start_ms = at(start_s),
		.end_ms = at(end_s),
		.step = step[job.nlives],
	};
	job.nlives++;
}

/* Lines "SECONDS EVENT ROUND [MEMBERS]" of the last life's next step, which
 * begins with the first one. */
static void add_step(const char *const line[])
{
	struct goodput_life *l = &life[job.nlives - 1];
	char text[4096] = "", event[32];
	unsigned round;
	struct err err;
	double s;

	for (int n; *line; line++) {
		assert_int_equal(
			sscanf(*line, "%lf %31s %u %n", &s, event, &round, &n),
			3);
		for (int head = !*text; head >= 0; head--)
			text_add(text, sizeof(text), "",
				 "{\"t_ms\":%.3f,\"step\":\"12.%zu.%lu\","
				 "\"event\":\"%s\",\"round\":%u%s%s}\n",
				 (double)T * 1000 + s * 1000, l->nsteps,
				 l->requeue, head ? "step" : event, round,
				 !head && (*line)[n] ? "," : "",
				 head ? "" : *line + n);
	}
	l->step[l->nsteps].number = l->nsteps;
	assert_int_equal(record_read(text, &l->step[l->nsteps].record, &err),
			 0);
	l->nsteps++;
}

#define STEP(...) add_step((const char *const[]){__VA_ARGS__, NULL})

/* "queue 10, startup 1 ..." in seconds; behind a name "*": it may have been
 * training. The spans have no gap, and their sum is the wall time. */
static void expect(const char *spans)
{
	struct goodput_sum sum = SUM_NEW;
	char text[2048] = "";
	int64_t parts = 0;
	struct err err;

	assert_int_equal(goodput_count(&job, &g, &err), 0);
	for (size_t i = 0; i < g.nspans; i++) {
		const struct span *s = &g.span[i];

		if (i)
			assert_int_equal(s->from_ms, s[-1].to_ms);
		text_add(text, sizeof(text), ", ", "%s%s %g",
			 part_word(s->part), s->maybe ? "*" : "",
			 (double)(s->to_ms - s->from_ms) / 1000);
	}
	assert_string_equal(text, spans);
	goodput_add(&sum, &g);
	for (int i = 0; i < PART_COUNT; i++)
		parts += sum.ms[i];
	assert_int_equal(parts, sum.wall_ms);
	if (g.nspans)
		assert_int_equal(sum.wall_ms, g.span[g.nspans - 1].to_ms -
						      g.span[0].from_ms);
}

static void expect_trouble(size_t n, enum cause cause, const char *node,
			   double at_s, double lost_steps)
{
	const struct trouble *t = &g.trouble[n];

	assert_true(n < g.ntroubles);
	assert_string_equal(cause_word(t->cause), cause_word(cause));
	assert_string_equal(t->node, node);
	assert_int_equal(t->at_ms, at(at_s));
	assert_true(t->lost_steps == lost_steps);
}

static void expect_ratio(double low, double high)
{
	struct goodput_sum sum = SUM_NEW;
	double l, h;

	goodput_add(&sum, &g);
	assert_true(goodput_ratio(&sum, false, &l, &h));
	assert_float_equal(l, low, 1e-9);
	assert_float_equal(h, high, 1e-9);
}

/* A good end: nothing is lost, whatever the progress file has. */
static void one_life(void **state)
{
	(void)state;
	add_life(0, 10, 115);
	STEP("12 round 0", "14 runs 0", "112 saved 0 \"value\":5,\"age_s\":50",
	     "114 end 0 \"code\":0");
	expect("queue 10, outside 2, startup 2, training 100, outside 1");
	assert_int_equal(g.ntroubles, 0);
	expect_ratio(100 / 105.0, 100 / 105.0);
}

/* The key stage: its time is that of its own, also where its end isn't told. */
static void staged(void **state)
{
	(void)state;
	add_life(0, 10, 115);
	STEP("12 round 0", "13 stages 0", "18 staged 0 \"text\":\"x\"",
	     "19 runs 0", "114 end 0 \"code\":0");
	STEP("114 round 0", "114 stages 0", "115 runs 0", "115 end 0");
	expect("queue 10, outside 2, startup 1, staging 5, startup 1, "
	       "training 95, staging 1");
}

/* Told that the end is near, it saves and is requeued. */
static void two_lives(void **state)
{
	(void)state;
	add_life(0, 10, -1);
	STEP("10 round 0", "11 runs 0",
	     "91 signalled 0 \"text\":\"60 s before the time limit\"",
	     "94 saved 0 \"value\":80,\"age_s\":4",
	     "94 saved 0 \"value\":80,\"age_s\":4",
	     "94.5 progress 0 \"node\":\"n1\",\"rank\":3,\"last_step\":84",
	     "95 end 0 \"code\":0");
	add_life(98, 120, 160);
	STEP("121 round 0", "121 saved 0 \"value\":80,\"age_s\":31",
	     "123 runs 0", "159 end 0 \"code\":0");
	expect("queue 10, startup 1, training 79, lost 5, outside 3, "
	       "queue 22, outside 1, startup 2, training 36, outside 1");
	assert_int_equal(g.ntroubles, 1);
	expect_trouble(0, CAUSE_SIGNALLED, "", 95, 4);
	assert_string_equal(g.trouble[0].text, "60 s before the time limit");
	/* What it led to */
	assert_int_equal(g.span[4].life, 0);
	assert_int_equal(g.trouble[0].ms[PART_QUEUE], 22000);
	assert_int_equal(g.trouble[0].ms[PART_STARTUP], 2000);
	assert_int_equal(g.trouble[0].ms[PART_OUTSIDE], 4000);
	expect_ratio(115 / 150.0, 115 / 150.0);
}

/* A failure, a lost node and a hang in one step. */
static void three_rounds(void **state)
{
	(void)state;
	add_life(-1, 0, -1);
	STEP("0 round 0", "2 runs 0", "20 failure 0 \"node\":\"n2\",\"code\":3",
	     "20 saved 0 \"value\":10,\"age_s\":3",
	     "20.1 progress 0 \"node\":\"n1\",\"rank\":0,\"last_step\":15",
	     "21 round 1", "21 saved 1 \"value\":10,\"age_s\":4",
	     "21.5 progress 0 \"node\":\"n2\",\"rank\":2,\"last_step\":14",
	     "22 runs 1", "58 failure 1 \"node\":\"n3\",\"code\":137",
	     "60 said 1 \"text\":\"dist-train: no sign of life from n3 for 5 "
	     "s: node or network lost\\n\"",
	     "61 lost 1 \"node\":\"n3\",\"why\":\"it has no place any more\"",
	     "61 round 2", "61 saved 2 \"value\":30,\"age_s\":10", "62 runs 2",
	     "182 hang 2 \"node\":\"n1\",\"text\":\"dist-train: hang: no rank "
	     "has worked for 1 min 0 s (hang=60)\\ndist-train: the step is "
	     "started again\\n\"",
	     "184 failure 2 \"node\":\"n1\",\"code\":124",
	     "185 end 2 \"code\":124,\"why\":\"dist-train: a hang\"");
	expect("startup 2, training 15, lost 3, restart 2, training 29, "
	       "lost 4, detection 5, restart 2, training 60, detection 62, "
	       "restart 1");
	assert_int_equal(g.ntroubles, 3);
	expect_trouble(0, CAUSE_FAILURE, "n2", 20, 4);
	expect_trouble(1, CAUSE_NODE_LOSS, "n3", 55, RECORD_NEVER);
	expect_trouble(2, CAUSE_HANG, "n1", 122, RECORD_NEVER);
	assert_int_equal(g.trouble[2].unsure_ms, 60000);
	/* The last one's loss isn't known: all of its training may be lost */
	expect_ratio(44 / 185.0, 104 / 185.0);
}

/* A record without an end, and Slurm knows when the life ended. */
static void no_end(void **state)
{
	(void)state;
	add_life(-1, 0, 90);
	STEP("1 round 0", "2 runs 0", "30 said 0 \"text\":\"x\"");
	add_life(91, 100, -1);
	STEP("100 round 0", "101 saved 0 \"value\":7,\"age_s\":81",
	     "102 runs 0", "110 end 0 \"code\":0");
	expect("outside 1, startup 1, training 18, lost 10, unknown* 60, "
	       "queue 10, startup 2, training 8");
	expect_trouble(0, CAUSE_KILLED, "", 30, RECORD_NEVER);
	expect_ratio(26 / 110.0, 86 / 110.0);
}

/* A file that was written in the next life says nothing of this one's end. */
static void written_later(void **state)
{
	(void)state;
	add_life(-1, 0, -1);
	STEP("0 runs 0", "30 failure 0 \"node\":\"n1\",\"code\":1",
	     "30 end 0 \"code\":1");
	add_life(30, 31, -1);
	STEP("31 runs 0", "90 saved 0 \"value\":7,\"age_s\":20",
	     "90 end 0 \"code\":0");
	expect("training 30, queue 1, training 59");
	assert_int_equal(g.trouble[0].unsure_ms, 30000);
}

/* Nobody knows when the first life ended. */
static void no_times(void **state)
{
	(void)state;
	add_life(-1, -1, -1);
	STEP("5 round 0", "6 runs 0", "30 end 0 \"code\":143");
	add_life(-1, -1, -1);
	STEP("100 round 0", "101 runs 0", "110 end 0 \"code\":0");
	expect("startup 1, training 24, unknown 70, startup 1, training 9");
	expect_trouble(0, CAUSE_OTHER, "", 30, RECORD_NEVER);
	expect_ratio(9 / 105.0, 33 / 105.0);
}

/* Between two lives with records there was one without. */
static void missing_life(void **state)
{
	(void)state;
	add_life(0, 1, -1);
	STEP("1 runs 0", "30 end 0 \"code\":0");
	add_life(80, 90, -1);
	life[1].requeue = 2;
	STEP("90 runs 0", "95 end 0 \"code\":0");
	expect("queue 1, training 29, unknown* 50, queue 10, training 5");
}

/* The next life's begin bounds a record that goes on. */
static void bounded(void **state)
{
	(void)state;
	add_life(0, 1, -1);
	STEP("1 runs 0", "70 end 0 \"code\":0");
	add_life(50, 60, -1);
	STEP("65 runs 0", "80 end 0 \"code\":0");
	expect("queue 1, training 59, outside 5, training 15");
}

static void side_by_side(void **state)
{
	(void)state;
	add_life(-1, 0, -1);
	STEP("1 runs 0", "30 end 0 \"code\":0");
	STEP("10 runs 0", "40 end 0 \"code\":0");
	expect("outside 1, training 29, training 10");
	assert_int_equal(g.overlap_ms, 20000);
}

static void backwards(void **state)
{
	(void)state;
	add_life(100, 110, -1);
	STEP("112 round 0", "114 runs 0", "150 end 0 \"code\":1");
	add_life(40, 50, -1);
	STEP("52 round 0", "50 runs 0", "70 end 0 \"code\":0");
	expect("");
	assert_true(g.backwards);
}

#define CANCELLED                                                              \
	"50 failure 0 \"node\":\"n2\",\"code\":143", "51 end 0 \"code\":143"
#define GOES_ON                                                                \
	"30 hang 0 \"node\":\"n1\",\"text\":\"hang: no rank has worked "       \
	"for 10 s (hang=10)\\nthe step goes on: x\""

/* The step goes on with a hang: whether it trained then nobody knows, unless
 * somebody has reported. */
static void hang_goes_on(void **state)
{
	(void)state;
	add_life(-1, 0, -1);
	STEP("1 runs 0", GOES_ON, CANCELLED);
	expect("outside 1, training 19, detection 10, unknown* 20, restart 1");
	expect_trouble(0, CAUSE_HANG, "n1", 20, RECORD_NEVER);
	goodput_clear(&g);
	life[0].nsteps = 0;
	record_clear(&step[0][0].record);
	STEP("1 runs 0", GOES_ON,
	     "40 progress 0 \"node\":\"n1\",\"rank\":0,\"percent\":50",
	     CANCELLED);
	expect("outside 1, training 49, restart 1");
}

/* What is running trains; nothing of it is lost. */
static void running(void **state)
{
	(void)state;
	add_life(-1, 0, -1);
	STEP("1 round 0", "2 runs 0");
	job.now_ms = at(60);
	job.step_runs = true;
	expect("outside 1, startup 1, training 58");
	assert_int_equal(g.ntroubles, 0);
	goodput_clear(&g);
	job.step_runs = false;
	expect("outside 1, startup 1, unknown* 58");
}

/* --- Slurm --- */

static void accounting(void **state)
{
	(void)state;
	add_life(-1, 10, -1);
	STEP("11 runs 0", "30 end 0 \"code\":1");
	add_life(-1, -1, -1);
	STEP("60 runs 0", "70 end 0 \"code\":0");
	goodput_account(&job, "13|1799999990|1800000010|1800000031");
	goodput_account(&job, "12|Unknown|None|");
	goodput_account(&job, "12|1800000000|1800000011|1800000031");
	goodput_account(&job, "12|1800000031|1800000059|1800000072\n");
	goodput_account(&job, "no accounting");
	expect("queue 10, outside 1, training 19, outside 1, queue 28, "
	       "outside 1, training 10, outside 2");
}

#define CONTROL(STATE, RESTARTS, START, END)                                   \
	"JobId=12 JobName=x UserId=a(1) JobState=" STATE                       \
	" Reason=None Requeue=1 Restarts=" RESTARTS                            \
	" SubmitTime=1800000033 StartTime=" START " EndTime=" END "\n"

static void controller(void **state)
{
	(void)state;
	add_life(0, 10, -1);
	STEP("10 runs 0", "30 end 0 \"code\":1");
	assert_false(goodput_control(&job, "JobId=13 JobState=RUNNING", 1));
	assert_false(goodput_control(
		&job, CONTROL("PENDING", "1", "1800000060", "Unknown"),
		at(50)));
	assert_int_equal(job.nlives, 2);
	expect("queue 10, training 20, outside 3, queue 17");
	goodput_clear(&g);
	job.nlives = 1;
	job.now_ms = TIME_UNKNOWN;
	assert_false(goodput_control(
		&job, CONTROL("COMPLETED", "0", "1800000010", "1800000034"),
		at(50)));
	expect("queue 10, training 20, outside 4");
	goodput_clear(&g);
	life[0].end_ms = TIME_UNKNOWN;
	assert_true(goodput_control(
		&job, CONTROL("RUNNING", "1", "1800000045", "1800009999"),
		at(50)));
	expect("queue 10, training 20, outside 3, queue 12, outside 5");
}

#define WORLD(name, state) " 0 \"world\":\"" name "\",\"state\":\"" state "\""

/* "NAME worlds/restarts waiting starting running redone restart; ..." */
static void expect_roles(const char *roles)
{
	char text[512] = "";
	struct err err;

	assert_int_equal(goodput_count(&job, &g, &err), 0);
	for (size_t i = 0; i < g.nroles; i++) {
		const struct goodput_role *r = &g.role[i];

		text_add(text, sizeof(text), "; ", "%s %u/%u", r->name,
			 r->worlds, r->restarts);
		for (int k = 0; k < WORLD_PART_COUNT; k++)
			text_add(text, sizeof(text), " ", "%g",
				 (double)r->ms[k] / 1000);
	}
	assert_string_equal(text, roles);
}

/* A server fails and begins again, a trainer together with it: it was told to
 * end. */
static void roles(void **state)
{
	(void)state;
	add_life(-1, -1, -1);
	STEP("0 runs 0", "1 world" WORLD("b.0", "started"),
	     "1 world" WORLD("b.1", "started"), "3 world" WORLD("b.0", "ready"),
	     "4 world" WORLD("b.1", "ready"), "4 world" WORLD("a", "started"),
	     "4 world" WORLD("a", "ready"), "14 world" WORLD("b.1", "failed"),
	     "14 world" WORLD("a", "ending"),
	     "15 world" WORLD("b.1", "restarted"),
	     "17 world" WORLD("b.1", "ready"),
	     "17 world" WORLD("a", "restarted"), "17 world" WORLD("a", "ready"),
	     "37 world" WORLD("a", "done"), "37 world" WORLD("b.0", "ending"),
	     "37 world" WORLD("b.1", "ending"), "40 end 0 \"code\":0");
	expect_roles("b 2/1 2 5 54 10 3; a 1/1 4 0 20 10 3");
}

/* Older records don't say when a world starts; a step that runs has no end; two
 * steps are added up. */
static void roles_of_steps(void **state)
{
	(void)state;
	add_life(-1, -1, -1);
	STEP("0 runs 0", "2 world" WORLD("a", "ready"),
	     "9 world" WORLD("a", "failed"), "10 end 0 \"code\":3");
	STEP("20 runs 0", "21 world" WORLD("a", "started"),
	     "22 world" WORLD("a", "ready"), "23 world" WORLD("a", "nonsense"));
	job.now_ms = at(32);
	job.step_runs = true;
	expect_roles("a 1/0 3 1 17 0 0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_life),	    TEST(staged),	 TEST(two_lives),
		TEST(three_rounds), TEST(no_end),	 TEST(written_later),
		TEST(no_times),	    TEST(missing_life),	 TEST(bounded),
		TEST(side_by_side), TEST(backwards),	 TEST(hang_goes_on),
		TEST(running),	    TEST(accounting),	 TEST(controller),
		TEST(roles),	    TEST(roles_of_steps)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
