/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/npu/devinfo.h"

#include "sys/loop.h"

#include <stdlib.h>

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
