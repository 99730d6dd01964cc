/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What git knows of the files. A repository may be another's, and its
 * configuration may name programs: so git is asked for what its index and its
 * objects have, and never looks at a file's content by a filter. It runs no
 * hook, no pager and no monitor, fetches nothing and writes nothing. Whether it
 * trusts a folder of another user's it decides itself (safe.directory).
 */
#include "helpers/code/code_files.h"

#include "core/base/array.h"
#include "core/base/text.h"
#include "sys/child.h"
#include "sys/subprocess.h"
#include "sys/text_file.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANSWER_MAX (64UL << 20)
#define WORDS_MAX  512	 /* files that git is asked for at once */
#define NESTED_MAX 8	 /* repositories in repositories */
#define WAIT_MS	   30000 /* when it has said all */

extern char **environ;

/* --- asking --- */

/* Variables that lead it elsewhere go; we are a child of our own. */
static void set_environment(void)
{
	static const char *const own[][2] = {
		{"GIT_OPTIONAL_LOCKS", "0"},	{"GIT_TERMINAL_PROMPT", "0"},
		{"GIT_NO_LAZY_FETCH", "1"},	{"GIT_PAGER", "cat"},
		{"GIT_LITERAL_PATHSPECS", "1"}, {"LC_ALL", "C"},
	};
	char name[128];

	for (char **e = environ; *e;) {
		size_t n = strcspn(*e, "=");

		e++;
		if (strncmp(e[-1], "GIT_", 4) != 0 || n >= sizeof(name))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)n, e[-1]);
		unsetenv(name);
		e = environ;
	}
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		setenv(own[i][0], own[i][1], 1);
}

/* `words` are the command's and end with NULL. NULL: no git, or it refuses. */
static char *ask(const char *folder, const char *const words[], size_t *ret_n)
{
	static const char *const first[] = {"git", "--no-pager",
					    "-c",  "core.fsmonitor=false",
					    "-c",  "core.hooksPath=/dev/null",
					    "-c",  "core.untrackedCache=false",
					    "-c",  "protocol.allow=never",
					    "-C",  NULL};
	const char *argv[WORDS_MAX + 32];
	char git[PATH_MAX], *text;
	struct subprocess_spec spec = {
		.argv = argv,
		.file = git,
		.flags = SUBPROCESS_OUT | SUBPROCESS_NULL,
	};
	struct subprocess sub;
	struct err ignored;
	size_t n = 0;
	int status = 0;

	for (; first[n]; n++)
		argv[n] = first[n];
	argv[n++] = folder;
	while (*words && n + 1 < sizeof(argv) / sizeof(*argv))
		argv[n++] = *words++;
	argv[n] = NULL;
	if (child_find("git", child_path(), git, sizeof(git)) < 0 ||
	    subprocess_start(&spec, &sub, &ignored) < 0)
		return NULL;
	text = read_to_end(sub.out, ANSWER_MAX, ret_n);
	if (!text || *ret_n > ANSWER_MAX ||
	    subprocess_wait(&sub, WAIT_MS, &status) < 0) {
		subprocess_kill(&sub, SIGKILL);
		subprocess_wait(&sub, WAIT_MS, NULL);
		status = -1;
	}
	subprocess_close(&sub);
	if (status == 0)
		return text;
	free(text);
	return NULL;
}

#define ASK(folder, ret_n, ...)                                                \
	ask(folder, (const char *const[]){__VA_ARGS__, NULL}, ret_n)

/* One line of it. */
static int ask_line(const char *folder, const char *const words[], char *ret,
		    size_t size)
{
	size_t n;
	cleanup_free char *text = ask(folder, words, &n);

	if (!text || strlen(text) != n || !n || n >= size)
		return -1;
	text[strcspn(text, "\n")] = '\0';
	snprintf(ret, size, "%s", text);
	return 0;
}

/* --- its files --- */

static int add_all(struct code_list *list, const char *below, int nested,
		   struct err *err);

/* Its commit into list->commit of that size; whether its index differs. */
static bool find_commit(const char *folder, char ret[CODE_ID_SIZE])
{
	static const char *const head[] = {"rev-parse", "--verify", "-q",
					   "HEAD", NULL};
	cleanup_free char *staged = NULL;
	size_t n;

	*ret = '\0';
	if (ask_line(folder, head, ret, CODE_ID_SIZE) < 0)
		return true;
	staged = ASK(folder, &n, "diff-index", "--cached", "--name-only", "-z",
		     "HEAD");
	return !staged || n > 0;
}

/* A repository in this one, which git doesn't look into; without its own files
 * it is an empty folder. `id` is the commit that this one has of it. */
static int add_nested(struct code_list *list, const char *path, const char *id,
		      int nested, struct err *err)
{
	char git[PATH_MAX], commit[CODE_ID_SIZE];
	int n = snprintf(git, sizeof(git), "%s/%s/.git", list->root, path);

	if (nested == NESTED_MAX || n < 0 || (size_t)n >= sizeof(git) ||
	    access(git, F_OK) < 0)
		return 0;
	git[n - 5] = '\0';
	list->differs |= find_commit(git, commit) || strcmp(commit, id) != 0;
	return add_all(list, path, nested + 1, err);
}

