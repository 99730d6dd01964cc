/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stage/stage.h"

#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/facts/port.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/launch_view.h"
#include "helpers/part/note.h"
#include "helpers/part/part.h"
#include "helpers/part/phase.h"
#include "helpers/stage/cache.h"
#include "helpers/stage/copy_give.h"
#include "helpers/stage/copy_take.h"
#include "helpers/stage/path_view.h"
#include "helpers/stage/stage_plan.h"
#include "helpers/stage/view.h"
#include "sys/subprocess.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#define STAGED	     "DIST_TRAIN_STAGED"
#define WHY_SIZE     400
#define STAGED_SIZE  1024
#define FOR_EVER_MS  (7ULL * 86400 * 1000) /* the job ends before */
#define ASK_AGAIN_MS 10000		   /* where no answer comes */
#define LONG_MS	     3000		   /* then it is said */

/* One of what is staged. */
struct part_of {
	struct stage_thing thing;
	char here[TREE_SUM_SIZE]; /* its name among this node's copies */
	const struct cache *cache;
	int copy; /* its folder, in use; -1: not here */
	char at[PATH_MAX + TREE_SUM_SIZE]; /* where that is */
	bool filled;			   /* by this launcher */
	char why[WHY_SIZE];		   /* it isn't here; "" */
};

struct stage {
	struct launch *l;
	enum {
		STAGE_BEGINS,
		STAGE_LOOKS,   /* this launcher finds the plan */
		STAGE_CHOOSES, /* a place, by a child, and waits for its lock */
		STAGE_ASKS,    /* the controller, where it comes from */
		STAGE_READS,
		STAGE_TAKES,
		STAGE_CHECKS, /* what has come */
		STAGE_IS_DONE,
	} state;
	bool waits; /* the launcher's walk is at this phase */
	struct cache cache[CACHE_BASES];
	unsigned ncaches, nparts, at;
	struct part_of *part;
	struct subprocess_text child;
	int lock, half; /* of what is being filled; or -1 */
	struct copy_give *give;
	struct copy_take *take;
	char said[WHY_SIZE]; /* by tar, of what has come; "" */
	struct loop_timer again, done;
	struct view view;
	struct path_pair *pairs; /* NULL: there is a view, or nothing */
	unsigned npairs;
	uint64_t began_ms;
	char remark[WHY_SIZE]; /* why there is nothing; "" */
	bool nothing;	       /* and that is no fault */
	char staged[STAGED_SIZE];
};

static struct stage *stage_of(const struct launch *l)
{
	return own_of(l, &stage_phase);
}

static struct part_of *now(struct stage *s)
{
	return &s->part[s->at];
}

/* One launcher of a node speaks for it. */
static bool speaks(const struct stage *s)
{
	return launch_view(s->l)->step->localid == 0;
}

static bool is_alone(const struct stage *s)
{
	return launch_view(s->l)->members->ntasks == 1 ||
	       launch_no_channel(s->l);
}

static void tell(struct stage *s, const char *word, const char *more)
{
	char text[WHY_SIZE + 64];

	snprintf(text, sizeof(text), "%s %u%s%s", word, s->at, *more ? " " : "",
		 more);
	if (!is_alone(s))
		launch_send(s->l, MSG_STAGE, text);
}

static void say(struct stage *s, const char *text)
{
	cleanup_free char *line = NULL;

	if (asprintf(&line, "dist-train: %s\n", text) >= 0)
		launch_say(s->l, line);
}

/* --- children --- */

/* What may block, in a fork: it writes a text, which `then` gets. */
static void run(struct stage *s, int (*what)(const int fd[2], const void *arg),
		void (*then)(void *arg, char *text, bool late))
{
	const struct subprocess_spec spec = {
		.run = what,
		.arg = s,
		.flags = SUBPROCESS_OUT,
	};
	struct err err;

	subprocess_text_drop(&s->child);
	s->child = (struct subprocess_text){
		.loop = launch_view(s->l)->loop,
		.max = STAGE_PLAN_MAX,
		.done = then,
		.arg = s,
	};
	if (subprocess_text_begin(&s->child, &spec, FOR_EVER_MS, &err) < 0)
		launch_fail(s->l, err.text);
}

static int answer(const int fd[2], const char *word, const char *more)
{
	return dprintf(fd[1], "%s%s%s", word, *more ? " " : "", more) < 0;
}

