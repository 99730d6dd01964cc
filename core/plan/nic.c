/* SPDX-License-Identifier: Apache-2.0 */

#include "core/base/text.h"
#include "core/plan/plan.h"

#include <string.h>

/* NCCL's order (ncclFindInterfaces() in its src/misc/socket.cc): the first of
 * these groups that has an interface is used, all of it. */
enum nccl_group { NCCL_IB, NCCL_OTHERS, NCCL_DOCKER, NCCL_LO, NCCL_VIRBR };

static enum nccl_group nccl_group(const char *name)
{
	static const struct {
		const char *prefix;
		enum nccl_group group;
	} groups[] = {
		{"ib", NCCL_IB},
		{"docker", NCCL_DOCKER},
		{"lo", NCCL_LO},
		{"virbr", NCCL_VIRBR},
	};

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if (!strncmp(name, groups[i].prefix, strlen(groups[i].prefix)))
			return groups[i].group;
	return NCCL_OTHERS;
}

/* An alias is its interface once more. */
static void add(struct nic_list *list, const struct interface *i)
{
	if (!strchr(i->name, ':'))
		text_add(list->names, sizeof(list->names), ",", "%s", i->name);
}

/* The key, or what is known without it. Returns whether that decides. */
static bool decided(const struct plan *plan, struct interfaces *interfaces,
		    struct nic_list *ret)
{
	const char *names = request_text(plan->request, KEY_NIC);
	const struct job *job = plan->job;

	*ret = (struct nic_list){.source = "key nic"};
	if (names)
		text_add(ret->names, sizeof(ret->names), "", "%s", names);
	if (request_word(plan->request, KEY_NIC) != NIC_AUTO)
		return true;
	ret->source = "the library's own choice";
	return plan->nnodes == 1 || !job->nic || !job->interfaces ||
	       interfaces_parse(job->interfaces, interfaces) < 0;
}

static const char some_lead_nowhere[] =
	"without interfaces that don't lead to other nodes";

void nic_nccl(const struct plan *plan, struct nic_list *ret)
{
	enum nccl_group own = NCCL_VIRBR, good = NCCL_VIRBR;
	struct interfaces all;
	bool wrong = false;

	if (decided(plan, &all, ret))
		return;
	for (unsigned i = 0; i < all.n; i++) {
		enum nccl_group group = nccl_group(all.at[i].name);

		if (!(all.at[i].flags & INTERFACE_RUNNING))
			continue;
		if (group < own)
			own = group;
		if (group < good && interface_leads(&all.at[i], plan->job->nic))
			good = group;
	}
	for (unsigned i = 0; i < all.n; i++) {
		const struct interface *at = &all.at[i];

		if (!(at->flags & INTERFACE_RUNNING))
			continue;
		wrong |= nccl_group(at->name) == own &&
			 !interface_leads(at, plan->job->nic);
		if (nccl_group(at->name) == good &&
		    interface_leads(at, plan->job->nic))
			add(ret, at);
	}
	if (wrong && !plan->job->nccl_conf)
		ret->source = some_lead_nowhere;
	else
		ret->names[0] = '\0';
	if (wrong && plan->job->nccl_conf)
		ret->source = plan->job->nccl_conf;
}

void nic_tcp(const struct plan *plan, struct nic_list *ret)
{
	struct interfaces all;
	bool wrong = false;

	if (decided(plan, &all, ret))
		return;
	for (unsigned i = 0; i < all.n; i++) {
		if (all.at[i].flags & INTERFACE_LOOPBACK)
			continue;
		if (interface_leads(&all.at[i], plan->job->nic))
			add(ret, &all.at[i]);
		else
			wrong = true;
	}
	if (wrong)
		ret->source = some_lead_nowhere;
	else
		ret->names[0] = '\0';
}

/* The first of the user's list that this node has, or that which routes to
 * rank 0. */
void nic_choose(struct plan *plan)
{
	const struct request *r = plan->request;
	const char *names = request_text(r, KEY_NIC), *nic = plan->job->nic;
	const char *text = plan->job->interfaces;
	const char *addr = request_text(r, KEY_ADDR);
	struct interfaces all;

	plan->nic[0] = '\0';
	plan->nic_source = "key nic";
	if (names) {
		interfaces_first(
			names,
			text && interfaces_parse(text, &all) == 0 ? &all : NULL,
			plan->nic);
	} else if (nic && request_word(r, KEY_NIC) != NIC_OFF) {
		interfaces_first(nic, NULL, plan->nic);
		plan->nic_source = addr && !strcmp(nic, addr)
					   ? "key addr"
					   : "routes to rank 0";
	}
}
