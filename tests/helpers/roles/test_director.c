/* SPDX-License-Identifier: Apache-2.0 */
/* What the director of a step with roles asks for, event by event. */
#include "helpers/roles/director.h"

#include "tests/fixtures/unit.h"

/* What it has asked for since the last event, in words. */
struct heard {
	const struct role_plan *plan;
	char text[2048], said[2048];
};

static void hear(struct heard *h, const char *word, unsigned w)
{
	char name[ROLE_WORLD_NAME_SIZE];
	size_t n = strlen(h->text);

	snprintf(h->text + n, sizeof(h->text) - n, "%s%s %s", n ? ", " : "",
		 word, role_world_name(h->plan, &h->plan->world[w], name));
}

static void on_start(void *arg, unsigned world, unsigned round)
{
	struct heard *h = arg;
	size_t n;

	hear(h, "start", world);
	n = strlen(h->text);
	if (round)
		snprintf(h->text + n, sizeof(h->text) - n, "#%u", round);
}

static void on_end(void *arg, unsigned world)
{
	hear(arg, "end", world);
}

static void on_save(void *arg, unsigned world)
{
	hear(arg, "save", world);
}

static void on_pause(void *arg, unsigned world)
{
	hear(arg, "pause", world);
}

static void on_time(void *arg)
{
	(void)arg;
}

static void on_changed(void *arg, unsigned world)
{
	(void)arg;
	(void)world;
}

static void on_say(void *arg, unsigned world, const char *line)
{
	struct heard *h = arg;
	size_t n = strlen(h->said);

	(void)world;
	snprintf(h->said + n, sizeof(h->said) - n, "%s\n", line);
}

static void on_leave(void *arg, int code)
{
	struct heard *h = arg;
	size_t n = strlen(h->text);

	snprintf(h->text + n, sizeof(h->text) - n, "%sleave %d", n ? ", " : "",
		 code);
}

static const struct director_calls calls = {
	.start = on_start,
	.end = on_end,
	.save = on_save,
	.save_time = on_time,
	.compare_time = on_time,
	.pause = on_pause,
	.changed = on_changed,
	.say = on_say,
	.leave = on_leave,
};

static const char *variable(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return NULL;
}

/* A world, by its name; or what happens to the step. */
struct event {
	const char *what; /* "ready", "late", "gone CODE", "compare", "saved",
			     "paused", "told", "begin" */
	const char *world;
	const char *heard; /* what is asked for then */
};

struct history {
	const char *name, *file;
	const char *said; /* a part of the lines; NULL: none are said */
	struct event event[20];
};

static void happen(struct director *d, const struct event *e)
{
	unsigned w = 0;
	struct err err;

	if (e->world)
		assert_int_equal(role_worlds_find(d->plan, e->world, &w, &err),
				 1);
	if (!strcmp(e->what, "begin"))
		director_begin(d);
	else if (!strcmp(e->what, "ready"))
		director_event(d, w, WORLD_IS_READY, 0);
	else if (!strcmp(e->what, "late"))
		director_event(d, w, WORLD_IS_LATE, 0);
	else if (!strncmp(e->what, "gone ", 5))
		director_event(d, w, WORLD_IS_GONE, atoi(e->what + 5));
	else if (!strcmp(e->what, "compare"))
		director_compare(d);
	else if (!strcmp(e->what, "paused"))
		director_paused(d, w);
	else if (!strcmp(e->what, "saved"))
		director_saved(d);
	else if (!strcmp(e->what, "told"))
		director_told(d, 130);
	else
		fail_msg("%s?", e->what);
}