/* What stands behind the word; NULL: it is another one. */
static const char *behind(const char *text, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(text, word, n) != 0 || (text[n] && text[n] != ' '))
		return NULL;
	return text + n + (text[n] == ' ');
}

/* --- the end --- */

static void close_part(struct stage *s)
{
	copy_take_close(s->take);
	s->take = NULL;
	if (s->half >= 0)
		close(s->half);
	if (s->lock >= 0)
		close(s->lock);
	s->half = s->lock = -1;
}

static unsigned mounts_of(struct stage *s,
			  struct view_mount ret[STAGE_THINGS_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->nparts; i++) {
		struct part_of *p = &s->part[i];

		if (p->copy < 0)
			continue;
		snprintf(p->at, sizeof(p->at), "%s/%s", p->cache->path,
			 p->here);
		ret[n++] = (struct view_mount){
			.fd = p->copy,
			.from = p->at,
			.name = base_name(p->thing.path),
			.path = p->thing.path,
		};
	}
	return n;
}

/* What processes are told, behind how they see what is here. */
static void add_reasons(struct stage *s)
{
	for (unsigned i = 0; i < s->nparts; i++)
		if (*s->part[i].why)
			text_add(s->staged, sizeof(s->staged), "; ",
				 "no: %s: %s", s->part[i].thing.path,
				 s->part[i].why);
	if (*s->remark)
		text_add(s->staged, sizeof(s->staged), "; ", "no: %s",
			 s->remark);
}

static bool is_strict(const struct stage *s)
{
	return request_yes(launch_view(s->l)->request, KEY_STAGE_STRICT);
}

/* The same things for all who have it in common. */
static void name_view(const struct stage *s, char ret[64])
{
	char step[JOB_STEP_SIZE];
	unsigned set = 0;

	for (unsigned i = 0; i < s->nparts; i++)
		set |= (s->part[i].copy >= 0 ? 1U : 0) << i;
	snprintf(ret, 64, "%.40s.%x.view",
		 job_step(launch_view(s->l)->step, step), set);
}

static void say_path_view(struct stage *s, const char *why)
{
	char line[WHY_SIZE + 300];

	snprintf(line, sizeof(line),
		 "%s: what is staged isn't at its own path there (%.390s): "
		 "PATH and Python's search path point to the copy",
		 launch_view(s->l)->step->node_name, why);
	if (speaks(s))
		say(s, line);
}

/* Returns 0, or -1 when out of memory. */
static int point_to_copies(struct stage *s, const struct view_mount *mounts,
			   unsigned n, const char *why)
{
	s->pairs = calloc(n, sizeof(*s->pairs));
	for (unsigned i = 0; s->pairs && i < n; i++) {
		char *to;

		if (asprintf(&to, "%s/%s", mounts[i].from, mounts[i].name) < 0)
			return -1;
		s->pairs[s->npairs++] = (struct path_pair){mounts[i].path, to};
	}
	if (!s->pairs || path_view_env(s->pairs, n) < 0)
		return -1;
	snprintf(s->staged, sizeof(s->staged), "path: %s", why);
	return 0;
}

/* Returns 0, or -1 when out of memory. */
static int let_see(struct stage *s)
{
	struct view_mount mounts[STAGE_THINGS_MAX];
	unsigned n = mounts_of(s, mounts);
	char name[64];
	struct err err;

	if (!n)
		return 0;
	name_view(s, name);
	if (launch_view(s->l)->config->stage == CONFIG_STAGE_PATH)
		return point_to_copies(s, mounts, n,
				       "the administrator's stage=path");
	if (view_open(s->cache[0].fd, name, mounts, n, &s->view, &err) == 0) {
		snprintf(s->staged, sizeof(s->staged), "userns");
		return 0;
	}
	say_path_view(s, err.text);
	return point_to_copies(s, mounts, n, err.text);
}

static bool has_all(const struct stage *s)
{
	bool all = !*s->remark || s->nothing;

	for (unsigned i = 0; i < s->nparts; i++)
		all = all && s->part[i].copy >= 0;
	return all;
}

static void finish(struct stage *s)
{
	struct err err;

	s->state = STAGE_IS_DONE;
	if (let_see(s) < 0) {
		launch_fail(s->l, "out of memory");
		return;
	}
	add_reasons(s);
	if (is_strict(s) && !has_all(s)) {
		err_printf(&err, "stage-strict=yes: %s: %.800s",
			   launch_view(s->l)->step->node_name, s->staged);
		launch_fail(s->l, err.text);
		return;
	}
	loop_arm(launch_view(s->l)->loop, &s->done, 0);
}

