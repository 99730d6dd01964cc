/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over a table of phases, with phases of the test's own; and the order
 * of the launcher's. */
#include "helpers/launch/launch.h"
#include "helpers/part/part.h"
#include "helpers/part/phase.h"

#include "tests/fixtures/unit.h"

static struct launch l;
static char walked[256];
static bool is_without_b, ready_is_answered, b_leaves;
static enum phase_state b_says;

static void note(const char *what)
{
	strcat(walked, *walked ? " " : "");
	strcat(walked, what);
}

/* What the walk has done since the last question. */
static void is(const char *expected)
{
	assert_string_equal(walked, expected);
	*walked = '\0';
}

/* --- in the place of the channel --- */

void session_send(struct session *session, char type, const char *data,
		  size_t n)
{
	char text[64];

	(void)session;
	(void)n;
	snprintf(text, sizeof(text), "%c%s%s", type, *data ? ":" : "", data);
	note(text);
	if (type == MSG_READY && ready_is_answered)
		phases_all_done(&l);
}

bool session_no_channel(const struct session *session, const char **ret_why)
{
	(void)session;
	(void)ret_why;
	return false;
}

int session_gather(struct session *session, const struct gather_piece *piece)
{
	(void)session;
	(void)piece;
	return -1;
}

bool session_knows_secret(const struct session *session)
{
	(void)session;
	return true;
}

int session_secret(const struct session *session, const char *purpose,
		   char ret[SEAL_WORD_SIZE], struct err *err)
{
	(void)session;
	(void)purpose;
	(void)ret;
	return err_printf(err, "none");
}

const struct secure_conn_step *session_sealing(const struct session *session)
{
	(void)session;
	return NULL;
}

/* --- phases --- */

static enum phase_state begin_a(struct launch *launch, struct err *err)
{
	(void)launch;
	(void)err;
	note("a");
	return PHASE_DONE;
}

static int show_a(struct launch *launch, struct err *err)
{
	(void)launch;
	(void)err;
	note("show-a");
	return 0;
}

static bool wants_b(const struct plan *plan)
{
	assert_ptr_equal(plan, &l.plan);
	return !is_without_b;
}

static enum phase_state begin_b(struct launch *launch, struct err *err)
{
	note("b");
	if (b_leaves) {
		b_leaves = false;
		phases_leave(launch);
		launch->job.round = 1;
		launch_begin_round(launch);
	}
	return b_says == PHASE_FAILED ? err_printf(err, "broken") : b_says;
}

static int show_b(struct launch *launch, struct err *err)
{
	(void)launch;
	note("show-b");
	return err_printf(err, "can't be shown");
}

static void keep_b(struct launch *launch, const char *data, size_t n)
{
	(void)launch;
	assert_int_equal(strlen(data), n);
	note("keep");
}

static enum phase_state message_b(struct launch *launch, const char *data,
				  size_t n, struct err *err)
{
	(void)launch;
	assert_int_equal(strlen(data), n);
	note(*data ? data : "gathered");
	if (!strcmp(data, "broken"))
		return err_printf(err, "broken message");
	return *data ? PHASE_WAITS : PHASE_DONE;
}

static void leave_b(struct launch *launch)
{
	(void)launch;
	note("leave-b");
}

static void end_b(struct launch *launch)
{
	(void)launch;
	note("end-b");
}

static enum phase_state begin_c(struct launch *launch, struct err *err)
{
	(void)launch;
	(void)err;
	note("c");
	return PHASE_DONE;
}

static enum phase_state begin_d(struct launch *launch, struct err *err)
{
	(void)launch;
	(void)err;
	note("d");
	return PHASE_DONE;
}

/* b waits for others and is done with them, in each world; c and d are of each
 * round; a spare has a alone. */
static const struct phase a = {
	.name = "a", .begin = begin_a, .show = show_a, .of_spares = true};
static const struct phase b = {
	.name = "b",
	.wanted = wants_b,
	.show = show_b,
	.begin = begin_b,
	.takes = MSG_GATHERED,
	.message = message_b,
	.keep = keep_b,
	.leave = leave_b,
	.end = end_b,
	.meets = true,
	.each_world = true,
};
static const struct phase c = {
	.name = "c", .begin = begin_c, .each_round = true};
static const struct phase d = {
	.name = "d", .begin = begin_d, .each_round = true};
static const struct phase *const table[] = {&a, &b, &c, &d, NULL};

static int setup(void **state)
{
	(void)state;
	l = (struct launch){.hccn_fd = -1};
	launch_show(&l);
	is_without_b = ready_is_answered = b_leaves = false;
	b_says = PHASE_DONE;
	*walked = '\0';
	return 0;
}

static void in_order(void **state)
{
	(void)state;
	is_without_b = true;
	phases_begin(&l, table);
	is("a c d");
}

/* MSG_READY, then nothing before MSG_GO. */
static void meeting(void **state)
{
	(void)state;
	phases_message(&l, MSG_GATHERED, "", 0); /* none has begun */
	is("");
	phases_begin(&l, table);
	is("a b r");
	phases_message(&l, MSG_GATHERED, "", 0);
	is("keep");
	phases_all_done(&l);
	is("c d");
	phases_all_done(&l);
	is("");
}

