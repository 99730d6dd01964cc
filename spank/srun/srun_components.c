/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "core/base/idlist.h"
#include "core/facts/components.h"
#include "core/facts/handover.h"
#include "registry/component_options.h"
#include "spank/slurm/cmdline.h"
#include "spank/slurm/slurmctld.h"
#include "sys/log.h"

#include <stdlib.h>
#include <string.h>

/* In the order of the command line. */
struct component {
	char *own;	/* the option that it has itself, or NULL */
	unsigned group; /* of the job: Slurm numbers the tasks in this order */
};

static struct component component[COMPONENTS_MAX];
static unsigned ncomponents;

void components_forget(void)
{
	unsetenv(HANDOVER_COMPONENTS);
}

bool components_there(void)
{
	return ncomponents > 1;
}

void components_clear(void)
{
	for (unsigned i = 0; i < ncomponents; i++)
		free(component[i].own);
	ncomponents = 0;
}

/* --- which group of the job --- */

/* The value of --het-group (once --pack-group), maybe abbreviated or the next
 * word; NULL: another word. */
static const char *group_value(FILE *f, char *word, size_t size)
{
	size_t len = strcspn(word, "=");

	if (len < sizeof("--het") - 1 ||
	    (strncmp(word, "--het-group", len) != 0 &&
	     strncmp(word, "--pack-group", len) != 0))
		return NULL;
	if (word[len])
		return word + len + 1;
	return cmdline_next(f, word, size) ? word : NULL;
}

/* Those of one part of the command line; srun goes through it once for each. */
static unsigned add_groups(unsigned *group, unsigned n,
			   const struct idlist *list)
{
	for (unsigned i = 0; i < list->n && n < COMPONENTS_MAX; i++)
		group[n++] = list->id[i];
	return n;
}

/* The groups in the order in which srun comes to them: by default a part of the
 * command line is the group of its number. Returns how many. */
static unsigned read_groups(unsigned group[COMPONENTS_MAX])
{
	struct idlist list = {.n = 1};
	unsigned n = 0, part = 0;
	FILE *f = cmdline_open();
	char word[512];

	while (f && cmdline_next(f, word, sizeof(word))) {
		const char *value = group_value(f, word, sizeof(word));

		if (value) {
			word[strcspn(word, "]")] = '\0';
			idlist_parse(value + (*value == '['), &list);
		} else if (!strcmp(word, ":")) {
			n = add_groups(group, n, &list);
			list.n = 1;
			list.id[0] = (unsigned short)++part;
		}
	}
	if (f)
		fclose(f);
	return add_groups(group, n, &list);
}

static unsigned group_of(unsigned at)
{
	unsigned group[COMPONENTS_MAX];
	unsigned n = read_groups(group);

	return at < n ? group[at] : COMPONENTS_MAX + at;
}

/* --- what the nodes are told --- */

/* The order of the step: by group, and as written in one group. */
static void sort(const char **text)
{
	const struct component *sorted[COMPONENTS_MAX];
	const char *by_line[COMPONENTS_MAX];

	for (unsigned i = 0; i < ncomponents; i++) {
		unsigned at = i;

		for (; at && sorted[at - 1]->group > component[i].group; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = &component[i];
	}
	memcpy(by_line, text, ncomponents * sizeof(*text));
	for (unsigned i = 0; i < ncomponents; i++)
		text[i] = by_line[sorted[i] - component];
}

/* Where no component differs and no node has devices, nobody asks. */
static int put(const char *last, struct err *err)
{
	const char *text[COMPONENTS_MAX];
	char *all;
	int rc = 0;

	for (unsigned i = 0; i < ncomponents; i++)
		last = component[i].own ? component[i].own : last;
	if (!last)
		return 0;
	for (unsigned i = 0; i < ncomponents; i++)
		text[i] = component[i].own ? component[i].own : last;
	sort(text);
	all = components_text(text, ncomponents);
	if (all && (components_differ(all) || slurmctld_gres_types()))
		rc = setenv(HANDOVER_COMPONENTS, all, 1);
	free(all);
	return all && rc == 0 ? 0 : err_memory(err);
}

/* With the last one before it that has an option of its own. */
static int check(unsigned number, const struct config *config, struct err *err)
{
	unsigned before = number;

	while (before && !component[before - 1].own)
		before--;
	if (!before)
		return 0;
	before--;
	return components_agree(component[before].own, before,
				component[number].own, number, config, err);
}

int components_note(const char *own, const char *last,
		    const struct config *config, struct err *err)
{
	unsigned number = ncomponents;
	struct component *c = &component[number];

	if (number == COMPONENTS_MAX)
		return 0;
	*c = (struct component){.group = group_of(number)};
	if (own) {
		c->own = strdup(own);
		if (!c->own)
			return err_memory(err);
	}
	ncomponents++;
	if (own && check(number, config, err) < 0)
		return -1;
	return ncomponents > 1 ? put(last, err) : 0;
}
