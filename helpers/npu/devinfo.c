/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/npu/devinfo.h"

#include "sys/loop.h"

#include <stdlib.h>
#include <string.h>

/* Merge what all sources say of each NPU: choose by the key devices-from, warn
 * about stale files, and refuse contradictions. Called by devinfo() after all
 * sources were asked. */

static bool has_addr(const struct npu *npu, const char *addr)
{
	for (unsigned i = 0; i < npu->naddrs; i++)
		if (!strcmp(npu->addr[i], addr))
			return true;
	return false;
}

/* Whether both have addresses, and the second has one that the first lacks. */
static bool contradicts(const struct npu *a, const struct npu *b,
			const char **ret_addr)
{
	for (unsigned i = 0; a->addr_from && b->addr_from && i < b->naddrs; i++)
		if (!has_addr(a, b->addr[i])) {
			*ret_addr = b->addr[i];
			return true;
		}
	return false;
}

static void warn_of_difference(const struct survey *s, const char *text)
{
	if (s->options->warnings)
		fprintf(s->options->warnings, "dist-train: node %s: %s\n",
			s->options->node, text);
}

/* Warn when hccn.conf differs from the driver: it is applied only at boot, and
 * may have been edited since. */
static void compare_conf(const struct survey *s, unsigned i)
{
	const struct npu *own = &s->view[VIEW_DRIVER][i];
	const char *stale;
	struct err line;

	if (!contradicts(own, &s->view[VIEW_CONF][i], &stale))
		return;
	err_printf(&line,
		   "%s says that NPU %u has %s, but it has %s (%s), which is "
		   "used; the file is out of date",
		   DEVINFO_CONF, own->phy_id, stale, own->addr[0],
		   npu_source_name(own->addr_from));
	warn_of_difference(s, line.text);
}

static int compare_inventory(const struct survey *s, unsigned i,
			     struct err *err)
{
	const struct npu *own = &s->view[VIEW_DRIVER][i];
	const char *listed;

	if (!own->addr_from)
		own = &s->view[VIEW_CONF][i];
	if (!contradicts(own, &s->view[VIEW_INVENTORY][i], &listed))
		return 0;
	return err_printf(err,
			  "NPU %u of node %.200s has %s (%s), but the "
			  "inventory %.300s says %s; correct it there",
			  own->phy_id, s->options->node, own->addr[0],
			  npu_source_name(own->addr_from),
			  s->options->inventory, listed);
}

/* Take the address from the source that the key chooses, and other facts from
 * any source. */
static void merge_views(const struct survey *s, unsigned i, struct npu *ret)
{
	enum devinfo_from from = s->options->from;
	int only = from == DEVINFO_AUTO	       ? -1
		   : from == DEVINFO_HCCN_CONF ? VIEW_CONF
		   : from == DEVINFO_INVENTORY ? VIEW_INVENTORY
					       : VIEW_DRIVER;

	*ret = (struct npu){.phy_id = s->view[VIEW_DRIVER][i].phy_id};
	for (int v = 0; v < NVIEWS; v++) {
		struct npu one = s->view[v][i];

		if (only >= 0 && v != only)
			one.addr_from = NPU_FROM_NOWHERE;
		npu_complete(ret, &one);
	}
}

/* One line for each source, where these are wanted. */
static void survey_tell(const struct survey *s)
{
	FILE *f = s->options->how;

	for (int i = NPU_FROM_DCMI; f && i < NPU_SOURCES; i++) {
		const char *note = s->note[i].text;

		fprintf(f, "%s: %s%s%s\n", npu_source_name((enum npu_source)i),
			!s->asked[i] ? "not asked"
			: s->had[i]  ? "answered"
				     : "no answer",
			*note ? "; " : "", note);
	}
}

/* Append each source's own reason why there is no address. */
static void add_sources(const struct survey *s, struct err *line)
{
	size_t used = strlen(line->text);

	for (int i = NPU_FROM_DCMI; i <= NPU_FROM_INVENTORY; i++)
		if (*s->note[i].text && used < sizeof(line->text))
			used += (size_t)snprintf(
				line->text + used, sizeof(line->text) - used,
				"; %s: %.200s",
				npu_source_name((enum npu_source)i),
				s->note[i].text);
}

static bool needs_address(const struct survey *s, const struct npu *npu)
{
	return s->options->nservers > 1 && npu->chip_from &&
	       chip_facts(npu->chip)->address_over_servers;
}

static int no_address(const struct survey *s, const struct npu *npu,
		      struct err *err)
{
	struct err line;

	if (needs_address(s, npu)) {
		err_printf(err,
			   "node %.200s: NPU %u has no known address, and a "
			   "step of %u servers with chip %s needs it; set it "
			   "(hccn_tool -i %u -ip -s address A netmask M) or "
			   "write it in an inventory",
			   s->options->node, npu->phy_id, s->options->nservers,
			   chip_facts(npu->chip)->name, npu->phy_id);
		add_sources(s, err);
		return -1;
	}
	err_printf(&line, "NPU %u has no known address", npu->phy_id);
	add_sources(s, &line);
	warn_of_difference(s, line.text);
	return 0;
}

/* Warn about a driver that hangs or answers only in part, even if another
 * source knows the addresses; a driver that isn't installed needs no
 * warning. */
static void warn_trouble(const struct survey *s)
{
	struct err line;

	for (int i = NPU_FROM_DCMI; i <= NPU_FROM_HCCN_TOOL; i++) {
		if (!strstr(s->note[i].text, "killed") &&
		    !strstr(s->note[i].text, DEVINFO_NO_TIME) &&
		    (!s->had[i] || !*s->note[i].text))
			continue;
		err_printf(&line, "%s: %s", npu_source_name((enum npu_source)i),
			   s->note[i].text);
		warn_of_difference(s, line.text);
	}
}