static void on_done(void *arg)
{
	struct stage *s = arg;

	if (!s->waits)
		return;
	s->waits = false;
	phase_done(s->l);
}

/* --- one thing --- */

static void next(struct stage *s);

static bool find(struct stage *s, struct part_of *p)
{
	for (unsigned i = 0; i < s->ncaches && p->copy < 0; i++) {
		p->copy = cache_find(&s->cache[i], p->here);
		if (p->copy >= 0)
			p->cache = &s->cache[i];
	}
	return p->copy >= 0;
}

static void give_up(struct stage *s, const char *why)
{
	struct part_of *p = now(s);
	cleanup_free char *line = NULL;

	close_part(s);
	snprintf(p->why, sizeof(p->why), "%.*s", WHY_SIZE - 1, why);
	plain_text(p->why, "");
	if (speaks(s) && !is_strict(s) &&
	    asprintf(&line,
		     "%s: %s isn't staged, its processes run from the shared "
		     "path: %s",
		     launch_view(s->l)->step->node_name, p->thing.path,
		     p->why) >= 0)
		say(s, line);
	tell(s, "fail", "");
	s->at++;
	next(s);
}

static unsigned own_port(const void *arg, unsigned try)
{
	const struct stage *s = arg;
	const struct launch_view *v = launch_view(s->l);
	const struct port_range range = plan_other_ports(v->plan, v->config);

	return port_of_launchers(v->step->job_id, v->step->step_id,
				 v->step->restart, &range, try);
}

static int on_guest(void *arg, long number)
{
	const struct stage *s = arg;

	return number < (long)s->nparts ? s->part[number].copy : -1;
}

/* Who has filled it gives it to others, or a node's first launcher. */
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

	if (is_alone(s) || !(now(s)->filled || speaks(s)))
		return 0;
	if (!s->give)
		s->give = copy_give_open(&options, &ignored);
	return s->give ? copy_give_port(s->give) : 0;
}

static void have(struct stage *s)
{
	char port[16];

	close_part(s);
	snprintf(port, sizeof(port), "%u", give_port(s));
	tell(s, "have", port);
	s->at++;
	next(s);
}

/* --- where it comes from --- */

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
		return answer(fd, "no", strerror(errno));
	if (tree_walk(folder, name, s->half, &sum, &err) < 0)
		return answer(fd, "no", err.text);
	if (strcmp(sum.id, p->thing.sum.id) != 0)
		return answer(fd, "void", "it has changed while it was read");
	if (cache_keep(p->cache, p->here) < 0)
		return answer(fd, "no", strerror(errno));
	return answer(fd, "kept", "");
}

static int check_half(const int fd[2], const void *arg)
{
	const struct stage *s = arg;
	const struct part_of *p = &s->part[s->at];
	struct tree_sum sum;
	struct err err;

	if (tree_walk(s->half, base_name(p->thing.path), -1, &sum, &err) < 0 ||
	    strcmp(sum.whole, p->thing.sum.whole) != 0)
		return answer(fd, "again", "");
	if (cache_keep(p->cache, p->here) < 0)
		return answer(fd, "no", strerror(errno));
	return answer(fd, "kept", "");
}

static void choose(struct stage *s);

/* A new half, and the question again. */
static void ask_again(struct stage *s)
{
	close_part(s);
	choose(s);
}

/* For the step's record; who waits long is told for what. */
static void say_read(struct stage *s)
{
	const struct stage_thing *t = &now(s)->thing;
	uint64_t took_ms = loop_now_ms() - s->began_ms;
	char took[32], line[PATH_MAX + 200];

	snprintf(line, sizeof(line),
		 "%s has read %s, %lu files, %.1f MB, after %s; other nodes "
		 "get it from there",
		 launch_view(s->l)->step->node_name, t->path, t->sum.files,
		 (double)t->sum.bytes / 1e6, time_text((double)took_ms, took));
	note_text(s->l, MARK_SAID, launch_view(s->l)->step->node_name, line);
	if (took_ms >= LONG_MS)
		say(s, line);
}

