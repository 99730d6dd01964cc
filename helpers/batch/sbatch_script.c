/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/batch/sbatch_script.h"

#include "core/base/parse.h"
#include "core/command/wrapped_command.h"
#include "sys/text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_MAX (1 << 20) /* bytes; Slurm's own limit is 4 MiB */
#define WORDS_MAX  1024	     /* of one command */

static int read_text(const char *path, struct script *s, struct err *err)
{
	bool input = !strcmp(path, "-");
	FILE *f = input ? stdin : fopen(path, "re");
	size_t n;

	if (!f)
		return err_printf(err, "can't read %s: %s", path,
				  strerror(errno));
	s->text = malloc(SCRIPT_MAX + 1);
	n = s->text ? fread(s->text, 1, SCRIPT_MAX + 1, f) : 0;
	if (!input)
		fclose(f);
	if (!s->text)
		return err_memory(err);
	if (n > SCRIPT_MAX)
		return err_printf(err, "%s: longer than %d bytes", path,
				  SCRIPT_MAX);
	s->text[n] = '\0';
	s->words = malloc(2 * n + 2);
	if (strlen(s->text) != n || !n)
		return err_printf(err, "%s: no script", path);
	return s->words ? 0 : err_memory(err);
}

static char **copy_words(char *const word[], size_t n)
{
	char **copy = calloc(n + 1, sizeof(*copy));

	for (size_t i = 0; copy && i < n; i++)
		copy[i] = word[i];
	return copy;
}

/* The options of one component of the job, or of the job. sbatch reads each
 * component's for itself. */
static int end_part(const char *option, char **words, size_t n, FILE *notes,
		    struct script *s, struct err *err)
{
	struct srun_line one = {.request = NULL};
	struct part *part = &s->job.part[s->job.nparts];

	if (s->job.nparts == PARTS_MAX)
		return err_printf(err, "more than %d components", PARTS_MAX);
	if (sbatch_options_read((int)n, words, option, notes, &one, err) < 0)
		return -1;
	*part = (struct part){.group = s->job.nparts++, .ask = one.ask};
	if (one.request)
		s->job.request = one.request;
	return 0;
}

/* The words of all #SBATCH lines, component by component; they end, as for
 * Slurm, with the first command. */
static int read_job(const char *option, char **room, FILE *notes,
		    struct script *s, struct err *err)
{
	size_t first = 0, n = 1, more;

	s->job_argv = calloc(WORDS_MAX + 1, sizeof(*s->job_argv));
	if (!s->job_argv)
		return err_memory(err);
	s->job_argv[0] = s->text;
	for (const char *line = s->text; *line; line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		if (!strncmp(line, "#SBATCH", 7) && n < WORDS_MAX) {
			shell_words(line + 7, room, s->job_argv + n,
				    WORDS_MAX - n, &more);
			if (more == 1 && !strcmp(s->job_argv[n], "hetjob")) {
				if (end_part(option, s->job_argv + first,
					     n - first, notes, s, err) < 0)
					return -1;
				first = n;
			}
			n += more;
		} else if (*line != '#' && strspn(line, " \t\r") < len) {
			break;
		}
		line += len;
	}
	if (end_part(option, s->job_argv + first, n - first, notes, s, err) < 0)
		return -1;
	s->job.ask = s->job.part[0].ask;
	return 0;
}

/* Where srun's words begin: behind assignments and the shell's own words. n:
 * it isn't srun. */
static size_t find_srun(char *const word[], size_t n)
{
	static const char before[] =
		"time exec ! if then else elif do while until { command nohup";
	size_t i = 0;

	while (i < n && (strchr(word[i], '=') || is_listed(before, word[i])))
		i++;
	if (i < n && !strcmp(word[i], "srun"))
		return i;
	return i < n && strlen(word[i]) > 5 &&
			       !strcmp(word[i] + strlen(word[i]) - 5, "/srun")
		       ? i
		       : n;
}

/* A variable's value is the shell's: the job's own option holds then. */
static void drop_variables(struct step_ask *ask, const struct step_ask *job,
			   const struct script_step *step, FILE *notes)
{
	for (int i = 0; i < ASK_COUNT; i++) {
		if (!ask->value[i] || !strchr(ask->value[i], '$'))
			continue;
		fprintf(notes,
			"line %u: --%s=%s: a variable of the shell, skipped\n",
			step->line, ask_names[i], ask->value[i]);
		ask->value[i] = job->value[i];
	}
}

/* A component of the step is one of the job's. */
static void take_job(struct part *part, const struct script_step *step,
		     const struct script *s, FILE *notes)
{
	unsigned group = part->group < s->job.nparts ? part->group : 0;

	if (!part->request)
		part->request = s->job.request;
	drop_variables(&part->ask, &s->job.part[group].ask, step, notes);
}

