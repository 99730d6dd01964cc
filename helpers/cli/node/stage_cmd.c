/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train stage: the copies that the key stage has left on this node, of who
 * asks. It reads the folder of his copies (helpers/copies/cache.h) and asks no
 * launcher; what a step uses stays.
 */
#include "core/base/array.h"
#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/base/text_table.h"
#include "core/facts/auth.h"
#include "core/option/config.h"
#include "helpers/cli/command.h"
#include "helpers/cli/json_print.h"
#include "helpers/copies/cache.h"
#include "helpers/copies/python_home.h"
#include "helpers/copies/stage_plan.h"
#include "helpers/visit/step_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ID_SHOWN 8 /* digits of a copy's name; fewer name none */

static const struct command_option options[] = {
	{"all", NULL, "rm: all copies that no step uses"},
	{"json", NULL, "ls: print JSON"},
	{"stagedir", "DIR",
	 "the administrator's stagedir= of plugstack.conf; by default what "
	 "that "
	 "file says"},
	{0},
};

/* The copies of all places. */
struct shelf {
	struct cache cache[CACHE_BASES];
	unsigned ncaches;
	struct on_shelf {
		struct cache_copy copy;
		const struct cache *cache;
		bool in_use;
	} * item;
	unsigned n;
	struct site_ports site;
};

static double mb(unsigned long long bytes)
{
	return (double)bytes / 1e6;
}

static const char *ago(time_t when, char buf[32])
{
	return time_text(difftime(time(NULL), when) * 1000, buf);
}

/* --- what is there --- */

static int take_copies(struct shelf *s, const struct cache *cache)
{
	unsigned n;
	cleanup_free struct cache_copy *copy = cache_list(cache, &n);

	for (unsigned i = 0; i < n; i++) {
		struct on_shelf *item =
			array_append(&s->item, s->n, sizeof(*item));

		if (!item)
			return -1;
		s->n++;
		item->copy = copy[i];
		item->cache = cache;
		item->in_use = cache_in_use(cache, copy[i].id);
	}
	return 0;
}

static int open_shelf(const struct given *g, struct shelf *s, struct err *err)
{
	const char *dir = option(g, "stagedir");
	struct err unused;
	struct auth auth;

	if (!dir) {
		site_ports_find(&s->site, &auth);
		dir = *s->site.stagedir ? s->site.stagedir : NULL;
	}
	s->ncaches = caches_look(dir, s->cache, &unused);
	for (unsigned i = 0; i < s->ncaches; i++)
		if (take_copies(s, &s->cache[i]) < 0)
			return err_memory(err);
	return 0;
}

/* --- ls --- */

static void put_json(const struct shelf *s)
{
	struct json j = json_begin(stdout);

	json_add(&j, "copies:[");
	for (unsigned i = 0; i < s->n; i++) {
		const struct on_shelf *it = &s->item[i];

		json_add(&j,
			 "{copy:%s path:%s bytes:%g files:%lu used:%g "
			 "in_use:%i folder:%s}",
			 it->copy.id, it->copy.path, (double)it->copy.bytes,
			 it->copy.files, (double)it->copy.used.tv_sec,
			 it->in_use, it->cache->path);
	}
	json_add(&j, "]");
	json_end(&j);
}

static int put_table(const struct shelf *s, struct err *err)
{
	cleanup_table struct text_table t = {0};
	char when[32];

	text_table_column(&t, COLUMN_LEFT, "copy");
	text_table_column(&t, COLUMN_RIGHT, "MB");
	text_table_column(&t, COLUMN_RIGHT, "files");
	text_table_column(&t, COLUMN_RIGHT, "last use");
	text_table_column(&t, COLUMN_LEFT, "now");
	text_table_column(&t, COLUMN_LEFT, "of");
	for (unsigned i = 0; i < s->n; i++) {
		const struct cache_copy *c = &s->item[i].copy;

		text_table_add(&t, "%.*s", ID_SHOWN, c->id);
		text_table_add(&t, "%.1f", mb(c->bytes));
		text_table_add(&t, "%lu", c->files);
		text_table_add(&t, "%s ago", ago(c->used.tv_sec, when));
		text_table_add(&t, "%s", s->item[i].in_use ? "in use" : "-");
		text_table_add(&t, "%s", *c->path ? c->path : "?");
	}
	return text_table_print(stdout, &t, err);
}

static int ls(const struct given *g, struct shelf *s, struct err *err)
{
	if (option(g, "json"))
		put_json(s);
	else if (s->n)
		return put_table(s, err) < 0 ? EXIT_FINDING : EXIT_DONE;
	else
		puts("no copies on this node");
	return EXIT_DONE;
}

/* --- rm --- */

static bool is_meant(const struct on_shelf *it, const char *word)
{
	char path[PATH_MAX];
	size_t n = strlen(word);

	if (!strcmp(it->copy.path, word) ||
	    (realpath(word, path) && !strcmp(it->copy.path, path)))
		return true;
	return n >= ID_SHOWN && !strncmp(it->copy.id, word, n);
}

static bool rm_one(const struct on_shelf *it)
{
	const struct cache_copy *c = &it->copy;
	bool gone = cache_remove(it->cache, c->id) == 0;

	printf("%.*s of %s, %.1f MB: %s\n", ID_SHOWN, c->id,
	       *c->path ? c->path : "?", mb(c->bytes),
	       gone ? "removed" : "in use, it stays");
	return gone;
}