static void on_filled(void *arg, char *text, bool late)
{
	struct stage *s = arg;
	const char *why;

	(void)late;
	if (behind(text, "kept")) {
		now(s)->filled = true;
		if (s->state == STAGE_READS)
			say_read(s);
		if (find(s, now(s)))
			have(s);
		else
			give_up(s, "the copy is gone");
	} else if ((why = behind(text, "void"))) {
		tell(s, "void", why);
		give_up(s, why);
	} else if (behind(text, "again") && !*s->said) {
		ask_again(s);
	} else if (behind(text, "again")) {
		give_up(s, s->said);
	} else {
		why = behind(text, "no");
		give_up(s, why ? why : "the process that copies it was killed");
	}
}

static void read_it(struct stage *s)
{
	s->state = STAGE_READS;
	run(s, read_shared, on_filled);
	loop_arm(launch_view(s->l)->loop, &s->again, LONG_MS);
}

static void say_reads(struct stage *s)
{
	const struct stage_thing *t = &now(s)->thing;
	char line[PATH_MAX + 200];

	snprintf(line, sizeof(line),
		 "%s reads %s, %lu files, %.1f MB, for all nodes",
		 launch_view(s->l)->step->node_name, t->path, t->sum.files,
		 (double)t->sum.bytes / 1e6);
	say(s, line);
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
	run(s, check_half, on_filled);
}

