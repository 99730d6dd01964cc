/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/registry.h"

#include "core/base/text.h"

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

const struct dialect *dialect_nth(size_t n)
{
	return n < NDIALECTS ? dialects[n] : NULL;
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

/* --- keys --- */

/* The *n-th of all frameworks' own, a table that several have once; NULL with
 * what is left of *n. */
static const struct option_key *own_key_nth(size_t *n)
{
	const struct option_key *key;

	for (size_t i = 0; i < NFRAMEWORKS; i++) {
		size_t first = 0;

		if (!frameworks[i]->keys)
			continue;
		while (frameworks[first]->keys != frameworks[i]->keys)
			first++;
		if (first < i)
			continue;
		for (key = frameworks[i]->keys; key->name; key++)
			if ((*n)-- == 0)
				return key;
	}
	return NULL;
}

const struct option_key *key_nth(size_t n)
{
	const struct option_key *own;

	if (n < KEY_OWN)
		return &option_keys[n];
	n -= KEY_OWN;
	own = own_key_nth(&n);
	if (own)
		return own;
	n += KEY_OWN_END;
	return n < KEY_COUNT ? &option_keys[n] : NULL;
}

const struct option_key *key_find(const char *name, size_t len)
{
	const struct option_key *key;

	for (size_t i = 0; (key = key_nth(i)); i++)
		if (strlen(key->name) == len &&
		    !strncasecmp(key->name, name, len))
			return key;
	return NULL;
}

static bool is_own(const struct framework *fw, const struct option_key *key)
{
	const struct option_key *own = fw->keys;

	while (own && own->name && own != key)
		own++;
	return own == key;
}

/* MindSpore gives LOCAL_RANK with NPUs. */
bool framework_has_key(const struct framework *fw, const struct option_key *key)
{
	if (key->group == KEYS_OF_NPUS)
		return framework_may_npu(fw);
	if (key->group == KEYS_OF_LOCAL_RANK)
		return fw->local_rank || framework_may_npu(fw);
	return is_own(fw, key) || !key_is_own(key);
}

bool key_is_own(const struct option_key *key)
{
	size_t i = 0;

	while (i < NFRAMEWORKS && !is_own(frameworks[i], key))
		i++;
	return key->group || i < NFRAMEWORKS;
}

size_t frameworks_with_key(const struct option_key *key, char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (size_t i = 0; i < NFRAMEWORKS; i++)
		if (framework_has_key(frameworks[i], key)) {
			text_add(buf, size, ", ", "%s", frameworks[i]->name);
			n++;
		}
	return n;
}
