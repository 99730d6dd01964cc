/* SPDX-License-Identifier: Apache-2.0 */

#include "core/base/text.h"
#include "helpers/check/node_facts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define SAID_MAX   (16 << 10)
#define FACTS_MAX  (16 << 10) /* a source says no more than that */
#define LAST_WORDS 300

static int limit_ms(const struct node_look_wish *wish)
{
	return wish->limit_ms ? wish->limit_ms : NODE_LOOK_MS;
}

/* --- in the children --- */

static int look_gpus(const int fd[2], const void *arg)
{
	const struct node_look_wish *wish = arg;

	facts_gpus(fd[1], limit_ms(wish) * 3 / 4, wish->gpus);
	return 0;
}

static int look_rdma(const int fd[2], const void *arg)
{
	(void)arg;
	facts_rdma(fd[1]);
	return 0;
}

static int look_files(const int fd[2], const void *arg)
{
	const struct node_look_wish *wish = arg;

	facts_shm(fd[1]);
	if (wish->run_dir)
		facts_run_dir(fd[1], wish->run_dir);
	return 0;
}

static int look_devices(const int fd[2], const void *arg)
{
	const struct node_look_wish *wish = arg;

	facts_devices(fd[1], wish->gpus);
	return 0;
}

static int look_npus(const int fd[2], const void *arg)
{
	const struct node_look_wish *wish = arg;

	facts_npus(fd[1], &wish->npus);
	return 0;
}

/* Its last line that isn't empty, without what doesn't print. */
static const char *last_line(char *said)
{
	size_t n = strlen(said);
	char *line;

	while (n && strchr(" \t\r\n", said[n - 1]))
		said[--n] = '\0';
	line = strrchr(said, '\n');
	line = line ? line + 1 : said;
	plain_text(line, "");
	return line;
}

/* check-program STATUS PATH: LAST LINE; nothing is told of a good end */
static int look_program(const int fd[2], const void *arg)
{
	const struct node_look_wish *wish = arg;
	const char *argv[] = {wish->program, NULL};
	/* In this child's group, so that both end by one signal */
	const struct subprocess_spec spec = {
		.argv = argv, .flags = SUBPROCESS_HANGS & ~SUBPROCESS_GROUP};
	static char said[SAID_MAX];
	struct subprocess sub;
	int status = 0;
	size_t used = 0;
	ssize_t n;
	struct err err;

	if (subprocess_start(&spec, &sub, &err) < 0) {
		dprintf(fd[1], "check-program 126 %s: %s\n", wish->program,
			err.text);
		return 0;
	}
	/* The end of what it prints counts */
	while ((n = read(sub.out, said + used, sizeof(said) - 1 - used)) > 0) {
		used += (size_t)n;
		if (used < sizeof(said) - 1)
			continue;
		used = sizeof(said) / 2;
		memmove(said, said + sizeof(said) - 1 - used, used);
	}
	said[used] = '\0';
	subprocess_wait(&sub, wish->program_ms, &status);
	if (status)
		dprintf(fd[1], "check-program %d %s%s%.*s\n",
			WIFEXITED(status) ? WEXITSTATUS(status)
					  : 128 + WTERMSIG(status),
			wish->program, *last_line(said) ? ": " : "", LAST_WORDS,
			last_line(said));
	return 0;
}

/* --- the sources --- */

static const struct {
	int (*run)(const int fd[2], const void *arg);
	bool of_devices;
	const char *late; /* begins the fact of one that doesn't answer */
} parts[LOOKS] = {
	[LOOK_GPUS] = {look_gpus, true, "gpu-note the driver of the GPUs"},
	[LOOK_RDMA] = {look_rdma, false, "rdma-note the driver of the ports"},
	[LOOK_FILES] = {look_files, false,
			"run-dir-fault /dev/shm or that folder's file system"},
	[LOOK_DEVICES] = {look_devices, true, "dev-late a device file"},
	[LOOK_NPUS] = {look_npus, true, "dev-late the driver of the NPUs"},
	[LOOK_PROGRAM] = {look_program, false, NULL},
};

static void put_late(const struct node_look *l, int part, FILE *f)
{
	const struct node_look_wish *wish = l->wish;

	if (part == LOOK_PROGRAM)
		fprintf(f, "check-program 124 %s: no end after %d s\n",
			wish->program, wish->program_ms / 1000);
	else
		fprintf(f, "%s doesn't answer within %.1f s\n",
			parts[part].late, limit_ms(wish) / 1000.0);
}

/* What all have said, for the caller to free; NULL: no memory. */
static char *join(const struct node_look *l)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	for (int i = 0; f && i < LOOKS; i++) {
		const struct node_look_part *p = &l->part[i];

		if (p->said.text)
			fprintf(f, "%s\n", p->said.text);
		if (p->late)
			put_late(l, i, f);
	}
	return text_stream_take(&stream);
}

static void part_is_over(void *arg, char *said, bool late)
{
	struct node_look_part *p = arg;
	struct node_look *l = p->all;
	cleanup_free char *all = NULL;

	(void)said;
	p->late = late;
	if (--l->nruns)
		return;
	all = join(l);
	l->done(l->arg, all ? all : "");
}

static bool is_wanted(const struct node_look_wish *wish, int part)
{
	if (part == LOOK_PROGRAM && !wish->program)
		return false;
	if (part == LOOK_NPUS && !wish->npus.n)
		return false;
	return parts[part].of_devices || !wish->only_devices;
}

static int start_part(struct node_look *l, int i, struct err *err)
{
	struct node_look_part *p = &l->part[i];
	const struct subprocess_spec spec = {
		.run = parts[i].run,
		.arg = l->wish,
		.flags = SUBPROCESS_HANGS,
	};
	int ms = i == LOOK_PROGRAM ? l->wish->program_ms : limit_ms(l->wish);

	p->all = l;
	p->said = (struct subprocess_text){
		.loop = l->loop,
		.max = FACTS_MAX,
		.done = part_is_over,
		.arg = p,
	};
	if (subprocess_text_begin(&p->said, &spec, (uint64_t)ms, err) < 0)
		return -1;
	l->nruns++;
	return 0;
}

int node_look_begin(struct node_look *l, const struct node_look_wish *wish,
		    struct err *err)
{
	l->wish = wish;
	for (int i = 0; i < LOOKS; i++)
		if (is_wanted(wish, i) && start_part(l, i, err) < 0)
			return -1;
	return 0;
}

void node_look_close(struct node_look *l)
{
	for (int i = 0; i < LOOKS; i++)
		subprocess_text_drop(&l->part[i].said);
	*l = (struct node_look){0};
}
