/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thing after the other is brought to this node: there is a copy, or a
 * place is chosen and its lock awaited, the controller says where it comes
 * from, and what has come is kept.
 */
#include "helpers/stage/stage_own.h"

#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/facts/port.h"
#include "helpers/part/note.h"
#include "helpers/stage/python_compile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#define LONG_MS 3000 /* then it is said */

void stage_close_part(struct stage *s)
{
	copy_take_close(s->take);
	s->take = NULL;
	if (s->half >= 0)
		close(s->half);
	if (s->lock >= 0)
		close(s->lock);
	s->half = s->lock = -1;
}

static bool find(struct stage *s, struct part_of *p)
{
	for (unsigned i = 0; i < s->ncaches && p->copy < 0; i++) {
		p->copy = cache_find(&s->cache[i], p->here);
		if (p->copy >= 0)
			p->cache = &s->cache[i];
	}
	return p->copy >= 0;
}

/* What has come so far comes to nothing, also for who gets it from here. */
static void drop_half(struct stage *s)
{
	stage_close_part(s);
	if (!stage_now(s)->growing.grown)
		return;
	stage_tell(s, "fills", "0");
	copy_give_drop(s->give, s->at);
	growing_close(&stage_now(s)->growing);
}

void stage_give_up(struct stage *s, const char *why)
{
	struct part_of *p = stage_now(s);
	cleanup_free char *line = NULL;

	drop_half(s);
	snprintf(p->why, sizeof(p->why), "%.*s", WHY_SIZE - 1, why);
	plain_text(p->why, "");
	if (stage_speaks(s) && !stage_is_strict(s) &&
	    asprintf(&line,
		     "%s: %s isn't staged, its processes run from the shared "
		     "path: %s",
		     launch_view(s->l)->step->node_name, p->thing.path,
		     p->why) >= 0)
		stage_say(s, line);
	if (s->ncaches)
		cache_note_why(&s->cache[0], p->thing.path, p->why);
	stage_tell(s, "fail", "");
	s->at++;
	stage_next(s);
}

static unsigned own_port(const void *arg, unsigned try)
{
	const struct stage *s = arg;
	const struct launch_view *v = launch_view(s->l);
	const struct port_range range = plan_other_ports(v->plan, v->config);

	return port_of_launchers(v->step->job_id, v->step->step_id,
				 v->step->restart, &range, try);
}

static struct copy_source on_guest(void *arg, long number)
{
	const struct stage *s = arg;
	const struct part_of *p;

	if (number >= (long)s->nparts)
		return (struct copy_source){.folder = -1};
	p = &s->part[number];
	return (struct copy_source){
		.folder = p->copy < 0 && p->growing.grown ? s->half : p->copy,
		.name = base_name(p->thing.path),
		.growing = p->growing,
	};
}

/* Who fills it gives it to others, or a node's first launcher. */
static unsigned give_port(struct stage *s)
{
	const struct launch_view *v = launch_view(s->l);
	const struct copy_give_options options = {
		.step = session_sealing(v->session),
		.node = v->step->node_name,
		.nmembers = v->members->ntasks,
		.port = own_port,
		.port_arg = s,
		.copy = on_guest,
		.arg = s,
	};
	struct err ignored;

	if (stage_is_alone(s) || !(stage_now(s)->filled || stage_speaks(s)))
		return 0;
	if (!s->give)
		s->give = copy_give_open(&options, &ignored);
	return s->give ? copy_give_port(s->give) : 0;
}

static void have(struct stage *s)
{
	char port[16];

	stage_close_part(s);
	cache_note_why(&s->cache[0], stage_now(s)->thing.path, NULL);
	snprintf(port, sizeof(port), "%u", give_port(s));
	stage_tell(s, "have", port);
	s->at++;
	stage_next(s);
}

/* Others get it while it comes. Returns 0, or -1: it can't be. */
static int begin_filling(struct stage *s)
{
	struct part_of *p = stage_now(s);
	char port[16];

	if (growing_open(&p->growing) < 0) {
		stage_give_up(s, strerror(errno));
		return -1;
	}
	p->filled = true;
	snprintf(port, sizeof(port), "%u", give_port(s));
	stage_tell(s, "fills", port);
	loop_arm(launch_view(s->l)->loop, &s->tick, TICK_MS);
	return 0;
}

/* --- where it comes from --- */

static int keep(const int fd[2], const struct part_of *p,
		const struct tree_sum *sum)
{
	if (cache_keep(p->cache, p->here, sum, p->thing.path) < 0)
		return stage_answer(fd, "no", strerror(errno));
	return stage_answer(fd, "kept", "");
}