static const struct history histories[] = {
	{"all is well: in the order of needs, and the end in its reverse",
	 "trainer env nodes=1 needs=router -- t\n"
	 "rollout env nodes=1 ready=tcp -- r\n"
	 "router env with=trainer:0 needs=rollout ready=tcp -- x\n",
	 NULL,
	 {{"begin", NULL, "start rollout"},
	  {"ready", "rollout", "start router"},
	  {"ready", "router", "start trainer"},
	  {"gone 0", "trainer", "end router"},
	  {"gone 143", "router", "end rollout"},
	  {"gone 143", "rollout", "leave 0"}}},
	{"a failure ends the step with its code",
	 "a env nodes=1 -- t\nb env nodes=1 needs=a -- t\n",
	 "b has ended with exit code 3: the step ends (on-failure=end)",
	 {{"begin", NULL, "start a"},
	  {"ready", "a", "start b"},
	  {"gone 3", "b", ""},
	  {"compare", NULL, "end a"},
	  {"gone 143", "a", "leave 3"}}},
	{"a failure that follows from another one isn't the first",
	 "a env nodes=1 needs=b -- t\nb env nodes=1 -- t\n",
	 "b has ended with exit code 9",
	 {{"begin", NULL, "start b"},
	  {"ready", "b", "start a"},
	  {"gone 1", "a", ""},
	  {"gone 9", "b", ""},
	  {"compare", NULL, "leave 9"}}},
	{"no restart of what can't be started",
	 "a env nodes=1 needs=b -- t\n"
	 "b env nodes=1 on-failure=restart restart=2 -- t\n",
	 "b can't be started (exit code 127): rl:2:47: t, or what it runs, "
	 "isn't there: name it in full, or add its folder by path=DIR; no "
	 "restart, the step ends",
	 {{"begin", NULL, "start b"},
	  {"gone 127", "b", ""},
	  {"compare", NULL, "leave 127"}}},
	{"what can't be executed, of a role that isn't restarted",
	 "a env nodes=1 -- t\nb env nodes=1 on-failure=ignore -- t\n",
	 "b can't be started (exit code 126): rl:2:36: t, or what it runs, "
	 "can't be executed: see its permissions (chmod +x) and its format; "
	 "the others go on (on-failure=ignore)",
	 {{"begin", NULL, "start a, start b"},
	  {"gone 126", "b", ""},
	  {"compare", NULL, ""},
	  {"gone 0", "a", "leave 0"}}},
	{"restart, so often",
	 "a env nodes=1 needs=b -- t\n"
	 "b env nodes=1 on-failure=restart restart=2 -- t\n",
	 "b has ended with exit code 9: the step ends, after 2 restarts",
	 {{"begin", NULL, "start b"},
	  {"ready", "b", "start a"},
	  {"gone 9", "b", ""},
	  {"compare", NULL, "pause b"},
	  {"paused", "b", "start b#1"},
	  {"ready", "b", ""},
	  {"gone 9", "b", ""},
	  {"compare", NULL, "pause b"},
	  {"paused", "b", "start b#2"},
	  {"gone 9", "b", ""},
	  {"compare", NULL, "end a"},
	  {"gone 0", "a", "leave 9"}}},
	{"the step ends while a world pauses",
	 "a env nodes=1 -- t\nb env nodes=1 restart=1 -- t\n",
	 "b has ended with exit code 9: it starts again (1 of 1)",
	 {{"begin", NULL, "start a, start b"},
	  {"gone 9", "b", ""},
	  {"compare", NULL, "pause b"},
	  {"gone 0", "a", "leave 0"},
	  {"paused", "b", ""}}},
	{"ignored, and nobody waits for it",
	 "a env nodes=1 -- t\nb env nodes=1 on-failure=ignore -- t\n",
	 "b has ended with exit code 9: the others go on",
	 {{"begin", NULL, "start a, start b"},
	  {"gone 9", "b", ""},
	  {"compare", NULL, ""},
	  {"gone 0", "a", "leave 0"}}},
	{"who needs an ignored one can't start",
	 "a env nodes=1 needs=b -- t\nb env nodes=1 ready=tcp "
	 "on-failure=ignore -- t\n",
	 "a can't start: b, which it needs, has ended",
	 {{"begin", NULL, "start b"},
	  {"gone 9", "b", ""},
	  {"compare", NULL, "leave 1"}}},
	{"together: both roles, and nothing of the round before runs",
	 "t env nodes=1 needs=r -- t\n"
	 "r env nodes=2 each=1node ready=tcp on-failure="
	 "together=t restart=1 -- t\nj env nodes=1 -- j\n",
	 "r.1 has ended with exit code 9: it starts again together with t (1 "
	 "of 1)",
	 {{"begin", NULL, "start r.0, start r.1, start j"},
	  {"ready", "r:0", ""},
	  {"ready", "r:1", "start t"},
	  {"gone 9", "r:1", ""},
	  {"compare", NULL, "pause r.1, end t, end r.0"},
	  {"gone 1", "t", ""},
	  {"gone 143", "r:0", ""},
	  {"paused", "r:1", "start r.0#1, start r.1#1"},
	  {"ready", "r:1", ""},
	  {"ready", "r:0", "start t#1"},
	  {"gone 9", "r:0", ""},
	  {"compare", NULL, "pause r.0, end t, end r.1"}}},
	{"together: a world that had ended begins anew, too",
	 "t env nodes=2 each=1node needs=r -- t\n"
	 "r env nodes=1 ready=tcp on-failure=together=t restart=1 -- t\n",
	 "r has ended with exit code 5",
	 {{"begin", NULL, "start r"},
	  {"ready", "r", "start t.0, start t.1"},
	  {"gone 0", "t:0", ""},
	  {"gone 5", "r", ""},
	  {"compare", NULL, "pause r, end t.1"},
	  {"paused", "r", ""},
	  {"gone 143", "t:1", "start r#1"},
	  {"ready", "r", "start t.0#1, start t.1#1"}}},
	{"together, where the trainer's failure is heard of first",
	 "t env nodes=1 needs=r -- t\n"
	 "r env nodes=1 ready=tcp on-failure=together=t restart=1 "
	 "-- t\n",
	 "r has ended with exit code 137: it starts again together with t",
	 {{"begin", NULL, "start r"},
	  {"ready", "r", "start t"},
	  {"gone 1", "t", ""},
	  {"gone 137", "r", ""},
	  {"compare", NULL, "pause r"},
	  {"paused", "r", "start r#1"},
	  {"ready", "r", "start t#1"},
	  {"gone 0", "t", "end r"},
	  {"gone 0", "r", "leave 0"}}},
	{"save: the roles that are done have their time, then the end",
	 "t env nodes=1 -- t\nr env nodes=1 on-failure=save -- t\n",
	 "r has ended with exit code 7: the roles that are done save",
	 {{"begin", NULL, "start t, start r"},
	  {"gone 7", "r", ""},
	  {"compare", NULL, "save t"},
	  {"gone 0", "t", "leave 7"}}},
	{"save: who doesn't end in time is ended",
	 "t env nodes=1 -- t\nr env nodes=1 on-failure=save -- t\n",
	 "r has ended",
	 {{"begin", NULL, "start t, start r"},
	  {"gone 7", "r", ""},
	  {"compare", NULL, "save t"},
	  {"saved", NULL, "end t"},
	  {"gone 143", "t", "leave 7"}}},
	{"never ready",
	 "a env nodes=1 needs=b -- t\n"
	 "b env nodes=1 ready=tcp ready-timeout=9 -- t\n",
	 "b wasn't ready within 9 s (ready-timeout): the step ends",
	 {{"begin", NULL, "start b"},
	  {"late", "b", "end b"},
	  {"gone 143", "b", ""},
	  {"compare", NULL, "leave 1"}}},
	{"a server that ends well too early has failed",
	 "a env nodes=1 needs=b -- t\nb env nodes=1 -- t\n",
	 "b has ended with exit code 0, and other roles need it: the step "
	 "ends",
	 {{"begin", NULL, "start b"},
	  {"ready", "b", "start a"},
	  {"gone 0", "b", ""},
	  {"compare", NULL, "end a"},
	  {"gone 143", "a", "leave 1"}}},
	{"done=yes names those that the step waits for",
	 "a env nodes=1 -- t\nb env nodes=1 done=yes -- t\n",
	 NULL,
	 {{"begin", NULL, "start a, start b"},
	  {"gone 0", "a", ""},
	  {"compare", NULL, ""},
	  {"gone 0", "b", "leave 0"}}},
	{"a signal to the whole step: nobody is told once more",
	 "a env nodes=1 -- t\nb env nodes=1 needs=a ready=tcp -- t\n"
	 "c env nodes=1 needs=b -- t\n",
	 NULL,
	 {{"begin", NULL, "start a"},
	  {"ready", "a", "start b"},
	  {"told", NULL, ""},
	  {"gone 143", "a", ""},
	  {"gone 143", "b", "leave 130"}}},
};

