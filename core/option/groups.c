/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/groups.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <stdint.h>
#include <string.h>

#define SIZE_MAX_RANKS 1000000
#define ITEM_SIZE      64

/* --- the words --- */

static int refuse(const char *text, const char *why, struct err *err)
{
	char shown[SHOW_SIZE];

	return err_printf(err,
			  "%s=%s: %s; write NAME:N[+NAME:N]..., the "
			  "fastest-varying first, such as tp:8+dp+pp:4",
			  option_keys[KEY_GROUPS].name, show(shown, text), why);
}

static int find_kind(const struct groups *g, const char *name, size_t len)
{
	for (unsigned i = 0; i < g->n; i++)
		if (strlen(g->kind[i].name) == len &&
		    !strncmp(g->kind[i].name, name, len))
			return (int)i;
	return -1;
}

static bool is_name(const char *name)
{
	size_t len = strlen(name);

	return len && len < GROUPS_NAME_SIZE && *name != '-' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == len;
}

/* "tp:8", or "dp" alone. */
static int add_item(const char *text, char *item, struct groups *g,
		    struct err *err)
{
	char *colon = strchr(item, ':');
	long size = 0;

	if (colon)
		*colon = '\0';
	if (!is_name(item))
		return refuse(text, "a name has a-z, 0-9, _ and -, at most 15",
			      err);
	if (find_kind(g, item, strlen(item)) >= 0)
		return refuse(text, "a name is there twice", err);
	if (g->n == GROUPS_MAX)
		return refuse(text, "more than 8 names", err);
	if (colon && parse_number(colon + 1, 1, SIZE_MAX_RANKS, &size) < 0)
		return refuse(text, "a size is a number from 1 to 1000000",
			      err);
	for (unsigned i = 0; !colon && i < g->n; i++)
		if (!g->kind[i].size)
			return refuse(text,
				      "only one name can have what is left",
				      err);
	strcpy(g->kind[g->n].name, item);
	g->kind[g->n++].size = (unsigned)size;
	return 0;
}

int groups_parse(const char *text, struct groups *ret, struct err *err)
{
	struct groups g = {.n = 0};
	const char *at = text;
	char item[ITEM_SIZE];

	for (;;) {
		size_t len = strcspn(at, "+");

		if (len >= sizeof(item))
			return refuse(text, "a part is too long", err);
		memcpy(item, at, len);
		item[len] = '\0';
		if (add_item(text, item, &g, err) < 0)
			return -1;
		if (!at[len])
			break;
		at += len + 1;
	}
	if (g.n == 1 && !g.kind[0].size)
		return refuse(text, "no name has a size", err);
	*ret = g;
	return 0;
}

void groups_of(const struct request *r, struct groups *ret)
{
	const char *text = request_text(r, KEY_GROUPS);
	struct err ignored;

	*ret = (struct groups){.n = 0};
	if (text) /* value_parse() has read it before */
		groups_parse(text, ret, &ignored);
}

const char *groups_text(const struct groups *g, char buf[GROUPS_TEXT_SIZE])
{
	buf[0] = '\0';
	for (unsigned i = 0; i < g->n; i++)
		if (g->kind[i].size)
			text_add(buf, GROUPS_TEXT_SIZE, "+", "%s:%u",
				 g->kind[i].name, g->kind[i].size);
		else
			text_add(buf, GROUPS_TEXT_SIZE, "+", "%s",
				 g->kind[i].name);
	return buf;
}

/* --- which of them must stay together --- */

/* Bits of "tp+cp"; *ret_unknown is the first word that is no kind. */
static unsigned named(const struct groups *g, const char *text,
		      const char **ret_unknown)
{
	unsigned bits = 0;

	*ret_unknown = NULL;
	for (const char *at = text; at;) {
		size_t len = strcspn(at, "+");
		int kind = find_kind(g, at, len);

		if (kind >= 0)
			bits |= 1U << kind;
		else if (!*ret_unknown)
			*ret_unknown = at;
		at = at[len] ? at + len + 1 : NULL;
	}
	return bits;
}

int groups_check_strict(const struct request *r, struct err *err)
{
	const char *text = request_text(r, KEY_GROUPS_STRICT), *unknown;
	char shown[SHOW_SIZE], names[GROUPS_TEXT_SIZE] = "";
	struct groups g;

	groups_of(r, &g);
	named(&g, text, &unknown);
	if (!unknown || !g.n)
		return 0;
	for (unsigned i = 0; i < g.n; i++)
		text_add(names, sizeof(names), ", ", "%s", g.kind[i].name);
	return err_printf(err,
			  "%s=%s: must be yes, no, or some of the names of "
			  "groups (%s) joined by +",
			  option_keys[KEY_GROUPS_STRICT].name,
			  show(shown, text), names);
}

static uint64_t product(const struct groups *g)
{
	uint64_t all = 1;

	for (unsigned i = 0; i < g->n && all <= UINT32_MAX; i++)
		all *= g->kind[i].size ? g->kind[i].size : 1;
	return all;
}

unsigned groups_near(const struct groups *g, unsigned world_size)
{
	unsigned all = (1U << g->n) - 1;

	if (g->n > 1 && product(g) == world_size)
		return all & ~(1U << (g->n - 1));
	return all;
}

unsigned groups_strict(const struct request *r, const struct groups *g,
		       unsigned world_size)
{
	const char *text = request_text(r, KEY_GROUPS_STRICT), *ignored;

	if (text)
		return named(g, text, &ignored);
	return request_yes(r, KEY_GROUPS_STRICT) ? groups_near(g, world_size)
						 : 0;
}

/* --- in a world --- */

int groups_fit(const struct groups *g, unsigned world_size, struct groups *ret,
	       struct err *err)
{
	uint64_t all = product(g);
	char text[GROUPS_TEXT_SIZE];

	if (all > world_size || world_size % all)
		return err_printf(err,
				  "groups=%s: the sizes multiply to %llu, "
				  "which doesn't divide the world of %u ranks; "
				  "use other sizes, or another number of ranks",
				  groups_text(g, text), (unsigned long long)all,
				  world_size);
	*ret = *g;
	for (unsigned i = 0; i < g->n; i++)
		if (!g->kind[i].size)
			ret->kind[i].size = world_size / (unsigned)all;
	return 0;
}
