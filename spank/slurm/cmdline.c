/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "core/base/parse.h"
#include "spank/slurm/cmdline.h"
#include "spank/slurm/step_job.h"
#include "sys/log.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT	    "--export"
#define COMMAND_MAX (6U << 20) /* bytes: the kernel takes no more */

char **srun_words;

#ifdef __GLIBC__
/* glibc tells a library's constructors what main() is told. */
__attribute__((constructor)) static void remember(int argc, char **argv)
{
	srun_words = argc > 0 ? argv : NULL;
}
#endif

bool cmdline_may_have(const char *option)
{
	if (!srun_words)
		return true;
	for (char **w = srun_words; *w; w++)
		if (!strncmp(*w, "--", 2) && (*w)[2] == option[0])
			return true;
	return false;
}

bool cmdline_is_interactive(void)
{
	for (char **w = srun_words; w && *w && w[1] && *w[1] == '-'; w++)
		if (!strcmp(w[1], "--interactive"))
			return true;
	return false;
}

bool cmdline_is_async(void)
{
	for (int i = 1; srun_words && i < optind && srun_words[i]; i++) {
		size_t len = strlen(srun_words[i]);

		/* No other of srun's options begins with --as */
		if (len >= sizeof("--as") - 1 && len < sizeof("--async") &&
		    !strncmp(srun_words[i], "--async", len))
			return true;
	}
	return false;
}

const char *cmdline_only(const char *option)
{
	char *const *w = srun_words ? srun_words + 1 : NULL;
	size_t len = strlen(option);

	if (!w || !w[0] || strncmp(w[0], "--", 2) != 0 ||
	    strncmp(w[0] + 2, option, len) != 0)
		return NULL;
	if (w[0][2 + len] == '=' && !w[1])
		return w[0] + 2 + len + 1;
	return !w[0][2 + len] && w[1] && !w[2] ? w[1] : NULL;
}

void cmdline_say_stray(const char *option)
{
	static bool said;
	size_t len = strlen(option);
	char shown[SHOW_SIZE];

	for (char **w = srun_words ? srun_words + 1 : NULL; w && *w; w++) {
		if (said ||
		    is_listed("srun sbatch salloc dist-train", base_name(*w)))
			return;
		if (strncmp(*w, "--", 2) != 0 ||
		    strncmp(*w + 2, option, len) != 0 ||
		    ((*w)[2 + len] && (*w)[2 + len] != '='))
			continue;
		said = true;
		log_line("%s stands behind the program, so it isn't srun's; "
			 "write it before the program",
			 show(shown, *w));
	}
}

/* A text of words, each with its NUL; NULL: out of memory. */
static char **split(char *text, size_t size)
{
	char **all;
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		n += !text[i];
	all = calloc(n + 2, sizeof(*all)); /* the last may be cut */
	n = 0;
	for (size_t i = 0; all && i < size; i += strlen(text + i) + 1)
		all[n++] = text + i;
	return all;
}

static char **read_words(void)
{
	FILE *f = fopen("/proc/self/cmdline", "re");
	char *text = f ? calloc(1, COMMAND_MAX + 1) : NULL;
	size_t n = text ? fread(text, 1, COMMAND_MAX, f) : 0;
	char *kept = n ? realloc(text, n + 1) : NULL;
	char **all = kept ? split(kept, n) : NULL;

	if (f)
		fclose(f);
	if (!all)
		free(kept ? kept : text);
	return all;
}

static char **words; /* NULL: not read so far */

char **cmdline_words(void)
{
	static char *nothing[] = {NULL};

	if (!words)
		words = read_words();
	return words ? words : nothing;
}

/* The text begins with the first word. */
__attribute__((destructor)) static void forget(void)
{
	if (words)
		free(*words);
	free(words);
}

bool cmdline_has(const char *text)
{
	for (char **w = cmdline_words(); *w; w++)
		if (!strncmp(*w, text, strlen(text)))
			return true;
	return false;
}

const char *cmdline_export(void)
{
	const char *list = getenv("SLURM_EXPORT_ENV");

	for (char **w = cmdline_words(); *w; w++)
		if (!strncmp(*w, EXPORT "=", sizeof(EXPORT)))
			list = *w + sizeof(EXPORT);
		else if (!strcmp(*w, EXPORT) && w[1])
			list = *++w;
	return list ? list : "";
}

bool cmdline_has_task_prolog(void)
{
	const char *program = getenv("SLURM_TASK_PROLOG");

	return (program && *program) || cmdline_has("--task-p");
}

int cmdline_check_multi_prog(struct err *err)
{
	if (HAVE_DECL_SPANK_PREPEND_TASK_ARGV || !cmdline_has("--multi"))
		return 0;
	return err_printf(err, "the launcher doesn't work with --multi-prog "
			       "before Slurm 23.11; use procs=task and "
			       "supervise=no, which need no launcher");
}

/* What a client reads; without this prefix, what a client sets and a node reads
 * and unsets: salloc's shell inherits that one, too. */
#define FOR_CLIENTS "SLURM_SPANK_"
#define FOR_NODES   "_SLURM_SPANK_OPTION_dist_train_"

struct names {
	char client[sizeof(FOR_CLIENTS FOR_NODES) +
		    sizeof(((struct config *)0)->option)];
	const char *node;
};

static void name(const struct config *config, struct names *ret)
{
	snprintf(ret->client, sizeof(ret->client), FOR_CLIENTS FOR_NODES "%s",
		 config->option);
	for (char *p = ret->client + strlen(FOR_CLIENTS FOR_NODES); *p; p++)
		if (strchr("-.", *p))
			*p = '_';
	ret->node = ret->client + strlen(FOR_CLIENTS);
}

const char *job_option_text(const struct config *config)
{
	struct names names;

	name(config, &names);
	return getenv(names.client);
}

static bool is_in_job(void)
{
	return getenv("SLURM_JOB_ID") || getenv("SLURM_JOBID");
}

void job_option_forget(const struct config *config)
{
	struct names names;

	if (!is_in_job())
		return;
	name(config, &names);
	unsetenv(names.client);
	unsetenv(names.node);
}

static void hide(spank_t sp, const char *variable)
{
	if (job_hasenv(sp, variable))
		spank_unsetenv(sp, variable);
}

void job_option_hide(spank_t sp, const struct config *config)
{
	struct names names;

	name(config, &names);
	hide(sp, names.client);
	hide(sp, names.node);
}
