/* SPDX-License-Identifier: Apache-2.0 */
#include "core/explain/explain.h"

#include "core/base/env_secret.h"
#include "core/base/parse.h"
#include "core/plan/framework.h"

#include <string.h>

#define VALUE_MAX     200 /* bytes of a value that are shown */
#define JSON_MAX      720 /* the same of one in JSON, on lines of its own */
#define JSON_COLUMNS  70  /* of such a line */
#define VALUE_PAD_MAX 16  /* a longer value moves its source to the right */

/* By a part of the name; the first one that fits. */
static const struct {
	const char *part;
	enum explain_group group;
} parts[] = {
	{"DIST_TRAIN_", EXPLAIN_NEUTRAL},
	{"SLURM_", EXPLAIN_SLURM},
	{"_SOCKET_IFNAME", EXPLAIN_NETWORK},
	{"_SOCK_IFNAME", EXPLAIN_NETWORK},
	{"_IFACE", EXPLAIN_NETWORK},
	{"_if_include", EXPLAIN_NETWORK},
	{"HCCL_IF_", EXPLAIN_NETWORK},
	{"UCX_NET_DEVICES", EXPLAIN_NETWORK},
	{"_VISIBLE_DEVICES", EXPLAIN_DEVICES},
	{"ZE_AFFINITY_MASK", EXPLAIN_DEVICES},
	{"GPU_DEVICE_ORDINAL", EXPLAIN_DEVICES},
	{"_NUM_THREADS", EXPLAIN_DEVICES},
};

static const char *const headings[EXPLAIN_GROUPS] = {
	[EXPLAIN_NETWORK] = "Network",
	[EXPLAIN_DEVICES] = "Devices and threads",
	[EXPLAIN_SLURM] = "Slurm's own, as this process is to see them",
	[EXPLAIN_NEUTRAL] = "Neutral names, the same for every framework",
};

enum explain_group explain_group_of(const struct plan *plan, const char *name)
{
	/* The framework "env" has nothing else. */
	bool only_neutral = !strcmp(plan->request->framework->name, "env");

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(name, parts[i].part))
			return only_neutral && parts[i].group == EXPLAIN_NEUTRAL
				       ? EXPLAIN_OWN
				       : parts[i].group;
	return EXPLAIN_OWN;
}

/* The value that the process will have; NULL: not set. */
static const char *effective(const struct env_entry *e)
{
	return e->state == ENV_KEPT ? e->former : e->value;
}

/* The same as it may be shown. `buf` is for a secret's. */
static const char *shown_value(const struct env_entry *e, char buf[SHOW_SIZE])
{
	const char *value = effective(e);

	return env_is_secret(e, value) ? env_secret(value, buf) : value;
}

static int put_byte(FILE *f, char byte)
{
	unsigned char c = (unsigned char)byte;

	return c >= 0x20 && c < 0x7f ? fprintf(f, "%c", c)
				     : fprintf(f, "\\x%02x", c);
}

int explain_put_value(FILE *f, const char *value)
{
	int columns = 0;
	size_t n = 0;

	if (!value)
		return fprintf(f, "(unset)");
	if (!*value)
		return fprintf(f, "''");
	for (; value[n] && n < VALUE_MAX; n++)
		columns += put_byte(f, value[n]);
	if (value[n])
		columns += fprintf(f, "... (%zu bytes)", strlen(value));
	return columns;
}

/* A value in JSON on lines of its own, broken after commas. */
static void put_json(FILE *f, const char *value)
{
	int columns = 0;
	size_t n = 0;

	for (; value[n] && n < JSON_MAX; n++) {
		size_t word = strcspn(value + n, ",");

		if (!n || (value[n - 1] == ',' && columns > 4 &&
			   columns + (int)word >= JSON_COLUMNS)) {
			fprintf(f, "%s      ", n ? "\n" : "");
			columns = 0;
		}
		columns += put_byte(f, value[n]);
	}
	fprintf(f, "%s\n", value[n] ? "..." : "");
}

