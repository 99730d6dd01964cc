/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/registry.h"

#include "core/base/unknown_word.h"

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
static const char *framework_word_nth(size_t n)
{
	for (size_t i = 0; i < NFRAMEWORKS; i++) {
		if (!n--)
			return frameworks[i]->name;
		if (frameworks[i]->alias && !n--)
			return frameworks[i]->alias;
	}
	return n ? NULL : "none";
}

const struct framework *framework_find(const char *name, struct err *err)
{
	for (size_t i = 0; i < NFRAMEWORKS; i++)
		if (!strcmp(frameworks[i]->name, name) ||
		    (frameworks[i]->alias &&
		     !strcmp(frameworks[i]->alias, name)))
			return frameworks[i];
	unknown_word(err, "framework", name, framework_word_nth);
	return NULL;
}