/* The last member's MSG_READY brings MSG_GO before it returns. */
static void meeting_at_once(void **state)
{
	(void)state;
	ready_is_answered = true;
	phases_begin(&l, table);
	is("a b r c d");
}

static void waiting(void **state)
{
	(void)state;
	b_says = PHASE_WAITS;
	phases_begin(&l, table);
	is("a b");
	phases_all_done(&l); /* none of its business */
	is("");
	phase_done(&l);
	is("r");
	phases_all_done(&l);
	is("c d");
}

static void waiting_for_a_message(void **state)
{
	(void)state;
	b_says = PHASE_WAITS;
	ready_is_answered = true;
	phases_begin(&l, table);
	phases_message(&l, MSG_REPORT, "", 0);
	is("a b");
	phases_message(&l, MSG_GATHERED, "more", 4);
	is("keep more");
	phases_message(&l, MSG_GATHERED, "", 0);
	is("keep gathered r c d");
	phases_message(&l, MSG_GATHERED, "", 0);
	is("keep");
}

static void failing(void **state)
{
	(void)state;
	b_says = PHASE_FAILED;
	phases_begin(&l, table);
	is("a b s:1 0 broken");
	b_says = PHASE_WAITS;
	phases_begin(&l, table);
	phases_message(&l, MSG_GATHERED, "broken", 6);
	is("a b keep broken s:1 0 broken message");
}

static void rounds(void **state)
{
	(void)state;
	ready_is_answered = true;
	phases_begin(&l, table);
	*walked = '\0';
	l.job.round = 1;
	launch_begin_round(&l);
	is("c d");
}

static void worlds(void **state)
{
	(void)state;
	l.plan.resolved.recovery = true;
	phases_begin(&l, table);
	is("a b r");
	phases_leave(&l);
	is("leave-b");
	phases_all_done(&l); /* of the round before */
	phase_done(&l);
	is("");
	l.job.round = 1;
	launch_begin_round(&l);
	is("b r");
	phases_all_done(&l);
	is("c d");
	phases_leave(&l);
	is("leave-b");
}

/* b ends the round, and begins the next one, before it returns. */
static void left_within(void **state)
{
	(void)state;
	l.plan.resolved.recovery = true;
	b_leaves = true;
	phases_begin(&l, table);
	is("a b leave-b b r");
	phases_all_done(&l);
	is("c d");
}

static void spare(void **state)
{
	(void)state;
	l.plan.resolved.recovery = l.plan.spare = true;
	phases_begin(&l, table);
	is("a");
	l.job.round = 1;
	launch_begin_round(&l);
	is("");
	l.plan.spare = false;
	launch_begin_round(&l);
	is("b r");
}

static void showing(void **state)
{
	struct err err;

	(void)state;
	is_without_b = true;
	assert_int_equal(phases_show(&l, table, &err), 0);
	is("show-a");
	is_without_b = false;
	assert_int_equal(phases_show(&l, table, &err), -1);
	assert_string_equal(err.text, "can't be shown");
	is("show-a show-b");
}

static void ending(void **state)
{
	(void)state;
	phases_part.close(&l); /* never begun */
	is("");
	is_without_b = true;
	phases_begin(&l, table);
	phases_part.close(&l);
	is("a c d end-b");
}

/* --- the launcher's own --- */

static void names(bool (*has)(const struct phase *p), const char *expected)
{
	for (const struct phase *const *p = launch_phases; *p; p++)
		if (has(*p))
			note((*p)->name);
	is(expected);
}

static bool shows(const struct phase *p)
{
	return p->show;
}

#define OF_PHASE(member)                                                       \
	static bool member(const struct phase *p)                              \
	{                                                                      \
		return p->member;                                              \
	}
OF_PHASE(meets)
OF_PHASE(each_round)
OF_PHASE(each_world)
OF_PHASE(of_spares)

static bool takes(const struct phase *p)
{
	return p->takes;
}

static void the_launchers(void **state)
{
	static const struct phase *const order[] = {
		&facts_phase,	&check_phase,	      &table_phase,
		&code_phase,	&secret_phase,	      &stage_phase,
		&service_phase, &compare_table_phase, &other_services_phase,
		&script_phase,	&metrics_phase,	      &start_phase,
	};
	size_t n = 0;

	(void)state;
	for (const struct phase *const *p = launch_phases; *p; p++)
		n += n < sizeof(order) / sizeof(*order) && *p == order[n];
	assert_int_equal(n, sizeof(order) / sizeof(*order));
	names(shows, "facts code stage service spare start");
	names(takes, "check table code stage script");
	names(meets, "check service services of other nodes");
	names(each_round, "code API metrics start");
	names(each_world, "check table stage service");
	names(of_spares, "facts table code stage spare");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(in_order, setup),
		cmocka_unit_test_setup(meeting, setup),
		cmocka_unit_test_setup(meeting_at_once, setup),
		cmocka_unit_test_setup(waiting, setup),
		cmocka_unit_test_setup(waiting_for_a_message, setup),
		cmocka_unit_test_setup(failing, setup),
		cmocka_unit_test_setup(rounds, setup),
		cmocka_unit_test_setup(worlds, setup),
		cmocka_unit_test_setup(left_within, setup),
		cmocka_unit_test_setup(spare, setup),
		cmocka_unit_test_setup(showing, setup),
		cmocka_unit_test_setup(ending, setup),
		cmocka_unit_test_setup(the_launchers, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
