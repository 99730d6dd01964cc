/* SPDX-License-Identifier: Apache-2.0 */
/* What scontrol has printed on clusters of three releases: job 1 has the steps
 * 0 and 1, 2 is an array with the tasks 3 and 4, 3 and 4 are the components of
 * a heterogeneous job (tests/helpers/visit/scontrol). */
#include "helpers/visit/step_find.h"

#include "sys/text_file.h"

#include "tests/fixtures/unit.h"

static const char *const releases[] = {"22.05", "24.11", "26.05"};

static char *all; /* of the release in use */

static void take(const char *release)
{
	const char *top = getenv("srcdir");
	char path[512];
	struct err err;

	snprintf(path, sizeof(path), "%s/tests/helpers/visit/scontrol/%s",
		 top ? top : ".", release);
	free(all);
	all = text_file_read(path, 1 << 20, &err);
	if (!all)
		fail_msg("%s", err.text);
}

/* What that command has printed; for the caller to free. */
static char *printed(const char *what)
{
	char command[128];
	const char *at, *end;

	snprintf(command, sizeof(command), "$ scontrol -o show %s\n", what);
	at = strstr(all, command);
	if (!at)
		fail_msg("no %s", command);
	at += strlen(command);
	end = strstr(at, "\n$ ");
	return strndup(at, end ? (size_t)(end + 1 - at) : strlen(at));
}

static struct job_text job_of(const char *name)
{
	char what[64];
	struct job_text job;
	struct err err;

	snprintf(what, sizeof(what), "job %s", name);
	{
		cleanup_free char *text = printed(what);

		if (job_text_read(text, name, &job, &err) != 0)
			fail_msg("%s", err.text);
	}
	return job;
}

/* In that text, of that job: the step, its nodes, and how many run. */
static void step_is(const char *text_of, const char *job, long wanted,
		    long step, const char *nodes, unsigned nrunning)
{
	char what[64];
	struct job_text j = job_of(job);
	struct step_text s;

	snprintf(what, sizeof(what), "step %s", text_of);
	{
		cleanup_free char *text = printed(what);

		step_text_read(text, &j, wanted, &s);
		assert_int_equal(s.step, step);
		assert_int_equal(s.nrunning, nrunning);
		if (step < 0)
			return;
		assert_int_equal(s.uid, 10001);
		assert_int_equal(s.nodes_len, strlen(nodes));
		assert_memory_equal(s.nodes, nodes, s.nodes_len);
		assert_memory_equal(s.srun, "node1:", 6);
		assert_true(atoi(s.srun + 6) > 0);
	}
}

static void a_job(void)
{
	struct job_text job = job_of("1");
	const char *nodes[] = {"node[1-4]", "node[1-2]"};
	/* which of the two was the first differs */
	cleanup_free char *text = printed("step 1");
	bool swapped = strstr(text, "StepId=1.0 ") &&
		       strstr(strstr(text, "StepId=1.0 "), "NodeList=") ==
			       strstr(strstr(text, "StepId=1.0 "),
				      "NodeList=node[1-2]");

	assert_int_equal(job.id, 1);
	assert_int_equal(job.leader, 1);
	assert_int_equal(job.restart, 0);
	assert_int_equal(job.uid, 10001);
	assert_int_equal(job.gid, 10001);
	step_is("1", "1", -1, 1, nodes[!swapped], 2);
	step_is("1", "1", 0, 0, nodes[swapped], 2);
	step_is("1", "1", 7, -1, "", 2);
}

/* The text of the array's first number has the steps of all its tasks. */
static void an_array(void)
{
	struct job_text job = job_of("2_3");
	struct err err;
	cleanup_free char *text = printed("job 2");

	assert_true(job.id > 2);
	assert_string_equal(job.shown, "2_3.");
	assert_int_equal(job_of("2_4").id, 2);
	assert_int_equal(job_text_read(text, "2", &job, &err), -1);
	assert_non_null(strstr(err.text, "2 is an array"));
	step_is("2", "2_3", -1, 0, "node1", 1);
	step_is("2", "2_4", 0, 0, "node1", 1);
}

/* A component's name has the text of the first one's steps. */
static void components(void)
{
	struct job_text job;
	struct err err;
	cleanup_free char *text = printed("job 3");

	assert_int_equal(job_text_read(text, "3", &job, &err), 1);
	assert_int_equal(job_of("3+1").id, 4);
	assert_int_equal(job_of("3+1").leader, 3);
	step_is("4", "3+1", -1, 0, "node2", 1);
	step_is("3+1", "3+1", -1, -1, "", 0);
}

static void nothing(void)
{
	struct job_text job;
	struct err err;
	cleanup_free char *text = printed("job 99999");

	assert_int_equal(job_text_read(text, "99999", &job, &err), -1);
	assert_non_null(strstr(err.text, "Slurm knows no job 99999: "));
	assert_non_null(strstr(err.text, "nvalid job id"));
	assert_int_equal(job_text_read("", "9", &job, &err), -1);
	assert_non_null(strstr(err.text, "it doesn't answer"));
}

static void nodes(void)
{
	cleanup_free char *text = printed("node node[1-2]");
	char name[16], addr[16];
	const char *second = text_next_line(text);

	assert_true(text_value(second, "NodeName", name, sizeof(name)));
	assert_true(text_value(second, "NodeAddr", addr, sizeof(addr)));
	assert_string_equal(name, "node2");
	assert_string_equal(addr, "node2");
}

static void each_release(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(releases); i++) {
		take(releases[i]);
		a_job();
		an_array();
		components();
		nothing();
		nodes();
	}
	free(all);
}

/* --- made up --- */