/* What has been compiled others get, too. */
static int compile_half(const struct stage *s, const struct part_of *p,
			struct err *err)
{
	cleanup_free char *copy = NULL;
	struct growing more = p->growing;
	struct tree_sum ignored;

	clock_gettime(CLOCK_REALTIME_COARSE, &more.since);
	if (asprintf(&copy, "%s/%s.part/%s", p->cache->path, p->here,
		     base_name(p->thing.path)) < 0)
		return err_memory(err);
	if (!python_compile(copy, p->thing.path))
		return 0;
	return tree_walk(s->half, base_name(p->thing.path), -1, &more, &ignored,
			 err);
}

static int read_shared(const int fd[2], const void *arg)
{
	const struct stage *s = arg;
	const struct part_of *p = &s->part[s->at];
	const char *path = p->thing.path, *name = base_name(path);
	char dir[PATH_MAX];
	cleanup_close int folder = -1;
	struct tree_sum sum;
	struct err err;

	snprintf(dir, sizeof(dir), "%.*s", (int)(name - path), path);
	folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return stage_answer(fd, "no", strerror(errno));
	if (tree_walk(folder, name, s->half, &p->growing, &sum, &err) < 0)
		return stage_answer(fd, "no", err.text);
	if (strcmp(sum.id, p->thing.sum.id) != 0)
		return stage_answer(fd, "void",
				    "it has changed while it was read");
	if (compile_half(s, p, &err) < 0)
		return stage_answer(fd, "no", err.text);
	growing_end(&p->growing);
	return keep(fd, p, &sum);
}

static int check_half(const int fd[2], const void *arg)
{
	const struct stage *s = arg;
	const struct part_of *p = &s->part[s->at];
	struct tree_sum sum;
	struct err err;

	if (!p->growing.grown->whole ||
	    tree_walk(s->half, base_name(p->thing.path), -1, NULL, &sum, &err) <
		    0 ||
	    strcmp(sum.whole, p->thing.sum.whole) != 0)
		return stage_answer(fd, "again", "");
	return keep(fd, p, &sum);
}

static void choose(struct stage *s);

/* A new half, and the question again. */
static void ask_again(struct stage *s)
{
	drop_half(s);
	choose(s);
}

/* For the step's record; who waits long is told for what. */
static void say_read(struct stage *s)
{
	const struct stage_thing *t = &stage_now(s)->thing;
	uint64_t took_ms = loop_now_ms() - s->began_ms;
	char took[32], line[PATH_MAX + 200];

	snprintf(line, sizeof(line),
		 "%s has read %s, %lu files, %.1f MB, after %s; other nodes "
		 "get it from there",
		 launch_view(s->l)->step->node_name, t->path, t->sum.files,
		 (double)t->sum.bytes / 1e6, time_text((double)took_ms, took));
	note_text(s->l, MARK_SAID, launch_view(s->l)->step->node_name, line);
	if (took_ms >= LONG_MS)
		stage_say(s, line);
}

static void on_filled(void *arg, char *text, bool late)
{
	struct stage *s = arg;
	const char *why;

	(void)late;
	if (stage_behind(text, "kept")) {
		if (s->state == STAGE_READS)
			say_read(s);
		if (find(s, stage_now(s)))
			have(s);
		else
			stage_give_up(s, "the copy is gone");
	} else if ((why = stage_behind(text, "void"))) {
		stage_tell(s, "void", why);
		stage_give_up(s, why);
	} else if (stage_behind(text, "again") && !*s->said) {
		ask_again(s);
	} else if (stage_behind(text, "again")) {
		stage_give_up(s, s->said);
	} else {
		why = stage_behind(text, "no");
		stage_give_up(s, why ? why
				     : "the process that copies it was killed");
	}
}

void stage_read(struct stage *s)
{
	s->state = STAGE_READS;
	if (begin_filling(s) < 0)
		return;
	stage_run(s, read_shared, on_filled);
	loop_arm(launch_view(s->l)->loop, &s->again, LONG_MS);
}

void stage_tell_bytes(struct stage *s)
{
	char text[32];

	if (s->state != STAGE_TAKES && s->state != STAGE_READS)
		return;
	snprintf(text, sizeof(text), "%llu",
		 (unsigned long long)stage_now(s)->growing.grown->bytes);
	stage_tell(s, "came", text);
	loop_arm(launch_view(s->l)->loop, &s->tick, TICK_MS);
}

