/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "core/base/idlist.h"
#include "core/facts/components.h"
#include "core/facts/handover.h"
#include "registry/component_options.h"
#include "spank/slurm/cmdline.h"
#include "spank/slurm/slurmctld.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the order of the command line. */
struct component {
	char *own;	/* the option that it has itself, or NULL */
	unsigned group; /* of the job: Slurm numbers the tasks in this order */
	unsigned part;	/* of the command line */
};

static struct component component[COMPONENTS_MAX];
static unsigned ncomponents;
static unsigned nleft; /* of them run as without the option */

bool components_there(void)
{
	return ncomponents > 1;
}

void components_clear(void)
{
	for (unsigned i = 0; i < ncomponents; i++)
		free(component[i].own);
	ncomponents = nleft = 0;
}

/* --- which group of the job --- */

/* The value of --het-group (once --pack-group), maybe abbreviated or the next
 * word; NULL: another word. */
static const char *group_value(char **word)
{
	size_t len = strcspn(*word, "=");

	if (len < sizeof("--het") - 1 ||
	    (strncmp(*word, "--het-group", len) != 0 &&
	     strncmp(*word, "--pack-group", len) != 0))
		return NULL;
	return (*word)[len] ? *word + len + 1 : word[1];
}

/* "0,2" or "[0-2]" */
static void read_groups(const char *value, struct idlist *ret)
{
	char list[512];

	snprintf(list, sizeof(list), "%s", value + (*value == '['));
	list[strcspn(list, "]")] = '\0';
	idlist_parse(list, ret);
}

/* Those of one part of the command line; srun goes through it once for each. */
static unsigned add_groups(struct component *c, unsigned n, unsigned part,
			   const struct idlist *list)
{
	for (unsigned i = 0; i < list->n && n < COMPONENTS_MAX; i++)
		c[n++] = (struct component){.group = list->id[i], .part = part};
	return n;
}

/* The components in the order in which srun comes to them: by default a part of
 * the command line is the group of its number. Returns how many. */
static unsigned read_parts(struct component ret[COMPONENTS_MAX])
{
	struct idlist list = {.n = 1};
	unsigned n = 0, part = 0;

	for (char **w = cmdline_words(); *w; w++) {
		const char *value = group_value(w);

		if (value) {
			read_groups(value, &list);
		} else if (!strcmp(*w, ":")) {
			n = add_groups(ret, n, part++, &list);
			list.n = 1;
			list.id[0] = (unsigned short)part;
		}
	}
	return add_groups(ret, n, part, &list);
}

/* Where all of them stand. One alone is the first, and nothing is read for it.
 */
static void place_all(void)
{
	struct component all[COMPONENTS_MAX];
	unsigned n = read_parts(all);

	for (unsigned i = 0; i < ncomponents; i++) {
		component[i].group = i < n ? all[i].group : COMPONENTS_MAX + i;
		component[i].part = i < n ? all[i].part : i;
	}
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
	*c = (struct component){0};
	if (own) {
		c->own = strdup(own);
		if (!c->own)
			return err_memory(err);
	}
	ncomponents++;
	if (ncomponents > 1)
		place_all();
	if (own && check(number, config, err) < 0)
		return -1;
	return ncomponents > 1 ? put(last, err) : 0;
}

/* --- commands that the option isn't meant for --- */

/* The words of the component that srun has read last: getopt() stands at its
 * program. Returns how many. */
static int program_words(char ***ret)
{
	unsigned part = component[ncomponents - 1].part;
	char **word = srun_words;
	int n = 0;

	for (; part && word && *word; part--)
		for (word++; *word && strcmp(*word, ":") != 0;)
			word++;
	for (int i = 0; i < optind && word && *word; i++)
		word++;
	*ret = word;
	while (word && word[n] && strcmp(word[n], ":") != 0)
		n++;
	return n;
}

int components_leave(const struct adapter *a, struct err *err)
{
	char room[COMMAND_ROOM], **word;
	struct step_command c = {0};
	int n = program_words(&word), rc;
	bool alone;

	if (n)
		wrapped_command_read(n, word, script_reader(a), room, &c);
	alone = n && leave_alone_wanted(a, &c, UINT_MAX);
	nleft += alone;
	if (n && !alone && a->request.framework->program_is_file &&
	    roles_put(n, word, &a->config, err) < 0)
		return -1;
	if (!components_there())
		return 0;
	rc = components_left_alone() ? setenv(HANDOVER_LEAVE, "1", 1)
				     : unsetenv(HANDOVER_LEAVE);
	return rc < 0 ? err_memory(err) : 0;
}

bool components_left_alone(void)
{
	return nleft == ncomponents;
}
