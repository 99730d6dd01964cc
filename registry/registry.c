/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/registry.h"

#include "core/base/parse.h"

#include <stdio.h>
#include <string.h>

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

#define NFRAMEWORKS (sizeof(frameworks) / sizeof(frameworks[0]))
#define NDIALECTS   (sizeof(dialects) / sizeof(dialects[0]))

const struct framework *framework_nth(size_t n)
{
	return n < NFRAMEWORKS ? frameworks[n] : NULL;
}

const struct dialect *dialect_nth(size_t n)
{
	return n < NDIALECTS ? dialects[n] : NULL;
}

/* All names and aliases, and the word that turns the option off. */
static void known_names(char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < NFRAMEWORKS && used < size; i++) {
		const struct framework *fw = frameworks[i];

		used += (size_t)snprintf(buf + used, size - used, "%s%s%s ",
					 fw->name, fw->alias ? " " : "",
					 fw->alias ? fw->alias : "");
	}
	if (used < size)
		snprintf(buf + used, size - used, "none");
}

const struct framework *framework_find(const char *name, struct err *err)
{
	char shown[SHOW_SIZE], near[32], known[256];

	for (size_t i = 0; i < NFRAMEWORKS; i++)
		if (!strcmp(frameworks[i]->name, name) ||
		    (frameworks[i]->alias &&
		     !strcmp(frameworks[i]->alias, name)))
			return frameworks[i];
	known_names(known, sizeof(known));
	if (word_nearest(known, name, near, sizeof(near)))
		err_printf(err,
			   "unknown framework %s; did you mean '%s'? known: %s",
			   show(shown, name), near, known);
	else
		err_printf(err, "unknown framework %s; known: %s",
			   show(shown, name), known);
	return NULL;
}