static int check_forced(const struct survey *s, struct err *err)
{
	static const enum npu_source sources[] = {
		[DEVINFO_AUTO] = NPU_FROM_NOWHERE,
		[DEVINFO_DCMI] = NPU_FROM_DCMI,
		[DEVINFO_HCCN_TOOL] = NPU_FROM_HCCN_TOOL,
		[DEVINFO_HCCN_CONF] = NPU_FROM_HCCN_CONF,
		[DEVINFO_INVENTORY] = NPU_FROM_INVENTORY,
	};
	enum npu_source source = sources[s->options->from];
	const char *note = s->note[source].text;

	if (!source || s->had[source])
		return 0;
	return err_printf(err, "devices-from=%s: node %.200s: %.500s",
			  npu_source_name(source), s->options->node,
			  !s->asked[source]
				  ? "the plugin has no argument inventory="
			  : *note ? note
				  : "no answer");
}

/* Compare the views, warn, and take from them what the key asks for. */
static int survey_merge(const struct survey *s, struct npu *ret,
			struct err *err)
{
	unsigned missing = 0;

	if (check_forced(s, err) < 0)
		return -1;
	if (!s->options->told)
		warn_trouble(s);
	for (unsigned i = 0; i < s->n; i++)
		if (compare_inventory(s, i, err) < 0)
			return -1;
	for (unsigned i = 0; i < s->n; i++) {
		compare_conf(s, i);
		merge_views(s, i, &ret[i]);
		if (!ret[i].addr_from && !missing++ &&
		    no_address(s, &ret[i], err) < 0)
			return -1;
	}
	return 0;
}

static bool all_have_address(const struct survey *s)
{
	for (unsigned i = 0; i < s->n; i++)
		if (!s->view[VIEW_DRIVER][i].addr_from)
			return false;
	return true;
}

static bool all_have_chip(const struct survey *s)
{
	for (unsigned i = 0; i < s->n; i++)
		if (!s->view[VIEW_DRIVER][i].chip_from ||
		    (s->view[VIEW_DRIVER][i].chip == CHIP_910C &&
		     !s->view[VIEW_DRIVER][i].sdid_from))
			return false;
	return true;
}

static void ask_tool(struct survey *s, enum npu_source source,
		     int (*fn)(struct devinfo_query *))
{
	struct devinfo_query q = {
		.options = s->options,
		.deadline_ms = s->deadline_ms,
		.npu = s->view[VIEW_DRIVER],
		.n = s->n,
	};

	s->asked[source] = true;
	s->had[source] = fn(&q) == 0;
	s->note[source] = q.note;
}

static int ask_dcmi(struct survey *s, struct err *err)
{
	struct devinfo_query q = {
		.options = s->options,
		.deadline_ms = s->deadline_ms,
		.npu = s->view[VIEW_DRIVER],
		.n = s->n,
	};
	int absent;

	s->asked[NPU_FROM_DCMI] = true;
	s->had[NPU_FROM_DCMI] = devinfo_dcmi(&q, &absent) == 0;
	s->note[NPU_FROM_DCMI] = q.note;
	if (absent >= 0)
		return err_printf(err,
				  "Slurm allocated NPU %d on node %.200s, but "
				  "the driver doesn't know it (DCMI); compare "
				  "gres.conf with npu-smi info there",
				  absent, s->options->node);
	return 0;
}

/* hccn_tool is slow, so it is called only if its answer can make a
 * difference. */
static int ask_driver(struct survey *s, struct err *err)
{
	enum devinfo_from from = s->options->from;
	bool wants_tool;

	if (ask_dcmi(s, err) < 0)
		return -1;
	if (from == DEVINFO_HCCN_TOOL)
		for (unsigned i = 0; i < s->n; i++)
			s->view[VIEW_DRIVER][i].addr_from = NPU_FROM_NOWHERE;
	wants_tool = from == DEVINFO_HCCN_TOOL ||
		     (from == DEVINFO_AUTO && !all_have_address(s));
	if (s->options->quick && (wants_tool || !all_have_chip(s)))
		return 1;
	if (wants_tool)
		ask_tool(s, NPU_FROM_HCCN_TOOL, devinfo_hccn_tool);
	if (!all_have_chip(s))
		ask_tool(s, NPU_FROM_NPU_SMI, devinfo_npu_smi);
	return 0;
}

static int survey(struct survey *s, struct npu *ret, struct err *err)
{
	int rc = s->options->quick && s->options->inventory
			 ? 1
			 : ask_driver(s, err);

	if (rc != 0)
		return rc;
	survey_conf(s);
	if (survey_inventory(s, err) < 0)
		return -1;
	survey_tell(s);
	return survey_merge(s, ret, err);
}

int devinfo_read(const struct devinfo_options *options,
		 const struct idlist *ids, struct npu *ret, struct err *err)
{
	cleanup_free struct npu *views =
		calloc(NVIEWS * (size_t)ids->n + 1, sizeof(*views));
	struct survey s = {
		.options = options,
		.deadline_ms = loop_now_ms() + options->timeout_s * 1000ULL,
		.n = ids->n,
	};
	struct npu_nodes nodes;

	if (!views)
		return err_memory(err);
	for (int v = 0; v < NVIEWS; v++)
		s.view[v] = views + (size_t)v * ids->n;
	for (unsigned i = 0; i < NVIEWS * ids->n; i++)
		views[i].phy_id = ids->id[i % ids->n];
	/* Quick: who started the library's process has seen them */
	if (!options->quick &&
	    (devinfo_nodes(options->root, &nodes, err) < 0 ||
	     npu_ids_check(ids, &nodes, options->node, err) < 0))
		return -1;
	return survey(&s, ret, err);
}