static int add_one(struct code_list *list, const char *below, const char *name,
		   const char *id, bool repository, int nested, struct err *err)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%s%s", below, *below ? "/" : "",
			 name);

	if (n <= 0 || (size_t)n >= sizeof(path))
		return 0;
	if (!repository && path[n - 1] != '/')
		return code_list_add(list, path, id, err);
	if (path[n - 1] == '/')
		path[n - 1] = '\0';
	return add_nested(list, path, id, nested, err);
}

/* MODE ID STAGE\tPATH; of a path that isn't merged there are three. */
static int add_tracked(struct code_list *list, const char *below, char *line,
		       int nested, struct err *err)
{
	char id[CODE_ID_SIZE], *path = strchr(line, '\t');
	unsigned mode;

	if (!path || sscanf(line, "%o %71s", &mode, id) != 2)
		return 0;
	return add_one(list, below, path + 1, id, mode == 0160000, nested, err);
}

static int add_all(struct code_list *list, const char *below, int nested,
		   struct err *err)
{
	cleanup_free char *tracked = NULL, *others = NULL;
	cleanup_free char *folder = NULL;
	size_t ntracked, nothers;
	int rc = 0;

	if (asprintf(&folder, "%s%s%s", list->root, *below ? "/" : "", below) <
	    0)
		return err_memory(err);
	tracked = ASK(folder, &ntracked, "ls-files", "-s", "-z");
	others = ASK(folder, &nothers, "ls-files", "-z", "--others",
		     "--exclude-standard");
	if (!tracked || !others)
		return *below ? 0
			      : err_printf(err,
					   "code=freeze: git doesn't list the "
					   "files of %s",
					   folder);
	for (char *p = tracked; rc == 0 && p < tracked + ntracked;
	     p += strlen(p) + 1)
		rc = add_tracked(list, below, p, nested, err);
	list->differs |= nothers > 0;
	for (char *p = others; rc == 0 && p < others + nothers;
	     p += strlen(p) + 1)
		rc = add_one(list, below, p, "", false, nested, err);
	return rc;
}

/* Whole folders, where all in them is ignored. */
static int add_links(struct code_list *list, struct err *err)
{
	size_t n;
	cleanup_free char *text =
		ASK(list->root, &n, "ls-files", "-z", "--others", "--ignored",
		    "--exclude-standard", "--directory");

	for (char *p = text; text && p < text + n; p += strlen(p) + 1) {
		char **to;

		if (code_is_left_out(p))
			continue;
		to = array_append(&list->link, list->nlinks, sizeof(*to));
		if (to)
			*to = strndup(p, strlen(p) - text_ends(p, "/"));
		if (!to || !*to)
			return err_memory(err);
		list->nlinks++;
	}
	return 0;
}

int code_git_list(const char *folder, struct code_list *list, struct err *err)
{
	static const char *const top[] = {"rev-parse", "--show-toplevel", NULL};
	size_t n;

	set_environment();
	if (ask_line(folder, top, list->root, sizeof(list->root)) < 0)
		return 0;
	/* its configuration may say anything */
	n = strlen(list->root);
	if (strncmp(folder, list->root, n) != 0 ||
	    (folder[n] && folder[n] != '/') || n < 2)
		return 0;
	list->git = true;
	list->differs = find_commit(list->root, list->commit);
	if (add_all(list, "", 0, err) < 0 || add_links(list, err) < 0)
		return -1;
	return 1;
}

/* --- what was kept --- */

/* Whether git has other ids for these files, `words` from `first` on. */
static bool have_changed(const struct code_list *list, const char *words[],
			 size_t first, size_t n, const size_t *of)
{
	size_t size;
	cleanup_free char *ids = NULL;

	words[first + n] = NULL;
	ids = ask(list->root, words, &size);
	for (char *p = ids; ids && n; n--, of++) {
		size_t len = strcspn(p, "\n");

		if (strncmp(p, list->file[*of].id, len) != 0 ||
		    list->file[*of].id[len])
			return true;
		p += len + (p[len] != '\0');
	}
	return n > 0;
}

bool code_git_differs(const struct code_list *list, const char *copy)
{
	const char *words[WORDS_MAX + 1] = {"hash-object", "--no-filters",
					    "--"};
	size_t of[WORDS_MAX], first = 3, n = 0;
	bool differs = list->differs;
	char *path;
	struct stat st;

	for (size_t i = 0; i <= list->n && !differs; i++) {
		bool end = i == list->n;

		if (n && (end || first + n == WORDS_MAX)) {
			differs = have_changed(list, words, first, n, of);
			while (n)
				free((char *)words[first + --n]);
		}
		if (end || !*list->file[i].id)
			continue;
		if (asprintf(&path, "%s/%s", copy, list->file[i].path) < 0)
			break;
		differs |= lstat(path, &st) < 0;
		if (differs || !S_ISREG(st.st_mode)) {
			free(path);
			continue;
		}
		of[n] = i;
		words[first + n++] = path;
	}
	while (n)
		free((char *)words[first + --n]);
	return differs;
}
