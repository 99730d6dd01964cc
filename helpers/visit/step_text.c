/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/step_find.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define ID_DIGITS "0123456789"
#define USER	  " UserId="
#define GROUP	  " GroupId="

/* --- names --- */

static bool is_job(const char *job)
{
	size_t n = strspn(job, ID_DIGITS);

	if (!n)
		return false;
	if (!job[n])
		return true;
	return (job[n] == '_' || job[n] == '+') &&
	       isdigit((unsigned char)job[n + 1]) &&
	       !job[n + 1 + strspn(job + n + 1, ID_DIGITS)];
}

static bool is_slurms_own(const char *step)
{
	return !strcmp(step, "batch") || !strcmp(step, "extern") ||
	       !strcmp(step, "interactive") || !strcmp(step, "TBD");
}

int step_name_read(const char *text, struct step_name *ret, struct err *err)
{
	const char *dot = strchr(text, '.');
	size_t n = dot ? (size_t)(dot - text) : strlen(text);
	struct step_name name = {.step = -1};
	char shown[SHOW_SIZE];

	if (n < sizeof(name.job))
		memcpy(name.job, text, n);
	if (is_job(name.job) && dot && is_slurms_own(dot + 1))
		return err_printf(err,
				  "%s is Slurm's own step, in which nothing of "
				  "ours runs: name one that srun has started "
				  "(%s.0), as squeue --steps shows it",
				  text, name.job);
	if (!is_job(name.job) ||
	    (dot && parse_number(dot + 1, 0, INT_MAX, &name.step) < 0))
		return err_printf(err,
				  "%s is no step: JOB or JOB.STEP, as squeue "
				  "--steps shows it (12, 12.0, 12_3.0, 12+1.0)",
				  show(shown, text));
	*ret = name;
	return 0;
}

/* --- lines --- */

const char *text_next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + !!*line;
}

/* " KEY=VALUE " of a line. Returns VALUE, or NULL. */
static const char *find_value(const char *line, const char *key, size_t *ret_n)
{
	size_t n = strlen(key), length = strcspn(line, "\n");
	const char *end = line + length;

	for (const char *at = line; at < end; at++) {
		at = memmem(at, (size_t)(end - at), key, n);
		if (!at)
			return NULL;
		if ((at == line || at[-1] == ' ') && at[n] == '=') {
			*ret_n = strcspn(at + n + 1, " \n");
			return at + n + 1;
		}
	}
	return NULL;
}

bool text_value(const char *line, const char *key, char *ret, size_t size)
{
	size_t n;
	const char *value = find_value(line, key, &n);

	snprintf(ret, size, "%.*s", value && n < size ? (int)n : 0,
		 value ? value : "");
	return value;
}

static int number_of(const char *line, const char *key, long max, long *ret)
{
	char word[32];

	return text_value(line, key, word, sizeof(word))
		       ? parse_number(word, 0, max, ret)
		       : -1;
}

/* "alice(1001) ": names may have blanks and brackets. Returns what follows, or
 * NULL. */
