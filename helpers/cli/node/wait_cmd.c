/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train wait: until roles of a step are ready, in any of its processes. It
 * reads DIST_TRAIN_ROLES_FILE, which the step renames at each change
 * (helpers/roles/roles_file.c), and asks nobody.
 */
#include "core/base/parse.h"
#include "helpers/cli/command.h"
#include "sys/loop.h"
#include "sys/text_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/inotify.h>
#include <unistd.h>

#define VARIABLE    "DIST_TRAIN_ROLES_FILE"
#define FILE_MAX    (4U << 20)
#define EXIT_NEVER  3 /* one that can't become ready any more */
#define TIMEOUT_MAX (INT_MAX / 1000)

static const struct command_option options[] = {
	{"timeout", "SECONDS", "give up after so long (status 1)"},
	{0},
};

enum outcome { IS_READY, NOT_YET, IS_OVER, IS_UNKNOWN };

/* What has been asked for: ROLE, or ROLE:WORLD. */
struct asked {
	const char *word;
	size_t len; /* of the role's name */
	long world; /* -1: all */
};

static int read_asked(const char *word, struct asked *ret, struct err *err)
{
	const char *colon = strchr(word, ':');
	char shown[SHOW_SIZE];

	*ret = (struct asked){word, strcspn(word, ":"), -1};
	if (!colon || parse_number(colon + 1, 0, INT_MAX, &ret->world) == 0)
		return 0;
	return err_printf(err, "%s: write ROLE, or ROLE:N for its world N",
			  show(shown, word));
}

static const char *member(const cJSON *entry, const char *name)
{
	const char *text = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(entry, name));

	return text ? text : "";
}

static bool is_meant(const struct asked *a, const cJSON *entry)
{
	const char *role = member(entry, "role");
	const cJSON *world = cJSON_GetObjectItemCaseSensitive(entry, "world");

	return strlen(role) == a->len && !strncasecmp(role, a->word, a->len) &&
	       (a->world < 0 ||
		(cJSON_IsNumber(world) && world->valueint == a->world));
}

/* Of all worlds that are meant: the worst. */
static enum outcome look(const struct asked *a, const cJSON *roles)
{
	enum outcome outcome = IS_UNKNOWN;
	const cJSON *entry;

	cJSON_ArrayForEach(entry, roles)
	{
		const char *state = member(entry, "state");

		if (!is_meant(a, entry))
			continue;
		if (!strcmp(state, "ended"))
			return IS_OVER;
		if (strcmp(state, "ready") != 0)
			outcome = NOT_YET;
		else if (outcome == IS_UNKNOWN)
			outcome = IS_READY;
	}
	return outcome;
}

/* Returns IS_READY where all are; else the error says of which one it isn't so.
 */
static enum outcome look_at_all(const struct given *g, const cJSON *roles,
				struct err *err)
{
	enum outcome all = IS_READY;
	char shown[SHOW_SIZE];
	struct asked a;

	for (int i = 0; i < g->n; i++) {
		enum outcome one;

		if (read_asked(g->word[i], &a, err) < 0)
			return IS_UNKNOWN;
		one = look(&a, roles);
		if (one == IS_READY || (one == NOT_YET && all == NOT_YET))
			continue;
		show(shown, g->word[i]);
		err_printf(err,
			   one == IS_OVER   ? "%s has ended, and won't be "
					      "ready any more"
			   : one == NOT_YET ? "%s isn't ready"
					    : "%s is no role of this step",
			   shown);
		all = one;
		if (one != NOT_YET)
			break;
	}
	return all;
}

static enum outcome read_file(const struct given *g, const char *file,
			      struct err *err)
{
	cleanup_free char *text = text_file_read(file, FILE_MAX, err);
	enum outcome outcome = IS_UNKNOWN;
	cJSON *all = text ? cJSON_Parse(text) : NULL;

	if (all)
		outcome = look_at_all(
			g, cJSON_GetObjectItemCaseSensitive(all, "roles"), err);
	else if (text)
		err_printf(err, "%s isn't JSON", file);
	cJSON_Delete(all);
	return outcome;
}

/* A file that is renamed makes its folder change. */
static int watch_folder(const char *file, struct err *err)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s", (int)(base_name(file) - file),
		 file);
	if (fd >= 0 && inotify_add_watch(fd, *folder ? folder : ".",
					 IN_MOVED_TO | IN_DELETE_SELF) >= 0)
		return fd;
	err_printf(err, "%s: %s", folder, strerror(errno));
	close_fd(&fd);
	return -1;
}

/* Returns false when the time is over. */
static bool await_change(int fd, uint64_t until_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t now = loop_now_ms();
	char events[4096];
	int left = -1;

	if (until_ms)
		left = until_ms > now ? (int)(until_ms - now) : 0;
	if (poll(&p, 1, left) == 0)
		return false;
	while (read(fd, events, sizeof(events)) > 0)
		;
	return true;
}

static int wait_for(const struct given *g, const char *file, long timeout_s,
		    struct err *err)
{
	uint64_t until_ms =
		timeout_s ? loop_now_ms() + (uint64_t)timeout_s * 1000 : 0;
	cleanup_close int fd = watch_folder(file, err);
	enum outcome outcome = NOT_YET;

	if (fd < 0)
		return EXIT_NEVER; /* the step has ended */
	while ((outcome = read_file(g, file, err)) == NOT_YET)
		if (!await_change(fd, until_ms))
			return EXIT_FINDING;
	return outcome == IS_READY  ? EXIT_DONE
	       : outcome == IS_OVER ? EXIT_NEVER
				    : EXIT_USAGE;
}

static int run(struct given *g, struct err *err)
{
	const char *file = getenv(VARIABLE);
	long timeout_s = 0;

	if (option_seconds(g, "timeout", 1, TIMEOUT_MAX, &timeout_s, err) < 0)
		return EXIT_USAGE;
	if (!g->n)
		err_printf(err, "wait for which role? write: dist-train wait "
				"ROLE[:N]...");
	else if (!file)
		err_printf(err, VARIABLE " isn't set: this is no process of a "
					 "step with roles (srun "
					 "--dist-train=roles)");
	else
		return wait_for(g, file, timeout_s, err);
	return EXIT_USAGE;
}

const struct command wait_command = {
	.name = "wait",
	.summary = "in a step with roles: until these are ready",
	.usage = "ROLE[:N]... [--timeout SECONDS]",
	.about = "Ends when all worlds of these roles, or the N-th of one, "
		 "are ready: status 0. 1 when the time is over before, 3 when "
		 "one of them has ended and can't become ready any more.",
	.example = "dist-train wait rollout --timeout 600 && python3 eval.py",
	.page = "dist-train-wait",
	.options = options,
	.words = ANY_WORDS,
	.run = run,
};
