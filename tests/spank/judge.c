/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "paths.h"

#include "core/base/sanitizers.h"
#include "host.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARKER	 "dist-train:plugin-missing-on-this-node"
#define TEXT_MAX (1 << 20)

struct trial {
	const struct scenario *scenario;
	struct range section;
	const struct result *result;
	bool failed;
};

__attribute__((format(printf, 2, 3))) static void complain(struct trial *t,
							   const char *fmt, ...)
{
	const struct line *l = &t->section.line[t->section.from];
	va_list ap;

	printf("%s:%u: %s %s: ", t->scenario->file, l->number, l->word,
	       l->text);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	t->failed = true;
}

static const char *value_of(const struct words *env, const char *name,
			    size_t len)
{
	for (unsigned i = 0; i < env->n; i++)
		if (!strncmp(env->word[i], name, len) &&
		    env->word[i][len] == '=')
			return env->word[i] + len + 1;
	return NULL;
}

static void judge_status(struct trial *t, int status)
{
	const char *text = range_get(t->section, "exit");
	const char *later = range_get(t->section, "later");
	int expected = text ? atoi(text) : 0;
	bool quits = expected || range_get(t->section, "quits");
	bool remote = !strcmp(t->section.line[t->section.from].word, "task");

	if (remote && status)
		complain(t, "slurmstepd ends with status 0x%x", status);
	if (remote)
		status = t->result->task_status;
	expected = later ? atoi(later) : expected;
	if (!WIFEXITED(status))
		complain(t, "signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) != expected)
		complain(t, "exit %d, not %d", WEXITSTATUS(status), expected);
	if (t->result->finished == quits)
		complain(t, quits ? "goes on" : "doesn't reach its end");
}

/* A line, or with ~ in front a part of one. */
static bool matches(const char *expected, const char *line)
{
	return *expected == '~' ? strstr(line, expected + 1) != NULL
				: !strcmp(expected, line);
}

/* Lines of one stream against the section's, in order. `~` alone as the last
 * one takes the rest. */
static void judge_lines(struct trial *t, const char *word, int fd)
{
	char *text = calloc(1, TEXT_MAX), *save = NULL;
	const char *expected;
	unsigned at = 0;
	char *line;

	if (pread(fd, text, TEXT_MAX - 1, 0) < 0)
		complain(t, "nothing to read");
	line = strtok_r(text, "\n", &save);
	while ((expected = range_next(t->section, word, &at))) {
		if (!strcmp(expected, "~")) {
			line = NULL;
			break;
		}
		if (!line || !matches(expected, line))
			complain(t, "%s is\n\t%s\nnot\n\t%s", word,
				 line ? line : "(nothing)", expected);
		line = line ? strtok_r(NULL, "\n", &save) : NULL;
	}
	for (; line; line = strtok_r(NULL, "\n", &save))
		complain(t, "%s has also\n\t%s", word, line);
	free(text);
}

static void judge_variables(struct trial *t)
{
	const struct words *env = &t->result->after;
	const char *text, *value;

	for (unsigned at = 0; (text = range_next(t->section, "has", &at));) {
		size_t len = strcspn(text, "=");

		value = value_of(env, text, len);
		if (!value || strcmp(value, text + len + 1) != 0)
			complain(t, "%.*s is %.300s, not %.300s", (int)len,
				 text, value ? value : "not set",
				 text + len + 1);
	}
	for (unsigned at = 0; (text = range_next(t->section, "lacks", &at));) {
		value = value_of(env, text, strlen(text));
		if (value)
			complain(t, "%s is set to %s", text, value);
	}
	for (unsigned at = 0; (text = range_next(t->section, "marked", &at));) {
		value = value_of(env, text, strlen(text));
		if (!value || strcmp(value, MARKER) != 0)
			complain(t, "%s is %s, not marked", text,
				 value ? value : "not set");
	}
}

static bool is_named(struct trial *t, const char *pair)
{
	size_t len = strcspn(pair, "=");
	static const char *const words[] = {"has", "lacks", "marked",
					    "taskenv"};
	const char *text;

	if (!strncmp(pair, "SLURM_PROCID=", len + 1) ||
	    !strncmp(pair, "SLURM_LOCALID=", len + 1) ||
	    !strncmp(pair, "SLURM_NODEID=", len + 1) ||
	    !strncmp(pair, "SLURM_DIST_TRAIN_RELEASE=", len + 1))
		return true;
	for (int i = 0; i < 4; i++)
		for (unsigned at = 0;
		     (text = range_next(t->section, words[i], &at));)
			if (strcspn(text, "=") == len &&
			    !strncmp(text, pair, len))
				return true;
	return false;
}

/* `exact`: nothing else is new, other or gone. */
static void judge_others(struct trial *t)
{
	const struct words *before = &t->result->before;
	const struct words *after = &t->result->after;

	for (unsigned i = 0; i < after->n; i++) {
		const char *pair = after->word[i], *was;
		size_t len = strcspn(pair, "=");

		was = value_of(before, pair, len);
		if ((!was || strcmp(was, pair + len + 1) != 0) &&
		    !is_named(t, pair))
			complain(t, "%s is new or changed", pair);
	}
	for (unsigned i = 0; i < before->n; i++) {
		const char *pair = before->word[i];

		if (!value_of(after, pair, strcspn(pair, "=")) &&
		    !is_named(t, pair))
			complain(t, "%s is gone", pair);
	}
}

static char *join(const struct words *w, unsigned from)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (unsigned i = from; i < w->n; i++)
		fprintf(f, "%s%s", i > from ? " " : "", w->word[i]);
	fclose(f);
	return text;
}

