/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parse the whole option: framework, keys, the administrator's defaults and
 * allow=, and the dialect's form. The one place that srun, slurmstepd, the
 * launcher and the tools call, so all of them refuse the same things.
 */
#include "registry/registry.h"

#include "core/base/parse.h"
#include "core/option/groups.h"
#include "core/option/option.h"
#include "core/plan/plan.h"

#include <stdlib.h>
#include <string.h>

static int find_framework(const char *name, const char *allow,
			  const struct framework **ret, struct err *err)
{
	*ret = framework_find(name, err);
	if (!*ret)
		return -1;
	if (allow && !is_listed(allow, (*ret)->name))
		return err_printf(err,
				  "framework '%s' isn't allowed on this "
				  "cluster; allowed: %s",
				  (*ret)->name, allow);
	return 0;
}

/* The values that ask for something: a key's first word doesn't. */
static const char *asking_values(const struct option_key *key, char *buf,
				 size_t size)
{
	const char *values = option_values(key, buf, size);
	const char *others = strchr(values, '|');
	bool silent = key->kind == KIND_WORD || !strncmp(values, "none|", 5);

	return silent && others ? others + 1 : values;
}

/* A key that has an effect beside another one only. */
static int check_with(const struct request *r, enum key_id id, struct err *err)
{
	const struct option_key *key = request_key(r, id);
	const struct option_key *with = &option_keys[key->with];
	char values[256];

	if (!key->with || request_given(r, key->with) ||
	    request_text(r, key->with) || request_number(r, key->with) ||
	    request_word(r, key->with) > 0)
		return 0;
	return err_printf(err, "%s works only with %s=%s", key->name,
			  with->name,
			  asking_values(with, values, sizeof(values)));
}

/* What has no effect beside other keys. */
static int check_pairs(const struct request *r, struct err *err)
{
	if (request_given(r, KEY_LABEL) && request_yes(r, KEY_LABEL) &&
	    request_given(r, KEY_LOG_DIR) && !request_text(r, KEY_LOG_TEE))
		return err_printf(err, "label=yes has no effect with log-dir: "
				       "lines in files have no label; use "
				       "log-tee=RANK[,RANK] to see ranks on "
				       "the terminal, too");
	if (request_given(r, KEY_PROCS) && r->framework->once &&
	    !request_word(r, KEY_DIALECT))
		return err_printf(err,
				  "procs has no effect with %s: its program "
				  "runs once, and starts its workers itself",
				  r->framework->name);
	return request_given(r, KEY_GROUPS_STRICT) ? groups_check_strict(r, err)
						   : 0;
}

/* Refuse what the user himself has given and what has no effect here. The
 * administrator's defaults are for all frameworks. */
static int check_effect(const struct request *r, struct err *err)
{
	for (int i = 0; i < KEY_COUNT; i++)
		if (request_given(r, (enum key_id)i) &&
		    check_with(r, (enum key_id)i, err) < 0)
			return -1;
	if (stage_check(r, err) < 0)
		return -1;
	return check_pairs(r, err);
}

/* What the dialect sets for keys that the user doesn't give. */
static int choose_dialect(struct request *r, struct err *err)
{
	int word = request_word(r, KEY_DIALECT);

	if (word == DIALECT_NONE || r->framework->program_is_file)
		return 0;
	r->dialect = dialect_nth((size_t)word - 1);
	r->form = dialect_form(r->dialect, r->framework->name, err);
	if (!r->form)
		return -1;
	if (r->form->procs != PROCS_AUTO)
		request_set_word(r, KEY_PROCS, r->form->procs);
	if (r->form->first_node)
		request_set_word(r, KEY_RUN_ON, RUN_ON_FIRST);
	return 0;
}

/* The administrator's defaults, then the user's own (struct config). */
static int read_defaults(const char *lines, struct request *r, struct err *err)
{
	const char *end = strchrnul(lines, '\n');
	cleanup_free char *sites = strndup(lines, (size_t)(end - lines));

	if (!sites)
		return err_memory(err);
	if ((*sites || !*end) && request_pairs(sites, VALUE_SITE, r, err) < 0)
		return -1;
	return *end ? request_pairs(end + 1, VALUE_DEFAULTS, r, err) : 0;
}

static int read_pairs(const struct framework *fw, const char *defaults,
		      const char *pairs, struct request *r, struct err *err)
{
	if (fw->defaults &&
	    request_pairs(fw->defaults, VALUE_FRAMEWORK, r, err) < 0)
		return -1;
	if (defaults && read_defaults(defaults, r, err) < 0)
		return -1;
	return pairs ? request_pairs(pairs, VALUE_OPTION, r, err) : 0;
}

static int parse(const char *text, const char *defaults, const char *allow,
		 struct request *ret, struct err *err)
{
	size_t len = strcspn(text, ",");
	const struct framework *fw;
	struct request r;
	char name[64];

	request_init(&r, NULL);
	snprintf(name, sizeof(name), "%.*s",
		 (int)(len < sizeof(name) ? len : sizeof(name)), text);
	if (value_is_off(name) && !text[len]) {
		*ret = r;
		return 0;
	}
	if (!*name)
		return err_printf(err, "which framework? Write "
				       "--dist-train=ddp; --dist-train=help "
				       "lists them");
	if (value_is_off(name))
		return err_printf(err, "'none' turns it off and takes no keys");
	if (find_framework(name, allow, &fw, err) < 0)
		return -1;
	request_init(&r, fw->keys);
	r.framework = fw;
	r.alias = alias_find(name);
	if (read_pairs(fw, defaults, text[len] ? text + len + 1 : NULL, &r,
		       err) < 0 ||
	    check_effect(&r, err) < 0 || choose_dialect(&r, err) < 0 ||
	    request_check(&r, err) < 0) {
		request_clear(&r);
		return -1;
	}
	*ret = r;
	return 0;
}

/* Whether the text has a framework. */
static bool is_begun(const char *text)
{
	struct err unknown;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ","), text);
	return framework_find(name, &unknown);
}

/* Say how the text was probably meant if that is why it isn't understood: it
 * can be read then, or at least begins with a framework. */
static void propose(const char *text, const char *defaults, const char *allow,
		    struct err *err)
{
	char meant[1024], shown[SHOW_SIZE], right[SHOW_SIZE];
	struct err ignored;
	struct request r;
	bool wide;

	if (!option_meant(text, meant, sizeof(meant), &wide))
		return;
	if (parse(meant, defaults, allow, &r, &ignored) == 0)
		request_clear(&r);
	else if (is_begun(text) || !is_begun(meant))
		return;
	err_printf(err, "%s: %s; write %s", show(shown, text),
		   wide ? "full-width or curly characters"
			: "keys follow a comma, without blanks or quotes",
		   show(right, meant));
}

int request_parse(const char *text, const char *defaults, const char *allow,
		  struct request *ret, struct err *err)
{
	if (parse(text, defaults, allow, ret, err) == 0)
		return 0;
	propose(text, defaults, allow, err);
	return -1;
}

static bool alias_remark(const struct request *request,
			 char buf[REQUEST_REMARK_SIZE])
{
	const struct framework_alias *a = request->alias;

	if (!a || !a->note)
		return false;
	snprintf(buf, REQUEST_REMARK_SIZE, "%s: started as %s; %s", a->name,
		 a->framework, a->note);
	return true;
}

bool request_remark(const struct request *request, size_t n,
		    char buf[REQUEST_REMARK_SIZE])
{
	if (alias_remark(request, buf) && n-- == 0)
		return true;
	return n == 0 && option_path_remark(request, buf, REQUEST_REMARK_SIZE);
}
