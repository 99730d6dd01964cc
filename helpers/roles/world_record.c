/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step's record: what becomes of worlds, which the director tells, and what
 * the launchers of a world note. These keep a record as those of any step do
 * (the key record), in a folder of ours; what is in it is read as it is written
 * and passed on with the world's name. Our standard input, a socket, leads to
 * the step's launcher (helpers/launch/start.c).
 */
#include "helpers/roles/agent.h"

#include "core/base/text.h"
#include "core/facts/record_words.h"
#include "sys/text_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- to the launcher --- */

static void note(const struct agent *a, unsigned world, unsigned round,
		 const char *node, const char *event, const char *more)
{
	const struct role_world *w = &a->roles.world[world];
	char name[ROLE_WORLD_NAME_SIZE];
	cleanup_free char *text = NULL;
	int n = asprintf(&text, "%u %s %s ,\"world\":\"%s\"%s", round, node,
			 event, role_world_name(&a->roles, w, name), more);

	if (n >= 0)
		send(a->notes_fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void world_note(const struct agent *a, unsigned world, unsigned round,
		const char *state, const char *text)
{
	cleanup_free char *quoted = malloc(JSON_QUOTE_SIZE(strlen(text)));
	cleanup_free char *more = NULL;

	if (!quoted)
		return;
	json_quote(text, quoted, JSON_QUOTE_SIZE(strlen(text)));
	if (asprintf(&more, ",\"state\":\"%s\"%s%s", state,
		     *text ? ",\"text\":" : "", *text ? quoted : "") >= 0)
		note(a, world, round, "-", mark_word(MARK_WORLD), more);
}

/* --- what a world's launchers have noted --- */

static bool is_passed_on(const char *event)
{
	static const enum record_mark marks[] = {
		MARK_FAILURE, MARK_REPORT, MARK_SAID,
		MARK_HANG,    MARK_STACKS, MARK_SLOW,
	};
	enum record_mark mark;

	if (mark_parse(event, &mark) < 0)
		return false;
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (marks[i] == mark)
			return true;
	return false;
}

/* What stands in "" behind `key`, which is cut out of the line there. NULL: it
 * has no such member before `end`. */
static char *cut_text(char *line, const char *key, const char *end)
{
	char *at = strstr(line, key);
	char *close;

	if (!at || at > end)
		return NULL;
	at += strlen(key);
	close = strchr(at, '"');
	if (close)
		*close = '\0';
	return close ? at : NULL;
}

/* {"t_ms":T,"step":"S","event":"E","node":"N","round":R,MORE}, as
 * helpers/output/record_line.c writes it; "node" may be missing. */
static void pass_on(const struct here *h, char *line)
{
	static const char round[] = ",\"round\":";
	char *more = strstr(line, round);
	char *end = strrchr(line, '}');
	const char *event, *node;

	if (!more || !end)
		return;
	*end = '\0';
	node = cut_text(line, "\"node\":\"", more);
	event = cut_text(line, "\"event\":\"", more);
	more += strlen(round);
	more += strcspn(more, ",");
	if (event && is_passed_on(event))
		note(h->agent, h->world, h->round, node ? node : "-", event,
		     more);
}

/* The one file that is in the folder. */
static int open_file(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int fd = -1;

	while (dir && fd < 0 && (entry = readdir(dir)))
		if (text_ends(entry->d_name, RECORD_SUFFIX))
			fd = openat(dirfd(dir), entry->d_name,
				    O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (dir)
		closedir(dir);
	return fd;
}

/* What processes do that were told to end is nobody's fault. */
static bool is_told(const struct here *h)
{
	const struct agent *a = h->agent;

	return h->kill.armed || a->told_code || a->leaves;
}

/* Whole lines that have come since; each is one write(). */
static void read_more(struct here *h)
{
	cleanup_free char *text = malloc(RECORD_MAX + 1);
	char *at = text, *line;
	ssize_t n;

	if (h->record_fd < 0)
		h->record_fd = open_file(h->record);
	if (h->record_fd < 0 || !text)
		return;
	n = read(h->record_fd, text, RECORD_MAX);
	if (n <= 0)
		return;
	text[n] = '\0';
	while ((line = strsep(&at, "\n")) && !is_told(h))
		pass_on(h, line);
}

static void on_change(void *arg, uint32_t events)
{
	struct agent *a = arg;
	char unused[4096];

	(void)events;
	while (read(a->records.fd, unused, sizeof(unused)) > 0)
		;
	for (unsigned w = 0; w < a->roles.n; w++)
		if (*a->here[w].record)
			read_more(&a->here[w]);
}

int records_open(struct agent *a, struct err *err)
{
	a->records = (struct loop_watch){
		.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
		.ready = on_change,
		.arg = a,
	};
	if (a->records.fd < 0)
		return err_printf(err, "inotify: %m");
	return loop_watch(&a->loop, &a->records, EPOLLIN, err);
}

/* A folder for each round. Without one the world has no record. */
void record_begin(struct here *h)
{
	struct agent *a = h->agent;

	h->record_fd = -1;
	snprintf(h->record, sizeof(h->record), "%s/r%u.%u", a->run_dir,
		 h->world, h->round);
	if (mkdir(h->record, 0700) < 0 ||
	    inotify_add_watch(a->records.fd, h->record, IN_MODIFY) < 0)
		*h->record = '\0';
}

void record_end(struct here *h)
{
	if (!*h->record)
		return;
	read_more(h);
	if (h->record_fd >= 0)
		close(h->record_fd);
	*h->record = '\0';
}
