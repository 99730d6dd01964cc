/* SPDX-License-Identifier: Apache-2.0 */
/* A framework by its name, and what is said of a word that is none. */
#include "registry/registry.h"

#include "core/base/parse.h"

#include <string.h>
#include <strings.h>

static bool is_dialect(const char *name)
{
	const struct dialect *d;

	for (size_t i = 0; (d = dialect_nth(i)); i++)
		if (!strcasecmp(d->name, name))
			return true;
	return false;
}

/* All names, and the word that turns the option off. */
static const char *framework_name_nth(size_t n)
{
	const struct framework *fw = framework_nth(n);

	if (fw)
		return fw->name;
	return n && framework_nth(n - 1) ? "none" : NULL;
}

/* These and the aliases. */
static const char *framework_word_nth(size_t n)
{
	const struct framework_alias *alias;
	size_t first = 0;

	while (framework_name_nth(first))
		first++;
	if (n < first)
		return framework_name_nth(n);
	alias = alias_nth(n - first);
	return alias ? alias->name : NULL;
}

/* Words that are something else, or another tool's. */
static bool other_framework(const char *name, struct err *err)
{
	size_t len = strcspn(name, "=");
	char cure[OTHER_CURE_SIZE], shown[SHOW_SIZE];

	if (name[len] && key_find(name, len))
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
	const struct framework *fw;

	for (size_t i = 0; (fw = framework_nth(i)); i++)
		if (!strcasecmp(fw->name, own))
			return fw;
	if (other_framework(name, err))
		return NULL;
	unknown_word_of(err, "framework", name, framework_word_nth,
			framework_name_nth);
	return NULL;
}
