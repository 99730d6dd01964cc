/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/role_options.h"

#include "core/base/parse.h"
#include "core/option/option.h"
#include "core/plan/resolve.h"
#include "registry/registry.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Keys that are of the step and none of its worlds'. */
static const enum key_id of_the_step[] = {
	KEY_SPARES,   KEY_ON_NODE_LOSS,	 KEY_REQUEUE,  KEY_REQUEUES,
	KEY_EXPLAIN,  KEY_PROGRESS_FILE, KEY_ORDER,    KEY_GROUPS,
	KEY_RECORD,   KEY_TIMELINE,	 KEY_PROGRESS, KEY_SUPERVISE,
	KEY_EXCHANGE,
};

/* The file's keys, then those of frameworks. */
static const char *word_nth(size_t n)
{
	const struct option_key *key;

	if (n < LINE_KEYS)
		return role_key_nth(n);
	key = key_nth(n - LINE_KEYS);
	return key ? key->name : NULL;
}

static const char *pair_name(const struct role_pair *pair, char *buf,
			     size_t size)
{
	snprintf(buf, size, "%.*s", (int)strcspn(pair->text, "="), pair->text);
	return buf;
}

/* "FILE:LINE:COLUMN: WHY" */
static int fault(const struct role_file *file, struct role_place at,
		 const struct err *why, struct err *err)
{
	return role_fault(file, at, err, "%s", why->text);
}

/* A key that nobody has. */
static int check_pair_name(const struct role_file *file,
			   const struct role_pair *pair, struct err *err)
{
	char name[64], cure[OTHER_CURE_SIZE];
	struct err why;

	pair_name(pair, name, sizeof(name));
	if (key_find(name, strlen(name)))
		return 0;
	if (!strcasecmp(name, "together"))
		return role_fault(file, pair->at, err,
				  "write on-failure=together=ROLE");
	unknown_word_of(&why, "key", name, word_nth, role_key_nth);
	if (!strstr(why.text, "did you mean") &&
	    other_word_cure(OTHER_KEY, name, cure))
		return role_fault(file, pair->at, err, "unknown key '%s'; %s",
				  name, cure);
	return fault(file, pair->at, &why, err);
}

/* Which of the line's keys its framework refuses: the first that it refuses
 * alone, or together with those before it. */
static struct role_place blame(const struct role_line *line,
			       const struct config *config)
{
	struct request request;
	struct err why;

	for (size_t i = 0; i < line->npairs; i++) {
		cleanup_free char *alone = NULL;

		if (asprintf(&alone, "%s,%s", line->framework,
			     line->pair[i].text) < 0) {
			alone = NULL;
			break;
		}
		if (request_parse(alone, config->defaults, config->allow,
				  &request, &why) < 0)
			return line->pair[i].at;
		request_clear(&request);
	}
	return line->npairs ? line->pair[0].at : line->framework_at;
}

/* The key of that name. */
static struct role_place place_of(const struct role_line *line,
				  const char *name)
{
	char found[64];

	for (size_t i = 0; i < line->npairs; i++)
		if (!strcasecmp(pair_name(&line->pair[i], found, sizeof(found)),
				name))
			return line->pair[i].at;
	return line->framework_at;
}

static int check_request(const struct role_file *file,
			 const struct role_line *line, const struct request *r,
			 struct err *err)
{
	struct resolved w;

	for (size_t i = 0; i < sizeof(of_the_step) / sizeof(*of_the_step);
	     i++) {
		enum key_id id = of_the_step[i];

		if (request_given(r, id))
			return role_fault(
				file, place_of(line, request_key(r, id)->name),
				err,
				"%s is a key of whole steps, which the world "
				"of a role hasn't got",
				request_key(r, id)->name);
	}
	resolve(r, NULL, &w);
	if (w.pmi)
		return role_fault(file, line->framework_at, err,
				  "%s finds its ranks through Slurm's PMI, "
				  "which the world of a role doesn't have; "
				  "run-on=first starts mpirun in it",
				  line->framework);
	if (r->framework->once && line->procs)
		return role_fault(file, line->key_at[LINE_PROCS], err,
				  "procs has no effect with %s: its program "
				  "runs once, and starts its workers itself",
				  r->framework->name);
	return 0;
}

static int read_line(const struct role_file *file, struct role_line *line,
		     const void *arg, struct err *err)
{
	const struct config *config = arg;
	const struct framework *fw = NULL;
	struct request request;
	struct err why;
	int rc;

	if (value_is_off(line->framework) ||
	    !strcasecmp(line->framework, "roles"))
		return role_fault(file, line->framework_at, err,
				  "a role needs a framework of its own; env "
				  "has nothing but the variables");
	for (size_t i = 0; i < line->npairs; i++)
		if (check_pair_name(file, &line->pair[i], err) < 0)
			return -1;
	fw = framework_find(line->framework, &why);
	if (!fw)
		return fault(file, line->framework_at, &why, err);
	if (request_parse(line->option, config->defaults, config->allow,
			  &request, &why) < 0)
		return fault(file, blame(line, config), &why, err);
	rc = check_request(file, line, &request, err);
	line->per_device = !fw->launches && strcmp(fw->name, "env") != 0 &&
			   request_word(&request, KEY_RUN_ON) != RUN_ON_FIRST;
	request_clear(&request);
	return rc;
}

int role_file_read(const char *text, const char *name, env_lookup_fn lookup,
		   void *arg, const struct config *config,
		   struct role_file *ret, struct err *err)
{
	const struct role_reader reader = {
		.lookup = lookup,
		.arg = arg,
		.framework = read_line,
		.config = config,
	};

	return role_file_parse(text, name, &reader, ret, err);
}

int role_program_read(int argc, char *const argv[], read_script_fn read,
		      env_lookup_fn lookup, void *arg,
		      const struct config *config, char **ret_text,
		      struct role_file *ret, struct err *err)
{
	char shown[SHOW_SIZE];
	char *text;

	if (argc != 1)
		return err_printf(err,
				  "roles takes a file of roles and nothing "
				  "behind it%s%s; --dist-train=none runs "
				  "another program",
				  argc ? ", and there is " : "",
				  argc ? show(shown, argv[1]) : "");
	text = read(argv[0], ROLE_FILE_MAX, err);
	if (!text)
		return -1;
	if (role_file_read(text, argv[0], lookup, arg, config, ret, err) < 0) {
		free(text);
		return -1;
	}
	*ret_text = text;
	return 0;
}