static const char *read_id(const char *text, long *ret)
{
	const char *end = text + strcspn(text, "\n");
	char number[16];

	while ((text = memchr(text, '(', (size_t)(end - text)))) {
		size_t n = strspn(++text, ID_DIGITS);

		if (n && n < sizeof(number) && text[n] == ')' &&
		    (text[n + 1] == ' ' || text + n + 1 == end)) {
			snprintf(number, sizeof(number), "%.*s", (int)n, text);
			return parse_number(number, 0, UINT_MAX - 1, ret) == 0
				       ? text + n + 1
				       : NULL;
		}
	}
	return NULL;
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

/* --- jobs --- */

/* What stands in front of the job's name. */
static bool early_number(const char *line, const char *key, long *ret)
{
	const char *name = strstr(line, " JobName=");
	size_t n;
	const char *value = find_value(line, key, &n);

	return value && name && value < name &&
	       number_of(line, key, LONG_MAX, ret) == 0;
}

static int more_than_one(const char *text, const char *job, struct err *err)
{
	long number;

	if (early_number(text, "HetJobOffset", &number) && !strchr(job, '+'))
		return 1;
	if (early_number(text, "ArrayJobId", &number) && !strchr(job, '_'))
		return err_printf(err,
				  "job %s is an array: name one of its tasks, "
				  "as squeue shows it (%s_0)",
				  job, job);
	return err_printf(err,
			  "job %s can't be told from its text: its name or its "
			  "comment holds ' UserId='",
			  job);
}

/* Whose job it is. The group is the one beside the user: root takes it on, and
 * a name or a comment may hold another. Returns what follows, or NULL. */
static const char *read_owner(const char *text, struct job_text *ret)
{
	const char *at = strstr(text, USER);
	long uid, gid = 0;

	at = at ? read_id(at + strlen(USER), &uid) : NULL;
	if (!at || strncmp(at, GROUP, strlen(GROUP)) != 0)
		return NULL;
	at = read_id(at + strlen(GROUP), &gid);
	ret->uid = (uid_t)uid;
	ret->gid = (gid_t)gid;
	return at;
}

static void name_steps(const char *text, struct job_text *ret)
{
	long base, index;

	snprintf(ret->plain, sizeof(ret->plain), "%lu.", ret->id);
	if (early_number(text, "ArrayJobId", &base) &&
	    early_number(text, "ArrayTaskId", &index))
		snprintf(ret->shown, sizeof(ret->shown), "%ld_%ld.", base,
			 index);
	else if (early_number(text, "HetJobId", &base) &&
		 early_number(text, "HetJobOffset", &index)) {
		snprintf(ret->shown, sizeof(ret->shown), "%ld+%ld.", base,
			 index);
		ret->leader = (unsigned long)base;
	}
}

int job_text_read(const char *text, const char *job, struct job_text *ret,
		  struct err *err)
{
	const char *rest;
	long id, restart = 0;

	*ret = (struct job_text){.id = 0};
	if (!*text)
		return err_printf(
			err, "Slurm knows no job %s: it doesn't answer", job);
	if (!count(text, USER))
		return err_printf(err, "Slurm knows no job %s: %.*s", job,
				  (int)strcspn(text, "\n"), text);
	if (count(text, USER) > 1)
		return more_than_one(text, job, err);
	rest = read_owner(text, ret);
	if (!rest || !early_number(text, "JobId", &id))
		return err_printf(err, "Slurm's text of job %s can't be read",
				  job);
	number_of(rest, "Restarts", UINT_MAX, &restart);
	ret->id = ret->leader = (unsigned long)id;
	ret->restart = (unsigned)restart;
	text_value(rest, "JobState", ret->state, sizeof(ret->state));
	plain_text(ret->state, "");
	name_steps(text, ret);
	return 0;
}

/* --- steps --- */

/* The number of the line's step; -1: it is one of Slurm's own, or another
 * job's, which an array's text has, too, or not the first component of a
 * heterogeneous step in an ordinary job (5.0+1). */
static long step_of(const char *line, const struct job_text *job)
{
	char id[STEP_NAME_SIZE];
	const char *number = NULL;
	size_t len;
	long step;

	text_value(line, "StepId", id, sizeof(id));
	len = strlen(id);
	if (len > 2 && !strcmp(id + len - 2, "+0"))
		id[len - 2] = '\0';
	if (!strncmp(id, job->plain, strlen(job->plain)))
		number = id + strlen(job->plain);
	else if (*job->shown && !strncmp(id, job->shown, strlen(job->shown)))
		number = id + strlen(job->shown);
	return number && parse_number(number, 0, INT_MAX, &step) == 0 ? step
								      : -1;
}

/* All but srun's stand in front of the step's name. */
static void take_step(const char *line, long step, struct step_text *ret)
{
	long uid;

	if (number_of(line, "UserId", UINT_MAX - 1, &uid) < 0)
		return;
	ret->nodes = find_value(line, "NodeList", &ret->nodes_len);
	text_value(line, "SrunHost:Pid", ret->srun, sizeof(ret->srun));
	ret->uid = (uid_t)uid;
	ret->step = ret->nodes ? step : -1;
}

/* Since 26.05 each component's line has the same name. */
void step_text_read(const char *text, const struct job_text *job, long wanted,
		    struct step_text *ret)
{
	long before = -1;

	*ret = (struct step_text){.step = -1};
	for (const char *line = text; *line; line = text_next_line(line)) {
		long step = strncmp(line, "StepId=", 7) == 0
				    ? step_of(line, job)
				    : -1;

		if (step < 0 || step == before)
			continue;
		before = step;
		ret->nrunning++;
		if (wanted < 0 ? step > ret->step : step == wanted)
			take_step(line, step, ret);
	}
}
