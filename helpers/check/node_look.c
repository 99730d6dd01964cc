/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/check/node_look.h"

#include "core/base/cleanup.h"
#include "core/base/text_stream.h"
#include "helpers/check/node_facts.h"

#include <signal.h>
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
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = ' ';
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

/* What all have said, for the caller to free; NULL: no memory. */
static char *join(struct node_look *l)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	for (int i = 0; f && i < LOOKS; i++)
		if (l->part[i].stream && fflush(l->part[i].stream) == 0)
			fprintf(f, "%s\n", l->part[i].text);
	return text_stream_take(&stream);
}

static void finish(struct node_look *l)
{
	cleanup_free char *all = join(l);

	loop_disarm(l->loop, &l->late);
	loop_disarm(l->loop, &l->program_late);
	l->done(l->arg, all ? all : "");
}

static void end_part(struct node_look_part *p)
{
	p->runs = false;
	p->all->nruns--;
	subprocess_close(&p->sub);
}

static void on_output(void *arg, const char *data, size_t n)
{
	struct node_look_part *p = arg;
	struct node_look *l = p->all;

	if (n && p->n < FACTS_MAX)
		fwrite(data, 1, n, p->stream);
	if (n)
		return;
	end_part(p);
	if (!l->nruns)
		finish(l);
}

static void give_up(struct node_look_part *p)
{
	if (!p->runs)
		return;
	subprocess_kill(&p->sub, SIGKILL);
	end_part(p);
}

static void on_late(void *arg)
{
	struct node_look *l = arg;

	for (int i = 0; i < LOOK_PROGRAM; i++) {
		if (!l->part[i].runs)
			continue;
		fprintf(l->part[i].stream,
			"\n%s doesn't answer within %.1f s\n", parts[i].late,
			limit_ms(l->wish) / 1000.0);
		give_up(&l->part[i]);
	}
	if (!l->nruns)
		finish(l);
}

static void on_program_late(void *arg)
{
	struct node_look *l = arg;
	struct node_look_part *p = &l->part[LOOK_PROGRAM];

	if (p->runs)
		fprintf(p->stream,
			"\ncheck-program 124 %s: no end after %d s\n",
			l->wish->program, l->wish->program_ms / 1000);
	give_up(p);
	if (!l->nruns)
		finish(l);
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

	p->all = l;
	p->stream = open_memstream(&p->text, &p->n);
	if (!p->stream)
		return err_memory(err);
	if (subprocess_start(&spec, &p->sub, err) < 0 ||
	    subprocess_watch(&p->sub, l->loop, on_output, p, err) < 0)
		return -1;
	p->runs = true;
	l->nruns++;
	return 0;
}

int node_look_begin(struct node_look *l, const struct node_look_wish *wish,
		    struct err *err)
{
	l->wish = wish;
	l->late = (struct loop_timer){.expired = on_late, .arg = l};
	l->program_late =
		(struct loop_timer){.expired = on_program_late, .arg = l};
	for (int i = 0; i < LOOKS; i++)
		if (is_wanted(wish, i) && start_part(l, i, err) < 0)
			return -1;
	loop_arm(l->loop, &l->late, (uint64_t)limit_ms(wish));
	if (l->part[LOOK_PROGRAM].runs)
		loop_arm(l->loop, &l->program_late, (uint64_t)wish->program_ms);
	return 0;
}

void node_look_close(struct node_look *l)
{
	if (!l->loop)
		return;
	loop_disarm(l->loop, &l->late);
	loop_disarm(l->loop, &l->program_late);
	for (int i = 0; i < LOOKS; i++) {
		struct node_look_part *p = &l->part[i];

		give_up(p);
		if (p->stream)
			fclose(p->stream);
		free(p->text);
	}
	*l = (struct node_look){0};
}