/* How many are meant; *ret_kept: that are in use. */
static unsigned rm_word(const struct shelf *s, const char *word,
			unsigned *ret_kept)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++)
		if (!word || is_meant(&s->item[i], word)) {
			*ret_kept += !rm_one(&s->item[i]);
			n++;
		}
	return n;
}

static int rm(const struct given *g, struct shelf *s, struct err *err)
{
	bool all = option(g, "all") != NULL;
	char shown[SHOW_SIZE];
	unsigned kept = 0;

	if (!all && g->n < 2) {
		err_printf(err, "stage rm: which? write a path or a copy as "
				"stage ls shows it, or --all");
		return EXIT_USAGE;
	}
	if (all)
		rm_word(s, NULL, &kept);
	for (int i = 1; !all && i < g->n; i++)
		if (!rm_word(s, g->word[i], &kept)) {
			err_printf(err,
				   "%s: this node has no copy of that; "
				   "dist-train stage ls shows all",
				   show(shown, g->word[i]));
			return EXIT_FINDING;
		}
	if (!kept)
		return EXIT_DONE;
	err_printf(err, "%u in use", kept);
	return EXIT_FOUND;
}

/* --- why --- */

static void put_auto(const char *path)
{
	printf("%s\n",
	       is_on_network(path)
		       ? "it lies on a network file system: stage=auto takes "
			 "it where it is the Python environment of the command"
		       : "it lies on no network file system: stage=auto leaves "
			 "it where it is, stage=PATH takes it");
}

/* Copies of the path: of this content, and of others. */
static bool put_copies(const struct shelf *s, const struct stage_thing *t)
{
	char id[TREE_SUM_SIZE], when[32];
	bool here = false;

	cache_name(t->sum.id, id);
	for (unsigned i = 0; i < s->n; i++) {
		const struct on_shelf *it = &s->item[i];
		bool same = !strcmp(it->copy.id, id);

		if (!same && strcmp(it->copy.path, t->path) != 0)
			continue;
		here = here || same;
		printf("%s/%.*s: %s, used %s ago%s\n", it->cache->path,
		       ID_SHOWN, it->copy.id,
		       same ? "this content is here"
			    : "another content, names, sizes, modes or times "
			      "have changed since",
		       ago(it->copy.used.tv_sec, when),
		       it->in_use ? ", and in use" : "");
	}
	return here;
}

static void put_past(const struct shelf *s, const char *path)
{
	char why[512], when[32];
	time_t at;

	for (unsigned i = 0; i < s->ncaches; i++)
		if (cache_why(&s->cache[i], path, why, sizeof(why), &at)) {
			plain_text(why, "");
			printf("the last step, %s ago, ran from the shared "
			       "path: %s\n",
			       ago(at, when), why);
		}
}

static int why(const struct given *g, struct shelf *s, struct err *err)
{
	char shown[SHOW_SIZE];
	struct stage_thing t;
	struct err reason;

	if (g->n != 2) {
		err_printf(err, "stage why: write one path");
		return EXIT_USAGE;
	}
	if (s->site.stage == CONFIG_STAGE_OFF)
		puts("the administrator has turned it off (stage=off in "
		     "plugstack.conf): nothing is staged");
	if (stage_plan_one(g->word[1], &t, &reason) < 0) {
		err_printf(err, "%s can't be staged: %.800s",
			   show(shown, g->word[1]), reason.text);
		return EXIT_FINDING;
	}
	printf("%s: %lu files, %.1f MB\n", t.path, t.sum.files,
	       mb(t.sum.bytes));
	put_auto(t.path);
	if (!put_copies(s, &t))
		puts("this node has no copy of what it is now");
	put_past(s, t.path);
	return EXIT_DONE;
}

static int run(struct given *g, struct err *err)
{
	static const struct {
		const char *word;
		int (*run)(const struct given *g, struct shelf *s,
			   struct err *err);
	} verbs[] = {{"ls", ls}, {"rm", rm}, {"why", why}};
	const char *word = g->n ? g->word[0] : "ls";
	struct shelf s = {.n = 0};
	char shown[SHOW_SIZE];
	size_t i = 0;
	int rc;

	while (i < 3 && strcmp(verbs[i].word, word) != 0)
		i++;
	if (i == 3) {
		err_printf(err, "stage %s: write ls, rm or why",
			   show(shown, word));
		return EXIT_USAGE;
	}
	rc = open_shelf(g, &s, err) < 0 ? EXIT_FINDING
					: verbs[i].run(g, &s, err);
	caches_close(s.cache);
	free(s.item);
	return rc;
}

const struct command stage_command = {
	.name = "stage",
	.summary = "copies of the key stage on this node",
	.usage = "[ls] [--json]\nrm FILE...|--all\nwhy FILE",
	.about =
		"ls shows your copies of folders and files on this node, their "
		"size and last use; rm removes them, unless a step uses them; "
		"why tells whether a path is staged here, and why not.",
	.example = "srun -N4 dist-train stage rm --all",
	.page = "dist-train-stage",
	.options = options,
	.words = ANY_WORDS,
	.run = run,
};
