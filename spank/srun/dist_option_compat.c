/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's own abbreviation --dist for --distribution, which would be
 * ambiguous beside --dist-train. On the command line: srun, sbatch or salloc is
 * executed again with the full name. In a batch script: sbatch gets the value
 * through its environment (doc/design/spank-srun.md).
 */
#include "spank/srun/srun.h"

#include "core/base/parse.h"
#include "registry/registry.h"
#include "spank/slurm/cmdline.h"
#include "sys/log.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLURMS "distribution"
/* What sbatch reads after its script, and before its command line. */
#define SLURMS_ENV "SBATCH_DISTRIBUTION"
/* What sbatch leaves to the commands in its script, for our own option. */
#define OUTER_ENV "SLURM_SPANK__SLURM_SPANK_OPTION_dist_train_"
/* In srun three letters may also mean --disable-status. */
#define SHORTEST 4

/* Standard input when Slurm hadn't read a script from it yet. */
static struct {
	off_t at;
	bool is_empty;
} input;

static const char *own_option; /* the name of ours */
static bool handed_on;	       /* we have set SLURMS_ENV */

/* A pipe that has nothing more to give. */
static bool input_is_empty(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&in, 1, 0) == 1 &&
	       (in.revents & (POLLIN | POLLHUP)) == POLLHUP;
}

static bool is_sbatch(void)
{
	return strstr(program_invocation_short_name, "sbatch") != NULL;
}

/* The word that is `--NAME=VALUE`, or the `--NAME` before VALUE. */
static char **find_word(char **words, const char *name, const char *value)
{
	size_t len = strlen(name);

	for (char **w = words; *w; w++) {
		if (strncmp(*w, "--", 2) != 0 ||
		    strncmp(*w + 2, name, len) != 0)
			continue;
		if ((*w)[2 + len] == '=' && !strcmp(*w + 3 + len, value))
			return w;
		if (!(*w)[2 + len] && w[1] && !strcmp(w[1], value))
			return w;
	}
	return NULL;
}

/* An sbatch that has read its script from standard input has to read it
 * again. */
static int rewind_input(void)
{
	if (!is_sbatch())
		return 0;
	if (input.at >= 0)
		return lseek(STDIN_FILENO, input.at, SEEK_SET) < 0 ? -1 : 0;
	if (!input_is_empty() || input.is_empty)
		return 0;
	errno = ESPIPE;
	return -1;
}

/* Start this command again in its own place, with the name written out. Slurm
 * has only read options so far. Returns 0 if the command line doesn't have the
 * option, -1 with errno if it can't be done. */
static int start_again(const char *name, const char *value)
{
	char **words = cmdline_words(), **word = find_word(words, name, value);
	char program[PATH_MAX];
	ssize_t len;

	if (!word)
		return *words ? 0 : -1;
	/* not by /proc/self/exe, whose name the new process would show */
	len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	if (len < 0 || rewind_input() < 0 ||
	    asprintf(word, "--" SLURMS "%s", *word + 2 + strlen(name)) < 0)
		return -1;
	program[len] = '\0';
	dist_option_end();
	return execv(program, words);
}

/* What a user gets who has written --dist=ddp for --dist-train=ddp: no
 * distribution of Slurm's has such a name. */
static bool is_ours(const char *value)
{
	char name[32];
	struct err unknown;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(value, ","), value);
	return framework_find(name, &unknown) != NULL;
}

static int refuse_ours(const char *name, const char *value)
{
	char shown[SHOW_SIZE];

	show(shown, value);
	log_line("--%s=%s is short for --" SLURMS "=%s; did you mean "
		 "--%s=%s?",
		 name, shown, shown, own_option, shown);
	return -1;
}

/* Slurm calls this for each `--dist` in a script or in the command line. */
static int take(int length, const char *text, int remote)
{
	const char *value = text ? text : "";
	char name[sizeof(SLURMS)], shown[SHOW_SIZE];
	int rc;

	(void)remote;
	snprintf(name, sizeof(name), "%.*s", length, SLURMS);
	if (is_ours(value))
		return refuse_ours(name, value);
	rc = start_again(name, value);
	if (rc == 0 && is_sbatch()) {
		/* the user's own variable is stronger than a script */
		if (!handed_on && getenv(SLURMS_ENV))
			return 0;
		handed_on = true;
		return setenv(SLURMS_ENV, value, 1);
	}
	log_line("--%s=%s: %s; write --%s", name, show(shown, value),
		 rc == 0	   ? "this abbreviation doesn't work here"
		 : errno == ESPIPE ? "the script is a pipe and can't be read "
				     "again"
				   : strerror(errno),
		 SLURMS);
	return -1;
}

static void register_one(spank_t sp, int length)
{
	char outer[sizeof(OUTER_ENV SLURMS)];
	char name[sizeof(SLURMS)], arginfo[] = "TYPE";
	char usage[] = "Slurm's --" SLURMS ", abbreviated";
	struct spank_option option = {
		.name = name,
		.arginfo = arginfo,
		.usage = usage,
		.has_arg = 1,
		.val = length,
		.cb = take,
	};

	snprintf(name, sizeof(name), "%.*s", length, SLURMS);
	snprintf(outer, sizeof(outer), OUTER_ENV "%s", name);
	unsetenv(outer);
	spank_option_register(sp, &option);
}

void dist_option_register(spank_t sp, const char *option)
{
	int common = 0;

	own_option = option;
	while (option[common] && option[common] == SLURMS[common])
		common++;
	if (common < SHORTEST)
		return;
	if (is_sbatch()) {
		input.at = lseek(STDIN_FILENO, 0, SEEK_CUR);
		input.is_empty = input.at < 0 && input_is_empty();
	}
	for (int length = SHORTEST; length <= common; length++)
		if (option[length] && SLURMS[length])
			register_one(sp, length);
}

void dist_option_end(void)
{
	if (handed_on)
		unsetenv(SLURMS_ENV);
	handed_on = false;
}
