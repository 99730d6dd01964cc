/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request by which a stand-in (horovodrun) tells the launcher what to
 * start: program, arguments, folder, and what the script has changed in the
 * environment. Written by the stand-in, read and applied by the launchers of
 * all nodes.
 */
#include "helpers/shim/exec_request.h"

#include "core/base/parse.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NWORDS_BEFORE 3 /* words before the arguments */

static size_t count_words(char *const words[])
{
	size_t n = 0;

	while (words[n])
		n++;
	return n;
}

static void put_word(FILE *f, const char *word)
{
	fwrite(word, 1, strlen(word) + 1, f);
}

char *exec_request_text(const char *asked, const char *folder,
			char *const argv[], char *const env[], size_t *ret_n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_n);

	if (!f)
		return NULL;
	fprintf(f, "%zu", count_words(argv));
	put_word(f, "");
	put_word(f, asked);
	put_word(f, folder);
	for (; *argv; argv++)
		put_word(f, *argv);
	for (; *env; env++)
		put_word(f, *env);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

/* --- reading --- */

/* The words of the text, ending with NULL; NULL when out of memory. */
static char **split_words(char *text, size_t n)
{
	size_t nwords = 0;
	char **word, *at = text;

	for (size_t i = 0; i < n; i++)
		nwords += !text[i];
	word = calloc(nwords + 1, sizeof(*word));
	for (size_t i = 0; word && i < nwords; i++) {
		word[i] = at;
		at += strlen(at) + 1;
	}
	return word;
}

int exec_request_parse(char *text, size_t n, struct exec_request *ret,
		       struct err *err)
{
	cleanup_free char **word =
		n && !text[n - 1] ? split_words(text, n) : NULL;
	struct exec_request o = {.text = text};
	size_t nwords = word ? count_words(word) : 0;
	long argc;

	if (nwords <= NWORDS_BEFORE ||
	    parse_number(word[0], 1, (long)(nwords - NWORDS_BEFORE), &argc) <
		    0) {
		free(text);
		return err_printf(err, "the script's request names no program");
	}
	o.asked = word[1];
	o.folder = word[2];
	o.argv = calloc((size_t)argc + 1, sizeof(*o.argv));
	o.env = calloc(nwords, sizeof(*o.env));
	if (!o.argv || !o.env) {
		exec_request_clear(&o);
		return err_memory(err);
	}
	memcpy(o.argv, word + NWORDS_BEFORE, (size_t)argc * sizeof(*word));
	memcpy(o.env, word + NWORDS_BEFORE + argc,
	       (nwords - NWORDS_BEFORE - (size_t)argc) * sizeof(*word));
	*ret = o;
	return 0;
}

void exec_request_clear(struct exec_request *order)
{
	free(order->text);
	free(order->argv);
	free(order->env);
	*order = (struct exec_request){0};
}

/* --- changes --- */

static size_t name_length(const char *pair)
{
	return strcspn(pair, "=");
}

static bool same_name(const char *pair, const char *name, size_t n)
{
	return name_length(pair) == n && !memcmp(pair, name, n);
}

static const char *find_pair(char *const env[], const char *name, size_t n)
{
	for (; *env; env++)
		if (same_name(*env, name, n))
			return *env;
	return NULL;
}

const char *exec_request_value(char *const env[], const char *name)
{
	const char *pair = find_pair(env, name, strlen(name));

	return pair && pair[strlen(name)] ? pair + strlen(name) + 1 : NULL;
}

/* Whether a variable belongs to the step or to the script's shell, and so isn't
 * passed on. */
static bool is_not_for_all(const char *pair)
{
	static const char *const shells[] = {"_", "PWD", "OLDPWD", "SHLVL"};

	if (!strncmp(pair, "SLURM_", 6) || !strncmp(pair, "DIST_TRAIN_", 11) ||
	    !strncmp(pair, "PMI", 3))
		return true;
	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (same_name(pair, shells[i], strlen(shells[i])))
			return true;
	return false;
}

static bool is_dropped(const char *pair, const char *const without[],
		       const char *dropped[])
{
	for (; without && *without; without++)
		if (same_name(pair, *without, strlen(*without))) {
			/* a name may occur twice */
			while (*dropped && *dropped != *without)
				dropped++;
			*dropped = *without;
			return true;
		}
	return false;
}

/* A list of folders without `dir`. */
static char *without_folder(const char *pair, const char *dir)
{
	size_t begin = name_length(pair) + 1, len = strlen(dir);
	char *copy = strdup(pair), *at = copy ? copy + begin : NULL;

	while (at && *at) {
		size_t n = strcspn(at, ":"), all = n + (at[n] == ':');

		if (n != len || memcmp(at, dir, n) != 0) {
			at += all;
		} else if (at[n]) {
			memmove(at, at + all, strlen(at + all) + 1);
		} else {
			/* an empty last entry would mean the current folder */
			at[at > copy + begin ? -1 : 0] = '\0';
			break;
		}
	}
	return copy;
}

static char *own_pair(const char *pair, const char *dir)
{
	return !strncmp(pair, "PATH=", 5) ? without_folder(pair, dir)
					  : strdup(pair);
}

void exec_request_free_words(char **words)
{
	for (char **w = words; w && *w; w++)
		free(*w);
	free(words);
}

/* Whether both have the same value when `dir` is removed from lists of
 * folders. */
static bool is_same(const char *pair, const char *other, const char *dir)
{
	cleanup_free char *a = own_pair(pair, dir);
	cleanup_free char *b = other ? own_pair(other, dir) : NULL;

	return a && b && !strcmp(a, b);
}

/* Append to `words` the names that `base` has and the script's environment
 * lacks. */
static int add_gone(char **words, size_t n, char *const env[],
		    char *const base[])
{
	for (; *base; base++) {
		size_t len = name_length(*base);

		if (is_not_for_all(*base) || find_pair(env, *base, len))
			continue;
		words[n] = strndup(*base, len);
		if (!words[n++])
			return -1;
	}
	return 0;
}

static int add_changed(char **words, size_t *n, const char *pair,
		       const char *was, const char *dir)
{
	if (is_same(pair, was, dir))
		return 0;
	words[*n] = own_pair(pair, dir);
	return words[(*n)++] ? 0 : -1;
}

char **exec_request_changes(char *const env[], char *const base[],
			    const char *dir, const char *const without[],
			    const char *dropped[])
{
	char **ret =
		calloc(count_words(env) + count_words(base) + 1, sizeof(*ret));
	int rc = ret ? 0 : -1;
	size_t n = 0;

	for (char *const *e = env; rc == 0 && *e; e++) {
		const char *was = find_pair(base, *e, name_length(*e));

		if (is_not_for_all(*e) || ((!was || strcmp(was, *e) != 0) &&
					   is_dropped(*e, without, dropped)))
			continue;
		rc = add_changed(ret, &n, *e, was, dir);
	}
	if (rc == 0 && add_gone(ret, n, env, base) == 0)
		return ret;
	exec_request_free_words(ret);
	return NULL;
}

/* --- at work --- */

int exec_request_apply(const struct exec_request *order, struct err *err)
{
	for (char **e = order->env; *e; e++) {
		cleanup_free char *name = strndup(*e, name_length(*e));
		const char *value = *e + name_length(*e);

		if (!name)
			return err_memory(err);
		if (*value ? setenv(name, value + 1, 1) : unsetenv(name))
			return err_memory(err);
	}
	if (chdir(order->folder) == 0)
		return 0;
	return err_printf(err, "can't change to the script's folder %s: %s",
			  order->folder, strerror(errno));
}
