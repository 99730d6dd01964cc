/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/registry.h"

#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/base/unknown_word.h"
#include "core/option/other_words.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FRAMEWORK(name)	  extern const struct framework framework_##name;
#define DIALECT(id, name) extern const struct dialect dialect_##id;
#include "dialects/dialects.def"
#include "frameworks/frameworks.def"
#undef FRAMEWORK
#undef DIALECT

static const struct framework *const frameworks[] = {
#define FRAMEWORK(name) &framework_##name,
#include "frameworks/frameworks.def"
#undef FRAMEWORK
};

static const struct dialect *const dialects[] = {
#define DIALECT(id, name) &dialect_##id,
#include "dialects/dialects.def"
#undef DIALECT
};

static const struct framework_alias aliases[] = {
#define ALIAS(name, framework, note) {name, framework, note},
#include "frameworks/aliases.def"
#undef ALIAS
};

#define NALIASES    (sizeof(aliases) / sizeof(aliases[0]))
#define NFRAMEWORKS (sizeof(frameworks) / sizeof(frameworks[0]))
#define NDIALECTS   (sizeof(dialects) / sizeof(dialects[0]))

const struct framework *framework_nth(size_t n)
{
	return n < NFRAMEWORKS ? frameworks[n] : NULL;
}

static bool is_dialect(const char *name)
{
	for (size_t i = 0; i < NDIALECTS; i++)
		if (!strcasecmp(dialects[i]->name, name))
			return true;
	return false;
}

const struct dialect *dialect_nth(size_t n)
{
	return n < NDIALECTS ? dialects[n] : NULL;
}

size_t frameworks_with_keys(unsigned group, char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (size_t i = 0; i < NFRAMEWORKS; i++)
		if (frameworks[i]->keys & group) {
			text_add(buf, size, ", ", "%s", frameworks[i]->name);
			n++;
		}
	return n;
}

const struct framework_alias *alias_nth(size_t n)
{
	return n < NALIASES ? &aliases[n] : NULL;
}

const struct framework_alias *alias_find(const char *name)
{
	for (size_t i = 0; i < NALIASES; i++)
		if (!strcasecmp(aliases[i].name, name))
			return &aliases[i];
	return NULL;
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

/* All names, and the word that turns the option off. */
static const char *framework_name_nth(size_t n)
{
	if (n < NFRAMEWORKS)
		return frameworks[n]->name;
	return n > NFRAMEWORKS ? NULL : "none";
}

/* These and the aliases. */
static const char *framework_word_nth(size_t n)
{
	if (n <= NFRAMEWORKS)
		return framework_name_nth(n);
	n -= NFRAMEWORKS + 1;
	return n < NALIASES ? aliases[n].name : NULL;
}

/* Words that are something else, or another tool's. */
static bool other_framework(const char *name, struct err *err)
{
	size_t len = strcspn(name, "=");
	char cure[OTHER_CURE_SIZE], shown[SHOW_SIZE];

	if (name[len] && option_key_find(name, len))
		err_printf(err,
			   "%s is a key; the framework stands first: ddp,%.60s",
			   show(shown, name), name);
	else if (is_dialect(name))
		err_printf(err, "'%s' is a dialect; write FRAMEWORK,dialect=%s",
			   name, name);
	else if (other_word_cure(OTHER_FRAMEWORK, name, cure))
		err_printf(err, "unknown framework %s; %s", show(shown, name),
			   cure);
	else
		return false;
	return true;
}

const struct framework *framework_find(const char *name, struct err *err)
{
	const struct framework_alias *alias = alias_find(name);
	const char *own = alias ? alias->framework : name;

	for (size_t i = 0; i < NFRAMEWORKS; i++)
		if (!strcasecmp(frameworks[i]->name, own))
			return frameworks[i];
	if (other_framework(name, err))
		return NULL;
	unknown_word_of(err, "framework", name, framework_word_nth,
			framework_name_nth);
	return NULL;
}