static bool is_json(const char *value)
{
	return value && *value == '{' && strlen(value) > VALUE_PAD_MAX;
}

/* What happens to the value that was set before. */
static void put_fate(FILE *f, const struct env_entry *e)
{
	char shown[SHOW_SIZE];

	if (e->state == ENV_SAME)
		fputs(" (set already)", f);
	else if (e->state == ENV_KEPT && !e->former)
		fprintf(f, " (not set: you have set %s)", e->leader);
	else if (e->state == ENV_KEPT && e->value)
		fprintf(f, " (your value is kept; the step has %s)",
			env_show(e, e->value, shown));
	else if (e->state == ENV_KEPT)
		fputs(" (your value is kept; the step has none)", f);
	else if (e->state == ENV_REPLACED &&
		 strcmp(e->former, ENV_PLUGIN_MISSING) != 0)
		fprintf(f, " (replaces %s)", env_show(e, e->former, shown));
}

/* Why a variable has no value: the process mustn't have it, or needs none. */
static const char *absence(const struct env_entry *e)
{
	if (e->value)
		return "";
	return e->kind == ENV_HINT ? "not set: " : "removed: ";
}

struct style {
	int name_width, value_width;
	bool colour;
};

static void put_entry(FILE *f, const struct env_entry *e, bool differs,
		      const struct style *s)
{
	bool bold = s->colour && (differs || e->state == ENV_REPLACED);
	char secret[SHOW_SIZE];
	const char *value = shown_value(e, secret);
	int columns;

	fprintf(f, "%s%c %-*s = ", bold ? "\033[1m" : "", differs ? '*' : ' ',
		s->name_width, e->name);
	columns = is_json(value) ? fprintf(f, "(%zu bytes)", strlen(value))
				 : explain_put_value(f, value);
	fprintf(f, "%s%*s ", bold ? "\033[0m" : "",
		columns < s->value_width ? s->value_width - columns : 0, "");
	if (e->state != ENV_KEPT)
		fprintf(f, " %s%s", absence(e), e->source);
	put_fate(f, e);
	fputc('\n', f);
	if (is_json(value))
		put_json(f, value);
}

static struct style measure(const struct envset *set, unsigned flags)
{
	struct style s = {.value_width = 7,
			  .colour = (flags & EXPLAIN_COLOUR) != 0};

	for (size_t i = 0; i < set->n; i++) {
		const char *value = effective(&set->entry[i]);
		int name = (int)strlen(set->entry[i].name);
		size_t len = value ? strlen(value) : 0;

		if (name > s.name_width)
			s.name_width = name;
		if (len <= VALUE_PAD_MAX && (int)len > s.value_width)
			s.value_width = (int)len;
	}
	return s;
}

static void put_group(FILE *f, const struct plan *plan,
		      const struct envset *set, const bool *differs,
		      enum explain_group group, const struct style *s)
{
	bool first = true;

	for (size_t i = 0; i < set->n; i++) {
		const struct env_entry *e = &set->entry[i];

		if (explain_group_of(plan, e->name) != group)
			continue;
		if (first && headings[group])
			fprintf(f, "%s:\n", headings[group]);
		first = false;
		put_entry(f, e, differs && differs[i], s);
	}
}

void explain_put_env(FILE *f, const struct plan *plan, const struct envset *set,
		     const bool *differs, unsigned flags)
{
	struct style s = measure(set, flags);
	unsigned end = EXPLAIN_GROUPS, hidden = 0;

	if (!(flags & EXPLAIN_ALL))
		end = EXPLAIN_NEUTRAL;
	for (unsigned group = 0; group < end; group++)
		put_group(f, plan, set, differs, (enum explain_group)group, &s);
	for (size_t i = 0; end == EXPLAIN_NEUTRAL && i < set->n; i++)
		hidden += explain_group_of(plan, set->entry[i].name) ==
			  EXPLAIN_NEUTRAL;
	if (hidden)
		fprintf(f,
			"%s:\n  %u variables DIST_TRAIN_*; --all shows "
			"them\n",
			headings[EXPLAIN_NEUTRAL], hidden);
}
