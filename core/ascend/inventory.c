/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The administrator's inventory of devices: lines "NODES DEVICES address=...
 * sdid=... pod=... chip=..." and "NODES gpu nvlink=...", whose values are lists
 * that expand over nodes and devices. inventory_read() checks the whole text;
 * inventory_find() looks one device up. Used by srun, the launcher, dist-train
 * devices and doctor.
 */
#include "core/ascend/inventory.h"

#include "core/base/hostlist.h"
#include "core/base/parse.h"

#include <stdlib.h>
#include <string.h>

#define GPUS "gpu" /* in place of a list of devices */

enum {
	FACT_ADDRESS,
	FACT_SDID,
	FACT_POD,
	FACT_CHIP,
	FACTS_OF_NPU,
	FACT_NVLINK = FACTS_OF_NPU,
	FACT_COUNT
};

static const char *const fact_names[FACT_COUNT] = {
	"address", "sdid", "pod", "chip", "nvlink",
};

struct inventory_line {
	unsigned number; /* line number in the file */
	const char *nodes;
	unsigned nnodes;
	struct idlist ids;	 /* none: a line about GPUs */
	char *value[FACT_COUNT]; /* NULL: not given */
};

static int bad_line(const struct inventory *v, const struct inventory_line *l,
		    struct err *err, const struct err *why)
{
	return err_printf(err, "%s:%u: %.700s", v->file, l->number, why->text);
}

/* Check that a list is well-formed and has one value per device, or one per
 * node and device. */
static int check_list(const struct inventory_line *l, int fact,
		      const char *list, struct err *err)
{
	bool differs = fact == FACT_ADDRESS || fact == FACT_SDID;
	unsigned n, all = l->nnodes * l->ids.n;
	char shown[SHOW_SIZE];

	if (hostlist_count(list, &n) < 0)
		return err_printf(
			err, "%s=%s isn't a list such as 29.17.[1-4].[10-17]",
			fact_names[fact], show(shown, list));
	if (n == all || (!differs && (n == 1 || n == l->nnodes)))
		return 0;
	if (!all)
		return err_printf(err,
				  "%s=%s stands for %u values; %u nodes need "
				  "one each, or one for all",
				  fact_names[fact], show(shown, list), n,
				  l->nnodes);
	return err_printf(err,
			  "%s=%s stands for %u values, but %u nodes with %u "
			  "devices each need %u",
			  fact_names[fact], show(shown, list), n, l->nnodes,
			  l->ids.n, all);
}

static int check_value(const struct inventory_line *l, int fact, char *value,
		       struct err *err)
{
	cleanup_free char *copy = strdup(value);
	char *save = NULL, *list;

	if (!copy)
		return err_memory(err);
	if (fact != FACT_ADDRESS)
		return check_list(l, fact, value, err);
	list = strtok_r(copy, "+", &save);
	if (!list)
		return err_printf(err, "address= has no value");
	for (; list; list = strtok_r(NULL, "+", &save))
		if (check_list(l, fact, list, err) < 0)
			return -1;
	return 0;
}

static int read_fact(struct inventory_line *l, char *word, struct err *err)
{
	char shown[SHOW_SIZE], *eq = strchr(word, '=');
	int first = l->ids.n ? 0 : FACTS_OF_NPU;
	int end = l->ids.n ? FACTS_OF_NPU : FACT_COUNT;

	for (int i = first; eq && i < end; i++) {
		if (strlen(fact_names[i]) != (size_t)(eq - word) ||
		    memcmp(fact_names[i], word, (size_t)(eq - word)) != 0)
			continue;
		if (l->value[i])
			return err_printf(err, "%s= twice", fact_names[i]);
		l->value[i] = eq + 1;
		return check_value(l, i, eq + 1, err);
	}
	return err_printf(err, "%s isn't %s", show(shown, word),
			  l->ids.n ? "one of address= sdid= pod= chip="
				   : "nvlink=DOMAIN");
}

static int check_ids(const struct idlist *ids)
{
	for (unsigned i = 0; i < ids->n; i++)
		if (ids->id[i] > NPU_ID_MAX ||
		    (i && ids->id[i] <= ids->id[i - 1]))
			return -1;
	return ids->n ? 0 : -1;
}

static int read_devices(const char *text, struct idlist *ret, struct err *err)
{
	char shown[SHOW_SIZE];

	ret->n = 0;
	if (!strcmp(text, GPUS) ||
	    (idlist_parse(text, ret) == 0 && check_ids(ret) == 0))
		return 0;
	return err_printf(err,
			  "%s isn't a list of devices such as 0-7, ascending "
			  "and up to %d, nor " GPUS,
			  show(shown, text), NPU_ID_MAX);
}

