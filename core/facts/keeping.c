/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/keeping.h"

#include "core/base/parse.h"

#include <stdio.h>
#include <string.h>

/* A line each: pid, the two paths, and the three lists of NPUs. */
#define NLINES 6

int keeping_format(const struct keeping *k, char buf[KEEPING_SIZE])
{
	const struct idlist *lists[] = {&k->npus.own, &k->npus.step,
					&k->npus.at};
	char text[3][IDLIST_MAX * 6];

	if (strchr(k->table, '\n') || strchr(k->error_file, '\n'))
		return -1;
	for (unsigned i = 0; i < 3; i++)
		if (idlist_format(lists[i], text[i], sizeof(text[i])) < 0)
			return -1;
	snprintf(buf, KEEPING_SIZE, "%u\n%s\n%s\n%s\n%s\n%s\n", k->launcher,
		 k->table, k->error_file, text[0], text[1], text[2]);
	return 0;
}

/* The lines of `copy`, which is cut into them. */
static int cut(char *copy, char *line[NLINES])
{
	for (unsigned i = 0; i < NLINES; i++) {
		char *end = strchr(copy, '\n');

		if (!end)
			return -1;
		*end = '\0';
		line[i] = copy;
		copy = end + 1;
	}
	return *copy ? -1 : 0;
}

static int read_path(const char *line, char ret[KEEPING_PATH])
{
	if (strlen(line) >= KEEPING_PATH)
		return -1;
	strcpy(ret, line);
	return 0;
}

/* A list tells the place of each process among the step's. */
static bool fits(const struct npu_task *npus)
{
	if (npus->own.n != npus->at.n)
		return false;
	for (unsigned i = 0; i < npus->at.n; i++)
		if (npus->at.id[i] >= npus->step.n)
			return false;
	return true;
}

int keeping_parse(const char *text, struct keeping *ret, struct err *err)
{
	char copy[KEEPING_SIZE], *line[NLINES];
	struct keeping k = {0};
	long pid;

	if (strlen(text) >= sizeof(copy) || cut(strcpy(copy, text), line) < 0 ||
	    parse_number(line[0], 1, INT_MAX, &pid) < 0 ||
	    read_path(line[1], k.table) < 0 ||
	    read_path(line[2], k.error_file) < 0 ||
	    idlist_parse(line[3], &k.npus.own) < 0 ||
	    idlist_parse(line[4], &k.npus.step) < 0 ||
	    idlist_parse(line[5], &k.npus.at) < 0 || !fits(&k.npus))
		return err_printf(err, "the launcher of this node's first task "
				       "has said something that isn't "
				       "understood");
	k.launcher = (unsigned)pid;
	*ret = k;
	return 0;
}