void stage_say_reads(struct stage *s)
{
	const struct stage_thing *t = &stage_now(s)->thing;
	char line[PATH_MAX + 200];

	snprintf(line, sizeof(line),
		 "%s reads %s, %lu files, %.1f MB, for all nodes",
		 launch_view(s->l)->step->node_name, t->path, t->sum.files,
		 (double)t->sum.bytes / 1e6);
	stage_say(s, line);
}

static void on_taken(void *arg, const char *why, const char *said)
{
	struct stage *s = arg;

	if (why) {
		ask_again(s);
		return;
	}
	snprintf(s->said, sizeof(s->said), "%s", said);
	s->state = STAGE_CHECKS;
	stage_run(s, check_half, on_filled);
}

/* PORT IP */
void stage_take(struct stage *s, const char *text)
{
	struct copy_take_options options = {
		.step = session_sealing(launch_view(s->l)->session),
		.number = s->at,
		.folder = s->half,
		.growing = &stage_now(s)->growing,
		.done = on_taken,
		.arg = s,
	};
	struct err err;
	long port;

	if (message_number(&text, 1, UINT16_MAX, &port) < 0)
		return;
	options.port = (unsigned)port;
	options.ip = text;
	s->state = STAGE_TAKES;
	if (begin_filling(s) < 0)
		return;
	s->take = copy_take_open(&options, &err);
	if (!s->take)
		stage_give_up(s, err.text);
}

static void ask(struct stage *s)
{
	if (stage_is_alone(s)) {
		stage_read(s);
		return;
	}
	s->state = STAGE_ASKS;
	stage_tell(s, "lack", "");
	loop_arm(launch_view(s->l)->loop, &s->again, ASK_AGAIN_MS);
}

/* --- a place for it --- */

/* The lock is this launcher's when the child, which has the same open file, has
 * got it. */
static int wait_for_lock(const int fd[2], const void *arg)
{
	const struct stage *s = arg;
	const struct part_of *p = &s->part[s->at];
	int copy;

	while (flock(s->lock, LOCK_EX) < 0)
		if (errno != EINTR)
			return stage_answer(fd, "no", strerror(errno));
	if (!cache_lock_is_good(s->lock))
		return stage_answer(fd, "again", "");
	copy = cache_find(p->cache, p->here);
	if (copy >= 0)
		return stage_answer(fd, "here", "");
	if (cache_part(p->cache, p->here) < 0)
		return stage_answer(fd, "no", strerror(errno));
	return stage_answer(fd, "fill", "");
}

static void on_lock(void *arg, char *text, bool late)
{
	struct stage *s = arg;
	struct part_of *p = stage_now(s);
	const char *why = stage_behind(text, "no");

	(void)late;
	if (find(s, p)) {
		have(s);
	} else if (why) {
		stage_give_up(s, why);
	} else if (!stage_behind(text, "fill")) {
		ask_again(s);
	} else {
		s->half = cache_part_open(p->cache, p->here);
		if (s->half < 0)
			stage_give_up(s, strerror(errno));
		else
			ask(s);
	}
}

static int choose_cache(const int fd[2], const void *arg)
{
	const struct stage *s = arg;
	const struct part_of *p = &s->part[s->at];
	const struct tree_sum *sum = &p->thing.sum;
	const struct cache *c;
	char number[16];
	struct err err;

	c = cache_choose(s->cache, s->ncaches, p->here, sum->bytes, sum->files,
			 &err);
	if (!c)
		return stage_answer(fd, "no", err.text);
	snprintf(number, sizeof(number), "%d", (int)(c - s->cache));
	return stage_answer(fd, "at", number);
}

static void on_choice(void *arg, char *text, bool late)
{
	struct stage *s = arg;
	struct part_of *p = stage_now(s);
	const char *why = stage_behind(text, "no"),
		   *at = stage_behind(text, "at");

	(void)late;
	if (!at) {
		stage_give_up(s, why ? why : "a process of ours was killed");
		return;
	}
	p->cache = &s->cache[(unsigned)atoi(at) % CACHE_BASES];
	s->lock = cache_lock_file(p->cache, p->here);
	if (s->lock < 0)
		stage_give_up(s, strerror(errno));
	else
		stage_run(s, wait_for_lock, on_lock);
}

static void choose(struct stage *s)
{
	s->state = STAGE_CHOOSES;
	stage_run(s, choose_cache, on_choice);
}

void stage_next(struct stage *s)
{
	if (s->at == s->nparts)
		stage_finish(s);
	else if (find(s, stage_now(s)))
		have(s);
	else
		choose(s);
}
