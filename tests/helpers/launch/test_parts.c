/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over a table of parts, with parts of the test's own; and the order
 * of the launcher's. */
#include "helpers/launch/launch.h"
#include "helpers/part/part.h"

#include "tests/fixtures/unit.h"

static struct launch l;
static char walked[256];
static bool is_without_b, c_fails, b_fails;

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

/* --- parts --- */

#define NOTES(name)                                                            \
	static void name(struct launch *launch)                                \
	{                                                                      \
		assert_ptr_equal(launch, &l);                                  \
		note(#name);                                                   \
	}
NOTES(close_a)
NOTES(round_a)
NOTES(leave_a)
NOTES(close_b)
NOTES(round_b)
NOTES(runs_b)
NOTES(close_c)
NOTES(leave_c)

#define OPENS(name, rc)                                                        \
	static int name(struct launch *launch, struct err *err)                \
	{                                                                      \
		assert_ptr_equal(launch, &l);                                  \
		note(#name);                                                   \
		return rc ? err_printf(err, "no " #name) : 0;                  \
	}
OPENS(open_a, false)
OPENS(open_b, false)
OPENS(open_c, c_fails)

#define TAKES(name)                                                            \
	static void name(struct launch *launch, const char *text)              \
	{                                                                      \
		assert_ptr_equal(launch, &l);                                  \
		note(#name);                                                   \
		note(text);                                                    \
	}
TAKES(go_a)
TAKES(end_a)
TAKES(end_c)

static int again_a(struct launch *launch, struct err *err)
{
	(void)launch;
	(void)err;
	note("again_a");
	return 0;
}

static int again_b(struct launch *launch, struct err *err)
{
	(void)launch;
	note("again_b");
	return b_fails ? err_printf(err, "no round") : 0;
}

static int env_a(struct launch *launch, const struct process *process,
		 struct envset *set, struct err *err)
{
	(void)launch;
	(void)set;
	(void)err;
	assert_int_equal(process->rank, 7);
	note("env_a");
	return 0;
}

static int env_c(struct launch *launch, const struct process *process,
		 struct envset *set, struct err *err)
{
	(void)launch;
	(void)process;
	(void)set;
	note("env_c");
	return err_printf(err, "no variable");
}

static void ended_c(struct launch *launch, const struct proc *proc)
{
	(void)launch;
	assert_int_equal(proc->pid, 12);
	note("ended_c");
}

static bool wants_b(const struct plan *plan)
{
	assert_ptr_equal(plan, &l.plan);
	return !is_without_b;
}

static const struct part a = {
	.name = "a",
	.open = open_a,
	.close = close_a,
	.messages =
		(const struct part_message[]){
			{MSG_GO, go_a},
			{MSG_END, end_a},
			{0},
		},
	.again = again_a,
	.round = round_a,
	.leave = leave_a,
	.env = env_a,
};

static const struct part b = {
	.name = "b",
	.wanted = wants_b,
	.size = sizeof(int),
	.open = open_b,
	.close = close_b,
	.again = again_b,
	.round = round_b,
	.runs = runs_b,
};

static const struct part c = {
	.name = "c",
	.open = open_c,
	.close = close_c,
	.messages = (const struct part_message[]){{MSG_END, end_c}, {0}},
	.leave = leave_c,
	.env = env_c,
	.ended = ended_c,
};

static const struct part nothing = {.name = "nothing"};

static const struct part *const table[] = {&a, &nothing, &b, &c, NULL};

static int setup(void **state)
{
	(void)state;
	l = (struct launch){.hccn_fd = -1};
	launch_show(&l);
	is_without_b = c_fails = b_fails = false;
	*walked = '\0';
	return 0;
}

static void open_all(void)
{
	struct err err;

	assert_int_equal(parts_open(&l, table, &err), 0);
	*walked = '\0';
}

static void in_order(void **state)
{
	struct err err;

	(void)state;
	parts_close(&l); /* never opened */
	assert_int_equal(parts_open(&l, table, &err), 0);
	is("open_a open_b open_c");
	parts_close(&l);
	is("close_c close_b close_a");
	parts_close(&l);
	is("");
}

static void failing(void **state)
{
	struct err err;

	(void)state;
	c_fails = true;
	assert_int_equal(parts_open(&l, table, &err), -1);
	assert_string_equal(err.text, "no open_c");
	is("open_a open_b open_c close_c close_b close_a");
	parts_close(&l);
	parts_leave(&l);
	is("");
}

/* It isn't opened and hears nothing. */
static void unwanted(void **state)
{
	struct err err;

	(void)state;
	is_without_b = true;
	assert_int_equal(parts_open(&l, table, &err), 0);
	assert_int_equal(parts_round(&l, &err), 0);
	parts_run(&l);
	is("open_a open_c again_a round_a");
	assert_null(own_of(&l, &b));
	parts_close(&l);
	is("close_c close_a");
}

static void messages(void **state)
{
	(void)state;
	parts_message(&l, MSG_GO, "early");
	is("");
	open_all();
	parts_message(&l, MSG_GO, "1");
	is("go_a 1");
	parts_message(&l, MSG_END, "5");
	is("end_a 5 end_c 5");
	parts_message(&l, MSG_REPORT, "");
	parts_message(&l, '\0', "");
	parts_message(&l, '~', "");
	is("");
	parts_close(&l);
	*walked = '\0';
	parts_message(&l, MSG_GO, "late");
	is("");
}

static void what_happens(void **state)
{
	const struct process process = {.rank = 7};
	struct err err;

	(void)state;
	open_all();
	assert_int_equal(parts_round(&l, &err), 0);
	is("again_a again_b round_a round_b");
	parts_run(&l);
	is("runs_b");
	parts_ended(&l, &(struct proc){.pid = 12});
	is("ended_c");
	parts_leave(&l);
	is("leave_a leave_c");
	assert_int_equal(parts_env(&l, &process, NULL, &err), -1);
	assert_string_equal(err.text, "no variable");
	is("env_a env_c");
	parts_close(&l);
}

/* Of a part alone, and nobody's when all are closed. */
static void keeping(void **state)
{
	(void)state;
	open_all();
	assert_null(own_of(&l, &a));
	assert_int_equal((*(int *)own_of(&l, &b))++, 0);
	assert_int_equal(*(int *)own_of(&l, &b), 1);
	parts_close(&l);
	assert_null(own_of(&l, &b));
	is("close_c close_b close_a");
	open_all();
	assert_int_equal(*(int *)own_of(&l, &b), 0);
	parts_close(&l);
}

/* Nobody is told of it. */
static void no_round(void **state)
{
	struct err err;

	(void)state;
	open_all();
	b_fails = true;
	assert_int_equal(parts_round(&l, &err), -1);
	assert_string_equal(err.text, "no round");
	is("again_a again_b");
	parts_close(&l);
}

/* --- the launcher's own --- */

static unsigned place(const struct part *part)
{
	unsigned n = 0;

	while (launch_parts[n] && launch_parts[n] != part)
		n++;
	assert_non_null(launch_parts[n]);
	return n;
}

/* What follows from another one is told, and made anew, after that; who needs
 * another one to close itself is closed before. */
static void the_launchers(void **state)
{
	static const struct part *const order[][2] = {
		{&plan_part, &procs_part},	  {&procs_part, &output_part},
		{&script_part, &procs_part},	  {&output_part, &folder_part},
		{&folder_part, &recorders_part},  {&ending_part, &look_part},
		{&look_part, &session_part},	  {&watch_part, &session_part},
		{&session_part, &phases_part},	  {&phases_part, &rounds_part},

		{&phases_part, &node_tasks_part},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		assert_true(place(order[i][0]) < place(order[i][1]));
	for (const struct part *const *p = launch_parts; *p; p++)
		assert_true(*(*p)->name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(in_order, setup),
		cmocka_unit_test_setup(failing, setup),
		cmocka_unit_test_setup(unwanted, setup),
		cmocka_unit_test_setup(messages, setup),
		cmocka_unit_test_setup(what_happens, setup),
		cmocka_unit_test_setup(keeping, setup),
		cmocka_unit_test_setup(no_round, setup),
		cmocka_unit_test_setup(the_launchers, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