/* PORT IP */
static void take_it(struct stage *s, const char *text)
{
	struct copy_take_options options = {
		.step = session_sealing(launch_view(s->l)->session),
		.number = s->at,
		.folder = s->half,
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
	s->take = copy_take_open(&options, &err);
	if (!s->take)
		give_up(s, err.text);
}

static void ask(struct stage *s)
{
	if (is_alone(s)) {
		read_it(s);
		return;
	}
	s->state = STAGE_ASKS;
	tell(s, "lack", "");
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
			return answer(fd, "no", strerror(errno));
	if (!cache_lock_is_good(s->lock))
		return answer(fd, "again", "");
	copy = cache_find(p->cache, p->here);
	if (copy >= 0)
		return answer(fd, "here", "");
	if (cache_part(p->cache, p->here) < 0)
		return answer(fd, "no", strerror(errno));
	return answer(fd, "fill", "");
}

static void on_lock(void *arg, char *text, bool late)
{
	struct stage *s = arg;
	struct part_of *p = now(s);
	const char *why = behind(text, "no");

	(void)late;
	if (find(s, p)) {
		have(s);
	} else if (why) {
		give_up(s, why);
	} else if (!behind(text, "fill")) {
		ask_again(s);
	} else {
		s->half = cache_part_open(p->cache, p->here);
		if (s->half < 0)
			give_up(s, strerror(errno));
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
		return answer(fd, "no", err.text);
	snprintf(number, sizeof(number), "%d", (int)(c - s->cache));
	return answer(fd, "at", number);
}

static void on_choice(void *arg, char *text, bool late)
{
	struct stage *s = arg;
	struct part_of *p = now(s);
	const char *why = behind(text, "no"), *at = behind(text, "at");

	(void)late;
	if (!at) {
		give_up(s, why ? why : "a process of ours was killed");
		return;
	}
	p->cache = &s->cache[(unsigned)atoi(at) % CACHE_BASES];
	s->lock = cache_lock_file(p->cache, p->here);
	if (s->lock < 0)
		give_up(s, strerror(errno));
	else
		run(s, wait_for_lock, on_lock);
}

static void choose(struct stage *s)
{
	s->state = STAGE_CHOOSES;
	run(s, choose_cache, on_choice);
}

static void next(struct stage *s)
{
	if (s->at == s->nparts)
		finish(s);
	else if (find(s, now(s)))
		have(s);
	else
		choose(s);
}

/* --- the plan --- */

/* Copies don't outlive a node's start: a disk may have lost what came last. */
static void name_here(struct part_of *p)
{
	unsigned char sum[(TREE_SUM_SIZE - 1) / 2];
	crypto_generichash_state state;
	char boot[64] = "";
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read(fd, boot, sizeof(boot)) < 0)
		*boot = '\0';
	if (fd >= 0)
		close(fd);
	crypto_generichash_init(&state, NULL, 0, sizeof(sum));
	crypto_generichash_update(&state, (const void *)p->thing.sum.id,
				  TREE_SUM_SIZE);
	crypto_generichash_update(&state, (const void *)boot, sizeof(boot));
	crypto_generichash_final(&state, sum, sizeof(sum));
	sodium_bin2hex(p->here, sizeof(p->here), sum, sizeof(sum));
}

/* ! or =, a blank, and why. */
static void take_remark(struct stage *s, const char *remark, size_t n, bool own)
{
	char line[WHY_SIZE + 64];

	if (n < 3 || !strchr("!=", *remark))
		return;
	s->nothing = *remark == '=';
	snprintf(s->remark, sizeof(s->remark), "%.*s", (int)n - 2, remark + 2);
	plain_text(s->remark, "");
	snprintf(line, sizeof(line), "stage: %s; %s", s->remark,
		 s->nothing ? "nothing is staged"
			    : "the processes use it where it is");
	if (own && (s->nothing || !is_strict(s)))
		say(s, line);
}

static int read_plan(struct stage *s, const char *text, bool own)
{
	struct stage_thing thing;
	const char *remark;
	size_t n;
	int rc;

	s->part = calloc(STAGE_THINGS_MAX, sizeof(*s->part));
	if (!s->part)
		return -1;
	while ((rc = stage_plan_next(&text, &thing, &remark, &n)) != 0) {
		struct part_of *p = &s->part[s->nparts];

		if (rc < 0) {
			take_remark(s, remark, n, own);
		} else if (s->nparts < STAGE_THINGS_MAX) {
			*p = (struct part_of){.thing = thing, .copy = -1};
			name_here(p);
			s->nparts++;
		}
	}
	return 0;
}

static void begin_parts(struct stage *s, const char *text, bool own)
{
	const struct config *config = launch_view(s->l)->config;
	struct err err;

	loop_disarm(launch_view(s->l)->loop, &s->again);
	if (s->part)
		return;
	if (read_plan(s, text, own) < 0) {
		launch_fail(s->l, "out of memory");
		return;
	}
	s->ncaches = caches_open(config->stagedir, s->cache, &err);
	if (s->ncaches) {
		next(s);
		return;
	}
	for (s->at = 0; s->at + 1 < s->nparts; s->at++)
		snprintf(now(s)->why, WHY_SIZE, "%.*s", WHY_SIZE - 1, err.text);
	if (s->nparts)
		give_up(s, err.text);
	else
		finish(s);
}

static int find_plan(const int fd[2], const void *arg)
{
	const struct launch_view *v =
		launch_view(((const struct stage *)arg)->l);

	stage_plan_write(v->request, v->program, fd[1]);
	return 0;
}

static void on_plan(void *arg, char *text, bool late)
{
	struct stage *s = arg;

	(void)late;
	if (strncmp(text, "plan", 4) != 0) {
		launch_fail(s->l, "stage: the process that looks at it was "
				  "killed");
		return;
	}
	if (!is_alone(s))
		launch_send(s->l, MSG_STAGE, text);
	begin_parts(s, text, true);
}

static void look(struct stage *s)
{
	if (s->state != STAGE_BEGINS)
		return;
	s->state = STAGE_LOOKS;
	run(s, find_plan, on_plan);
}

/* --- the phase --- */

static void on_again(void *arg)
{
	struct stage *s = arg;

	if (s->state == STAGE_READS)
		say_reads(s);
	if (s->state == STAGE_BEGINS)
		launch_send(s->l, MSG_STAGE, "ask");
	else if (s->state == STAGE_ASKS)
		tell(s, "lack", "");
	else
		return;
	loop_arm(launch_view(s->l)->loop, &s->again, ASK_AGAIN_MS);
}

/* WORD N MORE of what is under way */
static const char *of_now(const struct stage *s, const char *text,
			  const char *word)
{
	const char *more = behind(text, word);
	long n;

	if (!more || s->state != STAGE_ASKS ||
	    message_number(&more, 0, STAGE_THINGS_MAX, &n) < 0 || n != s->at)
		return NULL;
	return more;
}

static void keep(struct launch *l, const char *data, size_t n)
{
	struct stage *s = stage_of(l);
	const char *more;

	(void)n;
	if (!s || !s->l)
		return;
	if (!strcmp(data, "look"))
		look(s);
	else if (!strncmp(data, "plan", 4) && s->state == STAGE_BEGINS)
		begin_parts(s, data, false);
	else if (of_now(s, data, "read"))
		read_it(s);
	else if ((more = of_now(s, data, "from")))
		take_it(s, more);
	else if ((more = of_now(s, data, "none")))
		give_up(s, more);
}

static enum phase_state message(struct launch *l, const char *data, size_t n,
				struct err *err)
{
	(void)l;
	(void)data;
	(void)n;
	(void)err;
	return PHASE_WAITS; /* for on_done() */
}

static void start(struct stage *s)
{
	s->lock = s->half = -1;
	s->view.ns = (struct child_view){-1, -1};
	for (unsigned i = 0; i < CACHE_BASES; i++)
		s->cache[i].fd = -1;
	s->again = (struct loop_timer){.expired = on_again, .arg = s};
	s->done = (struct loop_timer){.expired = on_done, .arg = s};
	s->began_ms = loop_now_ms();
	if (launch_view(s->l)->config->stage == CONFIG_STAGE_OFF) {
		snprintf(s->remark, sizeof(s->remark),
			 "the administrator's stage=off");
		finish(s);
	} else if (is_alone(s)) {
		look(s);
	} else {
		launch_send(s->l, MSG_STAGE, "ask");
		loop_arm(launch_view(s->l)->loop, &s->again, ASK_AGAIN_MS);
	}
}

static enum phase_state begin(struct launch *l, struct err *err)
{
	struct stage *s = stage_of(l);

	(void)err;
	if (s->state == STAGE_IS_DONE)
		return PHASE_DONE;
	s->waits = true;
	if (!s->l) {
		s->l = l;
		start(s);
	}
	return PHASE_WAITS;
}

/* What is under way goes on: the next round needs it, too. */
static void leave(struct launch *l)
{
	stage_of(l)->waits = false;
}

static void end(struct launch *l)
{
	struct stage *s = stage_of(l);

	if (!s->l)
		return;
	loop_disarm(launch_view(l)->loop, &s->again);
	loop_disarm(launch_view(l)->loop, &s->done);
	subprocess_text_drop(&s->child);
	copy_give_close(s->give);
	close_part(s);
	view_close(&s->view);
	for (unsigned i = 0; i < s->npairs; i++)
		free((char *)s->pairs[i].to);
	free(s->pairs);
	for (unsigned i = 0; i < s->nparts; i++) {
		struct part_of *p = &s->part[i];

		if (p->copy < 0)
			continue;
		close(p->copy);
		if (p->cache->in_memory)
			cache_remove(p->cache, p->here);
	}
	caches_close(s->cache);
	free(s->part);
}

/* --- with explain=only --- */

#define SHOW_MS 60000 /* for all that is there to be looked at */

static void show_text(const char *text)
{
	struct stage_thing t;
	const char *remark;
	size_t n;
	int rc;

	while ((rc = stage_plan_next(&text, &t, &remark, &n)) != 0) {
		if (rc > 0)
			printf("stage: %s, %lu files, %.1f MB\n", t.path,
			       t.sum.files, (double)t.sum.bytes / 1e6);
		else if (n > 2)
			printf("stage: nothing: %.*s\n", (int)n - 2,
			       remark + 2);
	}
	fflush(stdout);
}

static int show_plan(struct launch *l, struct err *err)
{
	const struct stage s = {.l = l};
	cleanup_free char *text = NULL;

	if (launch_view(l)->step->procid)
		return 0;
	text = malloc(STAGE_PLAN_MAX);
	if (!text)
		return err_memory(err);
	if (subprocess_ask(find_plan, &s, SHOW_MS, text, STAGE_PLAN_MAX, err) <
	    0)
		return -1;
	show_text(text);
	return 0;
}

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.stages;
}

int stage_child(const struct launch *l, struct child *child,
		struct stage_command *own, struct err *err)
{
	const struct stage *s = stage_of(l);

	*own = (struct stage_command){.argv = NULL};
	if (!s || !s->l)
		return 0;
	child->view = &s->view.ns;
	return path_view_command(s->pairs, s->npairs, child, own->file,
				 &own->argv) < 0
		       ? err_memory(err)
		       : 0;
}

static int add_env(struct launch *l, const struct process *process,
		   struct envset *set, struct err *err)
{
	const struct stage *s = stage_of(l);

	(void)process;
	if (!s)
		return 0;
	return envset_add(set, ENV_OURS, "key stage", err, STAGED, "%s",
			  s->staged);
}

const struct phase stage_phase = {
	.name = "stage",
	.wanted = is_wanted,
	.size = sizeof(struct stage),
	.show = show_plan,
	.begin = begin,
	.takes = MSG_STAGED,
	.message = message,
	.keep = keep,
	.leave = leave,
	.end = end,
	.each_world = true,
	.of_spares = true,
};

const struct part stage_part = {
	.name = "stage",
	.wanted = is_wanted,
	.env = add_env,
};
