/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train-ps: what a script under dialect=recsdk takes for ps. On its own
 * platform a script is alone in a container and kills what ps shows it; here
 * it is shown its own processes only, those that it descends from in the step
 * and those that descend from it.
 *
 *	dist-train-ps [ARG]...	with PID in the header's first columns
 */
#include "core/base/parse.h"
#include "sys/child.h"
#include "sys/proc_file.h"
#include "sys/subprocess.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_COLUMN (-1)
#define ANCESTORS 64 /* more levels than any script has */

/* Whether the process descends from the launcher that runs the script. */
static bool is_own(pid_t pid, pid_t launcher)
{
	struct proc_stat s;

	for (int i = 0; i < ANCESTORS && pid > 1; i++) {
		if (proc_stat_read("", pid, 0, &s) < 0)
			return false;
		pid = s.parent;
		if (pid == launcher)
			return true;
	}
	return false;
}

/* Which word of a line is the process, where only one-word columns stand
 * before it. */
static int find_column(char *header)
{
	char *save, *word = strtok_r(header, " \t\n", &save);

	for (int i = 0; word; i++) {
		if (!strcmp(word, "PID"))
			return i;
		if (!word_find("F S STAT UID USER RUSER EUSER PPID PGID SID",
			       word, strlen(word), NULL))
			return NO_COLUMN;
		word = strtok_r(NULL, " \t\n", &save);
	}
	return NO_COLUMN;
}

static pid_t pid_of(char *line, int column)
{
	char *save, *word = strtok_r(line, " \t\n", &save);
	long pid = 0;

	while (word && column--)
		word = strtok_r(NULL, " \t\n", &save);
	if (word)
		parse_number(word, 1, INT_MAX, &pid);
	return (pid_t)pid;
}

/* The header, and the lines of the script's own processes. */
static void filter_lines(FILE *from, pid_t launcher)
{
	cleanup_free char *line = NULL;
	int column = NO_COLUMN;
	size_t size = 0;

	for (unsigned n = 0; getline(&line, &size, from) > 0; n++) {
		cleanup_free char *copy = strdup(line);

		if (!copy)
			return;
		if (n == 0)
			column = find_column(copy);
		else if (column == NO_COLUMN ||
			 !is_own(pid_of(copy, column), launcher))
			continue;
		fputs(line, stdout);
	}
}

/* Find the real ps: the next one in PATH that isn't in the step's folder. */
static int find_ps(const char *dir, char ret[PATH_MAX])
{
	const char *path = getenv("PATH");
	size_t len = strlen(dir);

	while (path && *path) {
		size_t n = strcspn(path, ":");
		cleanup_free char *one = strndup(path, n);
		bool ours = n == len && !memcmp(path, dir, n);

		if (!ours && one && child_find("ps", one, ret, PATH_MAX) == 0)
			return 0;
		path += n + (path[n] == ':');
	}
	return -1;
}

static int run_filtered(char *argv[], const char *ps, pid_t launcher)
{
	const struct subprocess_spec spec = {
		.file = ps,
		.argv = (const char *const *)argv,
		.flags = SUBPROCESS_OUT,
	};
	struct subprocess sub;
	int status = 0;
	struct err err;
	FILE *out;

	if (subprocess_start(&spec, &sub, &err) < 0)
		return EXIT_FAILURE;
	out = fdopen(sub.out, "r");
	if (out) {
		filter_lines(out, launcher);
		fclose(out);
	}
	subprocess_wait(&sub, INT_MAX, &status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

int main(int argc, char *argv[])
{
	const char *dir = getenv("DIST_TRAIN_RUN_DIR");
	const char *text = getenv("DIST_TRAIN_LAUNCHER_PID");
	char ps[PATH_MAX];
	long launcher;

	(void)argc;
	if (!dir || !text || parse_number(text, 1, INT_MAX, &launcher) < 0) {
		fprintf(stderr,
			"dist-train: ps: only a script started by srun "
			"--dist-train=...,dialect=recsdk can call this\n");
		return EXIT_FAILURE;
	}
	if (find_ps(dir, ps) == 0)
		return run_filtered(argv, ps, (pid_t)launcher);
	fprintf(stderr, "dist-train: ps: PATH has no real ps\n");
	return 127;
}