static void run_history(const struct history *h)
{
	const struct role_reader reader = {.lookup = variable};
	struct heard heard = {.text = ""};
	unsigned devices[8] = {0};
	struct role_file file;
	struct role_plan plan;
	struct err err;
	struct director d = {.plan = &plan, .calls = &calls, .arg = &heard};

	if (role_file_parse(h->file, "rl", &reader, &file, &err) < 0 ||
	    role_plan_make(&file, 8, devices, &plan, &err) < 0)
		fail_msg("%s: %s", h->name, err.text);
	heard.plan = &plan;
	assert_int_equal(director_open(&d, &err), 0);
	for (size_t i = 0; h->event[i].what; i++) {
		*heard.text = '\0';
		happen(&d, &h->event[i]);
		if (strcmp(heard.text, h->event[i].heard) != 0)
			fail_msg("%s: %s %s: %s\n%s", h->name, h->event[i].what,
				 h->event[i].world ? h->event[i].world : "",
				 heard.text, heard.said);
	}
	if (h->said ? !strstr(heard.said, h->said) : *heard.said != '\0')
		fail_msg("%s: said: %s", h->name, heard.said);
	director_close(&d);
	role_plan_clear(&plan);
	role_file_clear(&file);
}

static void all_histories(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(histories); i++)
		run_history(&histories[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_histories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