#define LINE                                                                   \
	"JobId=5 JobName=%s UserId=alice(1001) GroupId=users(100) "            \
	"MCS_label=N/A JobState=RUNNING Restarts=2 BatchFlag=1 Comment=%s\n"

static int forged(const char *name, const char *comment, struct job_text *ret)
{
	char text[512];
	struct err err;
	int rc;

	snprintf(text, sizeof(text), LINE, name, comment);
	rc = job_text_read(text, "5", ret, &err);
	if (rc < 0)
		assert_non_null(strstr(err.text, "its comment holds"));
	return rc;
}

/* Root takes on the job's group, and finds the step by its restarts. */
static void forged_group(void **state)
{
	struct job_text job;
	struct err err;

	(void)state;
	assert_int_equal(forged("x GroupId=root(0)", "GroupId=root(0)", &job),
			 0);
	assert_int_equal(job.gid, 100);
	assert_int_equal(forged("x\nGroupId=root(0)", "x", &job), 0);
	assert_int_equal(job.gid, 100);
	assert_int_equal(
		forged("x Restarts=9 JobState=\033[2J", "y Restarts=9", &job),
		0);
	assert_int_equal(job.restart, 2);
	assert_string_equal(job.state, "RUNNING");
	assert_int_equal(
		job_text_read("JobId=5 JobName=x UserId=D\\jo e(7) GroupId=all "
			      "(us)(8) Account=x JobState=\033c \n",
			      "5", &job, &err),
		0);
	assert_int_equal(job.uid, 7);
	assert_int_equal(job.gid, 8);
	assert_string_equal(job.state, "?c");
	assert_int_equal(job_text_read("JobId=5 JobName=x GroupId=root(0) "
				       "UserId=a(7) MCS_label=N/A\n",
				       "5", &job, &err),
			 -1);
}

/* Root becomes the job's user: who that is can't be forged. */
static void forgeries(void **state)
{
	struct job_text job;
	struct step_text step;

	(void)state;
	assert_int_equal(forged("train", "x", &job), 0);
	assert_int_equal(job.uid, 1001);
	assert_int_equal(job.gid, 100);
	assert_int_equal(job.restart, 2);
	assert_int_equal(forged("x UserId=bob(1002)", "x", &job), -1);
	assert_int_equal(forged("x", "y\nJobId=5 UserId=bob(1002)", &job), -1);
	assert_int_equal(forged("x ArrayJobId=7 ArrayTaskId=1", "y", &job), 0);
	assert_string_equal(job.shown, "");
	assert_int_equal(forged("x HetJobId=7 HetJobOffset=1", "y", &job), 0);
	assert_int_equal(job.leader, 5);
	step_text_read("StepId=5.0 UserId=1001 NodeList=n1 Name=a "
		       "UserId=1002 NodeList=n2 StepId=5.3\n"
		       "StepId=5.TBD UserId=1001 NodeList=n3\n"
		       "StepId=15.4 UserId=1001 NodeList=n3\n"
		       "UserId=1 StepId=5.9 NodeList=n3\n",
		       &job, -1, &step);
	assert_int_equal(step.step, 0);
	assert_int_equal(step.uid, 1001);
	assert_int_equal(step.nodes_len, 2);
	assert_memory_equal(step.nodes, "n1", 2);
	assert_int_equal(step.nrunning, 1);
	assert_string_equal(step.srun, "");
}

/* `salloc`, then `srun A : B`: each component has a line, before 26.05 with its
 * number. */
static void two_lines(void **state)
{
	static const char *const lines[] = {
		"StepId=6.2+0 UserId=1001 NodeList=n1 SrunHost:Pid=login:342\n"
		"StepId=6.2+1 UserId=1001 NodeList=n[2-3] "
		"SrunHost:Pid=login:342\n",
		"StepId=6.2 UserId=1001 NodeList=n1 SrunHost:Pid=login:342\n"
		"StepId=6.2 UserId=1001 NodeList=n[2-3] "
		"SrunHost:Pid=login:342\n",
	};
	const struct job_text job = {.plain = "6."};
	struct step_text step;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		step_text_read(lines[i / 2], &job, i % 2 ? 2 : -1, &step);
		assert_int_equal(step.step, 2);
		assert_int_equal(step.nodes_len, 2);
		assert_string_equal(step.srun, "login:342");
		assert_int_equal(step.nrunning, 1);
	}
}

static void name_is(const char *text, const char *job, long step)
{
	struct step_name name;
	struct err err;

	assert_int_equal(step_name_read(text, &name, &err), 0);
	assert_string_equal(name.job, job);
	assert_int_equal(name.step, step);
}

static void no_name(const char *text, const char *why)
{
	struct step_name name;
	struct err err;

	assert_int_equal(step_name_read(text, &name, &err), -1);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
}

static void names(void **state)
{
	char longer[200];

	(void)state;
	name_is("12", "12", -1);
	name_is("12.0", "12", 0);
	name_is("12_3.4", "12_3", 4);
	name_is("12+1.2", "12+1", 2);
	no_name("", "is no step");
	no_name("12.", "is no step");
	no_name(".0", "is no step");
	no_name("12.0.0", "is no step");
	no_name("-o", "is no step");
	no_name("12_", "is no step");
	no_name("12_3_4", "is no step");
	no_name("12,13", "is no step");
	no_name("12.-1", "is no step");
	no_name("12.batch", "Slurm's own step");
	no_name("12_3.interactive", "Slurm's own step");
	memset(longer, '1', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	no_name(longer, "is no step");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_release), cmocka_unit_test(forgeries),
		cmocka_unit_test(two_lines),	cmocka_unit_test(forged_group),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