/* As the plugin does for a step that only inherits the option. */
static bool is_left_alone(const struct script_step *step)
{
	char room[COMMAND_ROOM];
	struct step_command c;
	int argc = 0;

	if (!step->inherits || !step->srun.command)
		return false;
	while (step->srun.command[argc])
		argc++;
	wrapped_command_read(argc, step->srun.command, text_file_read, room,
			     &c);
	return c.kind == COMMAND_MPI_DAEMON || c.kind == COMMAND_UTILITY;
}

static int add_step(char *const word[], size_t n, unsigned line,
		    const char *option, FILE *notes, struct script *s,
		    struct err *err)
{
	struct script_step *step = &s->step[s->nsteps];
	char where[32];

	if (s->nsteps == SCRIPT_STEPS_MAX)
		return err_printf(err, "more than %d steps", SCRIPT_STEPS_MAX);
	*step = (struct script_step){.line = line, .srun.ask = s->job.ask};
	step->argv = copy_words(word, n);
	if (!step->argv)
		return err_memory(err);
	s->nsteps++;
	snprintf(where, sizeof(where), "line %u: ", line);
	if (srun_line_read((int)n, step->argv, option, where, notes,
			   s->job.part, s->job.nparts > 1 ? s->job.nparts : 0,
			   &step->srun, err) < 0)
		return -1;
	step->inherits = !step->srun.request;
	if (step->inherits)
		step->srun.request = s->job.request;
	for (unsigned i = 0; i < step->srun.nparts; i++)
		take_job(&step->srun.part[i], step, s, notes);
	drop_variables(&step->srun.ask, &s->job.ask, step, notes);
	if (step->srun.request && strcmp(step->srun.request, "none") != 0 &&
	    !is_left_alone(step))
		return 0;
	fprintf(notes, "line %u: %s, so it runs without --%s\n", line,
		is_left_alone(step) ? "its command can't be training"
				    : "no option, or none",
		option);
	free(step->argv);
	s->nsteps--;
	return 0;
}

static unsigned count_lines(const char *from, const char *to)
{
	unsigned n = 0;

	for (; from < to; from++)
		n += *from == '\n';
	return n;
}

static int read_steps(const char *option, char **room, FILE *notes,
		      struct script *s, struct err *err)
{
	const char *text = s->text;
	char *word[WORDS_MAX + 1];
	unsigned line = 1;

	while (*text) {
		size_t n, at;
		const char *rest = shell_words(text, room, word, WORDS_MAX, &n);

		at = find_srun(word, n);
		line += count_lines(text, text + strspn(text, " \t\n"));
		if (at < n && add_step(word + at, n - at, line, option, notes,
				       s, err) < 0)
			return -1;
		line += count_lines(text + strspn(text, " \t\n"), rest);
		text = rest;
	}
	return 0;
}

/* sbatch's own options win over the script's, component by component. */
static void overrule(const struct srun_line *given, struct srun_line *job)
{
	unsigned n = given->nparts ? given->nparts : 1;

	for (unsigned i = 0; i < n; i++) {
		if (i == job->nparts)
			job->part[job->nparts++] = (struct part){.group = i};
		overlay_ask(given->nparts ? &given->part[i].ask : &given->ask,
			    &job->part[i].ask);
	}
	job->ask = job->part[0].ask;
}

int script_read(int argc, char *argv[], const char *option, FILE *notes,
		struct script *ret, struct err *err)
{
	struct srun_line given = {.request = NULL};
	char *const *file;
	char *room;

	*ret = (struct script){.text = NULL};
	if (srun_line_read(argc, argv, option, "", notes, NULL, 0, &given,
			   err) < 0)
		return -1;
	file = given.command;
	if (!file)
		return err_printf(err, "which script? write explain sbatch "
				       "FILE");
	if (read_text(*file, ret, err) < 0)
		return -1;
	room = ret->words;
	if (read_job(option, &room, notes, ret, err) < 0)
		return -1;
	overrule(&given, &ret->job);
	if (given.request)
		ret->job.request = given.request;
	ret->job.command = NULL;
	if (read_steps(option, &room, notes, ret, err) < 0)
		return -1;
	return ret->nsteps ? 0
			   : err_printf(err,
					"%s: no srun line has --%s, and no "
					"#SBATCH line",
					*file, option);
}

void script_clear(struct script *script)
{
	for (unsigned i = 0; i < script->nsteps; i++)
		free(script->step[i].argv);
	free(script->job_argv);
	free(script->words);
	free(script->text);
}
