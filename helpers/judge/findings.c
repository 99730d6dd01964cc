/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/judge/findings.h"

#include "core/base/array.h"
#include "core/base/hostlist.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_node(void *arg, const char *name)
{
	struct doctor *d = arg;

	d->node[d->nnodes] = strdup(name);
	return d->node[d->nnodes++] ? 0 : -1;
}

int doctor_open(struct doctor *d, const char *nodes, struct err *err)
{
	unsigned n;

	*d = (struct doctor){.nnodes = 0};
	if (hostlist_count(nodes, &n) < 0 || !n)
		return err_printf(err, "'%.200s' isn't a list of nodes", nodes);
	d->node = calloc(n, sizeof(*d->node));
	if (!d->node || hostlist_each(nodes, add_node, d) < 0)
		return err_memory(err);
	return 0;
}

int doctor_open_names(struct doctor *d, const char *const name[], unsigned n,
		      struct err *err)
{
	*d = (struct doctor){.node = calloc(n, sizeof(*d->node))};
	if (!d->node)
		return err_memory(err);
	for (unsigned i = 0; i < n; i++)
		if (add_node(d, name[i]) < 0)
			return err_memory(err);
	return 0;
}

void doctor_clear(struct doctor *d)
{
	for (unsigned i = 0; i < d->nnodes; i++)
		free(d->node[i]);
	for (size_t i = 0; i < d->nfacts; i++) {
		free(d->fact[i].key);
		free(d->fact[i].text);
	}
	free(d->node);
	free(d->fact);
	free(d->finding);
	*d = (struct doctor){.nnodes = 0};
}

static bool find_node(const struct doctor *d, const char *name, size_t len,
		      unsigned *ret)
{
	for (unsigned i = 0; i < d->nnodes; i++)
		if (strlen(d->node[i]) == len &&
		    !memcmp(d->node[i], name, len)) {
			*ret = i;
			return true;
		}
	return false;
}

static bool keep_fact(struct doctor *d, unsigned node, const char *key,
		      size_t len, const char *text)
{
	struct doctor_fact f = {
		.node = node,
		.at = d->nfacts,
		.key = strndup(key, len),
		.text = strdup(text),
	};

	if (!f.key || !f.text ||
	    !array_append(&d->fact, d->nfacts, sizeof(*d->fact))) {
		free(f.key);
		free(f.text);
		d->no_memory = true;
		return false;
	}
	d->fact[d->nfacts++] = f;
	return true;
}

bool doctor_add_fact(struct doctor *d, unsigned node, const char *fact)
{
	size_t len = strcspn(fact, " ");

	return len &&
	       keep_fact(d, node, fact, len, fact[len] ? fact + len + 1 : "");
}

bool doctor_add_line(struct doctor *d, const char *line)
{
	size_t mark = strlen(DOCTOR_MARK " "), len;
	const char *name;
	unsigned node;

	if (strncmp(line, DOCTOR_MARK " ", mark) != 0)
		return false;
	name = line + mark;
	len = strcspn(name, " ");
	if (!find_node(d, name, len, &node) || !name[len])
		return false;
	return doctor_add_fact(d, node, name + len + 1);
}

const char *doctor_fact(const struct doctor *d, unsigned node, const char *key)
{
	for (size_t i = 0; i < d->nfacts; i++)
		if (d->fact[i].node == node && !strcmp(d->fact[i].key, key))
			return d->fact[i].text;
	return NULL;
}

/* Values that few nodes have are of no interest: the first of them count. */
#define VALUES_MAX 16

const char *doctor_usual(const struct doctor *d, const char *key,
			 unsigned *ret_node)
{
	const struct doctor_fact *value[VALUES_MAX];
	unsigned count[VALUES_MAX] = {0}, n = 0, most = 0, v;

	for (size_t i = 0; i < d->nfacts; i++) {
		if (strcmp(d->fact[i].key, key) != 0)
			continue;
		for (v = 0; v < n; v++)
			if (!strcmp(value[v]->text, d->fact[i].text))
				break;
		if (v == VALUES_MAX)
			continue;
		if (v == n)
			value[n++] = &d->fact[i];
		count[v]++;
		if (count[v] > count[most])
			most = v;
	}
	if (!n)
		return NULL;
	*ret_node = value[most]->node;
	return value[most]->text;
}

unsigned doctor_count(const struct doctor *d, const char *key)
{
	unsigned count = 0;

	for (unsigned i = 0; i < d->nnodes; i++)
		count += doctor_fact(d, i, key) != NULL;
	return count;
}

static struct doctor_finding *same_finding(const struct doctor *d,
					   const struct doctor_finding *f)
{
	for (size_t i = 0; i < d->nfindings; i++)
		if (d->finding[i].level == f->level &&
		    d->finding[i].check == f->check &&
		    !strcmp(d->finding[i].text, f->text))
			return &d->finding[i];
	return NULL;
}

/* Names as long as there is room, then how many more. */
static void name_node(const struct doctor *d, struct doctor_finding *f,
		      unsigned node)
{
	size_t used = strlen(f->nodes), room = sizeof(f->nodes) - used;
	char *end = f->nodes + used;

	if (f->nnodes && f->last == node)
		return;
	f->last = node;
	f->nnodes++;
	if (f->nshown + 1 == f->nnodes && room > strlen(d->node[node]) + 24) {
		snprintf(end, room, "%s%s", used ? "," : "", d->node[node]);
		f->nshown++;
		return;
	}
	if (f->nshown + 1 < f->nnodes)
		*strrchr(f->nodes, '+') = '\0';
	used = strlen(f->nodes);
	snprintf(f->nodes + used, sizeof(f->nodes) - used, "+%u",
		 f->nnodes - f->nshown);
}

void doctor_find(struct doctor *d, enum doctor_level level, const char *check,
		 unsigned node, const char *remedy, const char *fmt, ...)
{
	struct doctor_finding f = {
		.level = level, .check = check, .remedy = remedy};
	struct doctor_finding *same;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f.text, sizeof(f.text), fmt, ap);
	va_end(ap);
	if (d->found)
		d->found(d->arg, level, node, f.text);
	same = same_finding(d, &f);
	if (!same) {
		if (!array_append(&d->finding, d->nfindings, sizeof(f))) {
			d->no_memory = true;
			return;
		}
		same = &d->finding[d->nfindings++];
		*same = f;
	}
	name_node(d, same, node);
}

const char *doctor_level_name(enum doctor_level level)
{
	static const char *const name[] = {
		[DOCTOR_OK] = "ok",
		[DOCTOR_WARN] = "warn",
		[DOCTOR_FAIL] = "fail",
	};

	return name[level];
}

enum doctor_level doctor_worst(const struct doctor *d)
{
	enum doctor_level worst = DOCTOR_OK;

	for (size_t i = 0; i < d->nfindings; i++)
		if (d->finding[i].level > worst)
			worst = d->finding[i].level;
	return worst;
}
