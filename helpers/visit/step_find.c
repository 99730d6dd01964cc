/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/step_find.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "sys/child.h"
#include "sys/subprocess.h"

#include <ctype.h>
#include <grp.h>
#include <limits.h>
#include <netdb.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASK_MS	    20000
#define OUTPUT_SIZE (4U << 20)
#define WORD_SIZE   4096
#define NO_STEP	    ((unsigned long)-1)

/* `scontrol -o show WHAT NAME`: one line for each. Returns it for the caller to
 * free, or NULL. */
static char *ask(const char *what, const char *name, struct err *err)
{
	char file[PATH_MAX];
	const char *const argv[] = {file, "-o", "show", what, name, NULL};
	char *text = malloc(OUTPUT_SIZE);

	if (!text) {
		err_memory(err);
		return NULL;
	}
	if (child_find("scontrol", child_path(), file, sizeof(file)) < 0)
		err_printf(err, "no program scontrol in PATH: this must run "
				"where Slurm's commands are");
	else if (subprocess_ask_program(argv, ASK_MS, text, OUTPUT_SIZE, err) ==
		 0)
		return text;
	free(text);
	return NULL;
}

/* " KEY=VALUE " of a line that scontrol prints. Returns whether it is there. */
static bool value_of(const char *line, const char *key, char ret[WORD_SIZE])
{
	size_t n = strlen(key);

	for (const char *at = line; (at = strstr(at, key)); at += n)
		if ((at == line || at[-1] == ' ') && at[n] == '=') {
			at += n + 1;
			snprintf(ret, WORD_SIZE, "%.*s",
				 (int)strcspn(at, " \n"), at);
			return true;
		}
	*ret = '\0';
	return false;
}

static int number_of(const char *line, const char *key, long max, long *ret)
{
	char word[WORD_SIZE];

	return value_of(line, key, word) ? parse_number(word, 0, max, ret) : -1;
}

/* "alice(1001)" */
static int read_user(const char *line, const char *key, long *ret)
{
	char word[WORD_SIZE], *number;

	if (!value_of(line, key, word) || !(number = strrchr(word, '(')))
		return -1;
	number[strcspn(number, ")")] = '\0';
	return parse_number(number + 1, 0, UINT_MAX - 1, ret);
}

static int no_answer(const char *what, const char *answer, struct err *err)
{
	return err_printf(err, "Slurm knows no %.100s: %.*s", what,
			  (int)strcspn(answer, "\n"),
			  *answer ? answer : "it doesn't answer");
}

static int read_job(const char *job, struct found_step *ret, struct err *err)
{
	cleanup_free char *text = ask("job", job, err);
	long id, restart = 0, uid, gid;

	if (!text)
		return -1;
	if (number_of(text, "JobId", LONG_MAX, &id) < 0 ||
	    read_user(text, "UserId", &uid) < 0 ||
	    read_user(text, "GroupId", &gid) < 0)
		return no_answer("such job", text, err);
	number_of(text, "Restarts", UINT_MAX, &restart);
	ret->job_id = (unsigned long)id;
	ret->restart = (unsigned)restart;
	ret->uid = (uid_t)uid;
	ret->gid = (gid_t)gid;
	return 0;
}

/* --- steps --- */

/* The number of the line's step; -1: it is one of Slurm's own. */
static long step_of(const char *line)
{
	char id[WORD_SIZE];
	const char *dot;
	long number;

	value_of(line, "StepId", id);
	dot = strrchr(id, '.');
	return dot && parse_number(dot + 1, 0, INT_MAX, &number) == 0 ? number
								      : -1;
}

/* The wanted one, or with NO_STEP the newest: "" when there is none. */
static const char *find_line(const char *text, unsigned long wanted)
{
	const char *found = "";
	long best = -1;

	for (const char *line = text; *line;
	     line += strcspn(line, "\n") + !!line[strcspn(line, "\n")]) {
		long step = step_of(line);

		if (step > best &&
		    (wanted == NO_STEP || wanted == (unsigned long)step)) {
			best = step;
			found = line;
		}
	}
	return found;
}

