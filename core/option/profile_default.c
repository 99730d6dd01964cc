/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/profile.h"

#include "core/base/hostlist.h"

#include <stdlib.h>
#include <string.h>

/* Whether "FEATURE=HOSTLIST;..." has the node in that feature's list. */
static bool has_feature(const struct profile_place *where, const char *feature)
{
	const char *text = where->features;
	size_t len = strlen(feature);

	while (text && *text && where->node) {
		size_t n = strcspn(text, ";");

		if (n > len && text[len] == '=' &&
		    !strncmp(text, feature, len)) {
			cleanup_free char *list =
				strndup(text + len + 1, n - len - 1);
			unsigned index;

			return list &&
			       hostlist_find(list, where->node, &index) == 0;
		}
		text += n;
		text += *text == ';';
	}
	return false;
}

static bool is_here(const char *place, const struct profile_place *where)
{
	return (where->partition && !strcmp(place, where->partition)) ||
	       has_feature(where, place);
}

/* Whether "NAME+NAME" has the name. */
static bool has_name(const char *names, const char *name)
{
	size_t len = strlen(name);

	while (*names) {
		size_t n = strcspn(names, "+");

		if (n == len && !strncmp(names, name, n))
			return true;
		names += n;
		names += *names == '+';
	}
	return false;
}

char *profile_defaults(const char *defaults, const struct profile_place *where)
{
	char *names = calloc(1, strlen(defaults) + 1);
	cleanup_free char *copy = strdup(defaults);
	char *save = NULL, *end = names;

	if (!names || !copy) {
		free(names);
		return NULL;
	}
	for (char *word = strtok_r(copy, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		char *at = strchr(word, '@');

		if (at)
			*at++ = '\0';
		if ((at && !is_here(at, where)) || has_name(names, word))
			continue;
		if (end != names)
			*end++ = '+';
		end = stpcpy(end, word);
	}
	return names;
}

int profile_features(const char *defaults, const char *partition,
		     int (*each)(void *arg, const char *feature), void *arg)
{
	cleanup_free char *copy = strdup(defaults);
	char *save = NULL;
	int rc = copy ? 0 : -1;

	for (char *word = copy ? strtok_r(copy, " ", &save) : NULL;
	     word && rc == 0; word = strtok_r(NULL, " ", &save)) {
		const char *at = strchr(word, '@');

		if (at && (!partition || strcmp(at + 1, partition) != 0))
			rc = each(arg, at + 1);
	}
	return rc;
}
