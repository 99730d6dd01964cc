/* SPDX-License-Identifier: Apache-2.0 */
/* What the launchers of a world note is in the step's record, with its name. */
#include "helpers/roles/agent.h"

#include "tests/fixtures/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define STEP "{\"t_ms\":1,\"step\":\"4.0.0\",\"event\":"

static struct role_line line = {.name = "b"};
static struct role_file file = {.role = &line, .n = 1};
static struct role_world world[] = {{.index = 0}, {.index = 1}};
static struct agent agent;
static struct here here[2];
static int notes, record = -1;
static char dir[] = "/tmp/world-record-XXXXXX";

static int begin(void **state)
{
	int fd[2];
	struct err err;

	(void)state;
	if (!mkdtemp(dir) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fd) < 0)
		return -1;
	notes = fd[0];
	agent = (struct agent){
		.roles = {.file = &file, .world = world, .n = 2, .count = {2}},
		.here = here,
		.run_dir = dir,
		.notes_fd = fd[1],
	};
	for (unsigned w = 0; w < 2; w++)
		here[w] = (struct here){.agent = &agent, .world = w};
	here[1].round = 3;
	return loop_open(&agent.loop, &err) < 0 ||
			       records_open(&agent, &err) < 0
		       ? -1
		       : 0;
}

static int end(void **state)
{
	char command[sizeof(dir) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	close(record);
	close(notes);
	close(agent.notes_fd);
	close(agent.records.fd);
	loop_close(&agent.loop);
	return system(command);
}

static void is_noted(const char *text)
{
	char heard[1024] = "";

	if (read(notes, heard, sizeof(heard) - 1) < 0)
		strcpy(heard, "nothing");
	assert_string_equal(heard, text);
}

static void write_line(const char *text)
{
	assert_int_equal(write(record, text, strlen(text)), strlen(text));
}

/* The launcher writes while it is looked at; what was told to end says nothing
 * any more. */
static void of_launchers(void **state)
{
	char path[PATH_MAX + 64];

	(void)state;
	record_begin(&here[1]);
	snprintf(path, sizeof(path), "%s/4.0.0.jsonl", here[1].record);
	record = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	write_line(STEP "\"step\",\"framework\":\"env\"}\n");
	write_line(STEP
		   "\"failure\",\"node\":\"n2\",\"round\":0,\"code\":7}\n");
	agent.records.ready(&agent, EPOLLIN);
	is_noted("3 n2 failure ,\"world\":\"b.1\",\"code\":7");
	write_line(STEP
		   "\"runs\",\"round\":0}\n" STEP
		   "\"said\",\"round\":0,\"text\":\"a } and \\\"node\\\"\"}\n");
	agent.records.ready(&agent, EPOLLIN);
	is_noted("3 - said ,\"world\":\"b.1\",\"text\":\"a } and "
		 "\\\"node\\\"\"");
	is_noted("nothing");
	here[1].kill.armed = true;
	write_line(STEP
		   "\"failure\",\"node\":\"n2\",\"round\":0,\"code\":9}\n");
	record_end(&here[1]);
	is_noted("nothing");
	assert_string_equal(here[1].record, "");
}

static void of_the_director(void **state)
{
	(void)state;
	world_note(&agent, 0, 1, "failed", "b.0 has \"ended\"");
	is_noted("1 - world ,\"world\":\"b.0\",\"state\":\"failed\","
		 "\"text\":\"b.0 has \\u0022ended\\u0022\"");
	world_note(&agent, 0, 1, "ready", "");
	is_noted("1 - world ,\"world\":\"b.0\",\"state\":\"ready\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_launchers),
		cmocka_unit_test(of_the_director),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