/* NodeAddr is a name where the administrator gives none: the resolver's. */
static void resolve(const char *addr, char ret[HOSTLIST_NAME_MAX])
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;

	snprintf(ret, HOSTLIST_NAME_MAX, "%.*s", HOSTLIST_NAME_MAX - 1, addr);
	if (getaddrinfo(addr, NULL, &hints, &found) == 0)
		getnameinfo(found->ai_addr, found->ai_addrlen, ret,
			    HOSTLIST_NAME_MAX, NULL, 0, NI_NUMERICHOST);
	if (found)
		freeaddrinfo(found);
}

static int read_nodes(const char *nodes, struct found_step *ret,
		      struct err *err)
{
	cleanup_free char *text = ask("node", nodes, err);
	char addr[WORD_SIZE];

	if (!text)
		return -1;
	for (const char *line = text; *line;
	     line += strcspn(line, "\n") + !!line[strcspn(line, "\n")]) {
		void *more;

		if (!value_of(line, "NodeAddr", addr))
			continue;
		more = realloc(ret->ip, (ret->nnodes + 1) * sizeof(*ret->ip));
		if (!more)
			return err_memory(err);
		ret->ip = more;
		resolve(addr, ret->ip[ret->nnodes++]);
	}
	return ret->nnodes ? 0 : no_answer("such nodes", text, err);
}

static int read_step(unsigned long wanted, struct found_step *ret,
		     struct err *err)
{
	char job[32], nodes[WORD_SIZE];
	cleanup_free char *text = NULL;
	const char *line;

	snprintf(job, sizeof(job), "%lu", ret->job_id);
	text = ask("step", job, err);
	if (!text)
		return -1;
	line = find_line(text, wanted);
	ret->step_id = *line ? (unsigned long)step_of(line) : wanted;
	if (!*line || !value_of(line, "NodeList", nodes))
		return 0;
	ret->running = true;
	return read_nodes(nodes, ret, err);
}

int step_find(const char *text, struct found_step *ret, struct err *err)
{
	char job[64];
	const char *dot = strchr(text, '.');
	long step = -1;
	int rc;

	*ret = (struct found_step){.step_id = NO_STEP};
	snprintf(job, sizeof(job), "%.*s",
		 dot ? (int)(dot - text) : (int)strlen(text), text);
	if (!isdigit((unsigned char)*text) ||
	    job[strspn(job, "0123456789_+")] ||
	    (dot && parse_number(dot + 1, 0, INT_MAX, &step) < 0))
		return err_printf(err,
				  "'%.100s' is no step: JOB or JOB.STEP, as "
				  "squeue --steps shows it (12.0)",
				  text);
	rc = read_job(job, ret, err);
	if (rc == 0)
		rc = read_step(dot ? (unsigned long)step : NO_STEP, ret, err);
	if (rc < 0)
		found_step_clear(ret);
	return rc;
}

void found_step_clear(struct found_step *step)
{
	free(step->ip);
	step->ip = NULL;
}

int found_step_become_user(const struct found_step *step, struct err *err)
{
	const struct passwd *user = getpwuid(step->uid);

	if (geteuid() == step->uid)
		return 0;
	if (geteuid() != 0)
		return err_printf(err,
				  "job %lu is %s's: only its user and root may "
				  "look into it",
				  step->job_id,
				  user ? user->pw_name : "another");
	if ((user ? initgroups(user->pw_name, step->gid) : setgroups(0, NULL)) <
		    0 ||
	    setgid(step->gid) < 0 || setuid(step->uid) < 0)
		return err_printf(err, "can't become user %u",
				  (unsigned)step->uid);
	if (user)
		setenv("HOME", user->pw_dir, 1);
	return 0;
}