/* `wrap WORDS`: the launcher stands before the program, in the one or the
 * other form (SLURM_DIST_TRAIN_ARGV0 before Slurm 23.11); with `enters` it is
 * a descriptor. */
static void judge_argv(struct trial *t)
{
	const struct words *argv = &t->result->argv;
	const char *plain = range_get(t->section, "argv");
	const char *wrapped = range_get(t->section, "wrap");
	const char *name = value_of(&t->result->after, "SLURM_DIST_TRAIN_ARGV0",
				    strlen("SLURM_DIST_TRAIN_ARGV0"));
	char *all = join(argv, 0), *expected = NULL;
	const char *launcher = PKGLIBEXECDIR "/dist-train-launch";
	char word[64];
	int fd;

	if (range_get(t->section, "enters") &&
	    sscanf(all, "/proc/self/fd/%d", &fd) == 1) {
		snprintf(word, sizeof(word), "/proc/self/fd/%d", fd);
		launcher = word;
	}

	if (wrapped && name) {
		size_t len = strcspn(wrapped, " ");

		if (strlen(name) != len || strncmp(name, wrapped, len) != 0)
			complain(t, "the program's name is %s", name);
		if (asprintf(&expected, "%s%s", launcher, wrapped + len) < 0)
			abort();
	} else if (wrapped) {
		if (asprintf(&expected, "%s -- %s", launcher, wrapped) < 0)
			abort();
	}
	if (wrapped || plain) {
		const char *want = wrapped ? expected : plain;

		if (strcmp(all, want) != 0)
			complain(t, "argv is %s, not %s", all, want);
	}
	free(expected);
	free(all);
}

/* "N/M": M where ranks may follow the network's topology, so that srun has to
 * ask for the layout. */
static unsigned rpcs_wanted(const char *text)
{
	unsigned n = 0, other = 0;

	if (text && sscanf(text, "%u/%u", &n, &other) < 2)
		other = n;
#if HAVE_SLURM_STEP_ID_T_SLUID
	return other;
#else
	return n;
#endif
}

/* Where the scenario says how often. */
static void judge_count(struct trial *t, const char *word, unsigned found)
{
	const char *text = range_get(t->section, word);

	if (text && strtoul(text, NULL, 10) != found)
		complain(t, "%s: %u, not %s", word, found, text);
}

static void judge_slurm(struct trial *t)
{
	const char *option = range_get(t->section, "registers");
	const char *requeued = range_get(t->section, "requeues");
	unsigned expected = rpcs_wanted(range_get(t->section, "rpcs"));

	judge_count(t, "setenvs", t->result->nsetenvs);
#if !UNDER_SANITIZERS
	judge_count(t, "maps", t->result->nmapped);
#endif
	if (t->result->nrpcs != expected)
		complain(t, "%u RPCs, not %u", t->result->nrpcs, expected);
	if (t->result->requeued != (requeued ? strtoul(requeued, NULL, 10) : 0))
		complain(t, "job %u is requeued", t->result->requeued);
	if (option && strcmp(option, t->result->option) != 0)
		complain(t, "the option is '%s', not '%s'", t->result->option,
			 option);
	option = range_get(t->section, "abbreviates");
	if (option && strcmp(option, t->result->abbreviations) != 0)
		complain(t, "the abbreviations are '%s', not '%s'",
			 t->result->abbreviations, option);
	if (t->result->killed_on_bad_exit != !!range_get(t->section, "kill"))
		complain(t, "kill_on_bad_exit is %d",
			 t->result->killed_on_bad_exit);
}

/* What the task inherits of hccn.conf; nothing unless the section says so. */
static void judge_handed(struct trial *t)
{
	const char *text = range_get(t->section, "handed");

	if (strcmp(t->result->handed, text ? text : "") != 0)
		complain(t, "inherits '%s' of hccn.conf, not '%s'",
			 t->result->handed, text ? text : "");
}

/* For another program to judge: tests/spank/launchers.c. */
static void keep(const char *file, const struct result *r, int err)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char *text = calloc(1, TEXT_MAX);

	if (fd < 0 || !text)
		abort();
	for (unsigned i = 0; r->finished && i < r->after.n; i++)
		dprintf(fd, "%s%c", r->after.word[i], '\0');
	if (!r->finished && pread(err, text, TEXT_MAX - 1, 0) > 0)
		dprintf(fd, "%s", text);
	close(fd);
	free(text);
}

bool judge(const struct scenario *s, struct range section,
	   const struct result *r, int status, int out, int err)
{
	struct trial t = {.scenario = s, .section = section, .result = r};
	const char *kept = range_get(section, "keeps");

	if (kept) {
		keep(kept, r, err);
		return true;
	}
	judge_status(&t, status);
	judge_lines(&t, "err", err);
	judge_lines(&t, "out", out);
	judge_variables(&t);
	if (range_get(section, "exact"))
		judge_others(&t);
	judge_argv(&t);
	judge_handed(&t);
	judge_slurm(&t);
	return !t.failed;
}