static int read_line(char *text, struct inventory_line *l, struct err *err)
{
	char shown[SHOW_SIZE], *save = NULL;
	char *ids, *word;

	l->nodes = strtok_r(text, " \t\r", &save);
	ids = strtok_r(NULL, " \t\r", &save);
	word = strtok_r(NULL, " \t\r", &save);
	if (!word)
		return err_printf(err, "write NODES DEVICES address=...");
	if (hostlist_count(l->nodes, &l->nnodes) < 0)
		return err_printf(
			err, "%s isn't a list of nodes such as node[001-128]",
			show(shown, l->nodes));
	if (read_devices(ids, &l->ids, err) < 0)
		return -1;
	for (; word; word = strtok_r(NULL, " \t\r", &save))
		if (read_fact(l, word, err) < 0)
			return -1;
	return 0;
}

static unsigned count_lines(const char *text)
{
	unsigned n = 1;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

static int read_lines(struct inventory *v, struct err *err)
{
	char *save = v->text;
	unsigned number = 1;
	struct err why;

	for (char *line; (line = strsep(&save, "\n")); number++) {
		struct inventory_line *l = &v->line[v->nlines];

		line[strcspn(line, "#")] = '\0';
		if (!line[strspn(line, " \t\r")])
			continue;
		l->number = number;
		if (read_line(line, l, &why) < 0)
			return bad_line(v, l, err, &why);
		v->nlines++;
	}
	return 0;
}

int inventory_read(const char *text, const char *file, struct inventory *ret,
		   struct err *err)
{
	struct inventory v = {.file = file};

	v.text = strdup(text);
	v.line = calloc(count_lines(text), sizeof(*v.line));
	if (!v.text || !v.line) {
		inventory_clear(&v);
		return err_memory(err);
	}
	if (read_lines(&v, err) < 0) {
		inventory_clear(&v);
		return -1;
	}
	*ret = v;
	return 0;
}

void inventory_clear(struct inventory *inventory)
{
	free(inventory->line);
	free(inventory->text);
	*inventory = (struct inventory){0};
}

/* Expand the value of one device of one node; -1 when it is too long. */
static int nth_value(const struct inventory_line *l, const char *list,
		     unsigned node, unsigned device,
		     char ret[HOSTLIST_NAME_MAX])
{
	unsigned n, index = 0;

	if (hostlist_count(list, &n) < 0)
		return -1;
	if (n == l->nnodes * l->ids.n)
		index = node * l->ids.n + device;
	else if (n == l->nnodes)
		index = node;
	return hostlist_nth(list, index, ret);
}

static int add_addrs(const struct inventory_line *l, unsigned node,
		     unsigned device, struct npu *npu, struct err *err)
{
	cleanup_free char *copy = strdup(l->value[FACT_ADDRESS]);
	char *save = NULL, value[HOSTLIST_NAME_MAX];

	if (!copy)
		return err_memory(err);
	for (char *list = strtok_r(copy, "+", &save); list;
	     list = strtok_r(NULL, "+", &save))
		if (nth_value(l, list, node, device, value) < 0 ||
		    npu_add_addr(npu, value, strlen(value), err) < 0)
			return -1;
	npu->addr_from = NPU_FROM_INVENTORY;
	return 0;
}

/* An NVLink domain, which is no NPU's, takes the place of a super pod. */
static int add_fact(const struct inventory_line *l, int fact, unsigned node,
		    unsigned device, struct npu *npu, struct err *err)
{
	char value[HOSTLIST_NAME_MAX], shown[SHOW_SIZE];
	long n;

	if (fact == FACT_ADDRESS)
		return add_addrs(l, node, device, npu, err);
	if (nth_value(l, l->value[fact], node, device, value) < 0)
		return err_printf(err, "%s: a value is too long",
				  fact_names[fact]);
	if (fact == FACT_SDID &&
	    parse_number(value, 0, NPU_SDID_MAX, &n) == 0) {
		npu->sdid = (unsigned long)n;
		npu->sdid_from = NPU_FROM_INVENTORY;
		return 0;
	}
	if ((fact == FACT_POD || fact == FACT_NVLINK) &&
	    is_word(value, "-_.", sizeof(npu->pod) - 1)) {
		strcpy(npu->pod, value);
		npu->pod_from = NPU_FROM_INVENTORY;
		return 0;
	}
	if (fact == FACT_CHIP && npu_chip_of_name(value, &npu->chip) == 0) {
		npu->chip_from = NPU_FROM_INVENTORY;
		return 0;
	}
	return err_printf(err, "%s=%s: %s", fact_names[fact],
			  show(shown, value),
			  fact == FACT_SDID ? "not a 32-bit number"
			  : fact == FACT_CHIP
				  ? "not one of " CHIP_NAMES
				  : "not a word of letters, digits and - _ .");
}

static bool has_fact(const struct npu *npu, int fact)
{
	return fact == FACT_ADDRESS ? npu->addr_from
	       : fact == FACT_SDID  ? npu->sdid_from
	       : fact == FACT_POD   ? npu->pod_from
				    : npu->chip_from;
}

int inventory_find(const struct inventory *v, const char *node, struct npu *npu,
		   struct err *err)
{
	struct npu found = {.phy_id = npu->phy_id};

	for (unsigned i = 0; i < v->nlines; i++) {
		const struct inventory_line *l = &v->line[i];
		int device = idlist_find(&l->ids, npu->phy_id);
		unsigned at;
		struct err why;

		if (device < 0 || hostlist_find(l->nodes, node, &at) < 0)
			continue;
		for (int f = 0; f < FACTS_OF_NPU; f++) {
			if (!l->value[f])
				continue;
			if (has_fact(&found, f)) {
				err_printf(
					&why,
					"%s= of device %u on node %.200s is "
					"given twice; an earlier line has it",
					fact_names[f], npu->phy_id, node);
				return bad_line(v, l, err, &why);
			}
			if (add_fact(l, f, at, (unsigned)device, &found, &why) <
			    0)
				return bad_line(v, l, err, &why);
		}
	}
	npu_complete(npu, &found);
	return 0;
}

void inventory_ids(const struct inventory *v, const char *node,
		   struct idlist *ret)
{
	bool named[NPU_ID_MAX + 1] = {false};
	unsigned at;

	for (unsigned i = 0; i < v->nlines; i++) {
		const struct inventory_line *l = &v->line[i];

		if (hostlist_find(l->nodes, node, &at) < 0)
			continue;
		for (unsigned k = 0; k < l->ids.n; k++)
			named[l->ids.id[k]] = true;
	}
	ret->n = 0;
	for (unsigned id = 0; id <= NPU_ID_MAX; id++)
		if (named[id])
			ret->id[ret->n++] = (unsigned short)id;
}

/* --- domains of nodes --- */

struct finder {
	struct hostindex nodes;
	int fact;    /* which kind is looked for */
	char **name; /* by node, of that kind */
	const struct inventory_line *line;
	unsigned at; /* the position of its next node */
	struct err why;
};

const char *inventory_domain_word(enum inventory_domain kind)
{
	return kind == INVENTORY_POD ? "super pod" : "NVLink domain";
}

/* The super pod of the first device there, or the NVLink domain. */
static int take_domain(void *arg, const char *node)
{
	struct finder *f = arg;
	struct npu npu = {.phy_id = 0};
	unsigned at;

	if (add_fact(f->line, f->fact, f->at++, 0, &npu, &f->why) < 0)
		return -1;
	if (hostindex_find(&f->nodes, node, &at) < 0 || f->name[at])
		return 0;
	f->name[at] = strdup(npu.pod);
	return f->name[at] ? 0 : err_memory(&f->why);
}

static int find_kind(const struct inventory *v, struct finder *f,
		     struct err *err)
{
	for (unsigned i = 0; i < v->nlines; i++) {
		f->line = &v->line[i];
		f->at = 0;
		if (f->line->value[f->fact] &&
		    hostlist_each(f->line->nodes, take_domain, f) < 0)
			return bad_line(v, f->line, err, &f->why);
	}
	return 0;
}

static int find_domains(const struct inventory *v, struct finder *f,
			struct inventory_domains *ret, struct err *err)
{
	static const int facts[] = {
		[INVENTORY_POD] = FACT_POD, [INVENTORY_NVLINK] = FACT_NVLINK};

	ret->n = f->nodes.n;
	for (int k = 0; k < INVENTORY_DOMAINS; k++) {
		f->fact = facts[k];
		f->name = calloc(ret->n + 1UL, sizeof(*f->name));
		ret->name[k] = f->name;
		if (!f->name)
			return err_memory(err);
		if (find_kind(v, f, err) < 0)
			return -1;
	}
	return 0;
}

int inventory_domains_read(const char *text, const char *file,
			   const char *nodes, struct inventory_domains *ret,
			   struct err *err)
{
	struct inventory_domains domains = {.n = 0};
	struct finder f;
	struct inventory v;
	int rc;

	if (hostindex_make(nodes, &f.nodes, err) < 0)
		return -1;
	rc = inventory_read(text, file, &v, err);
	if (rc == 0) {
		rc = find_domains(&v, &f, &domains, err);
		inventory_clear(&v);
	}
	hostindex_clear(&f.nodes);
	if (rc == 0)
		*ret = domains;
	else
		inventory_domains_clear(&domains);
	return rc;
}

void inventory_domains_clear(struct inventory_domains *domains)
{
	for (int k = 0; k < INVENTORY_DOMAINS; k++) {
		for (unsigned i = 0; domains->name[k] && i < domains->n; i++)
			free(domains->name[k][i]);
		free(domains->name[k]);
	}
	*domains = (struct inventory_domains){0};
}
