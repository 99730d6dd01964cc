/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which devices a process owns and sees. Input: what Slurm's variables say
 * about the step's and the task's devices. Output: the process's share, and
 * the value of CUDA_VISIBLE_DEVICES (or the vendor's variable) that shows
 * it. Pure arithmetic; plan_process.c calls it.
 */
#include "core/facts/device.h"

#include "core/base/text.h"
#include "core/option/option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const device_variables[] = {
	"CUDA_VISIBLE_DEVICES",
	"ROCR_VISIBLE_DEVICES",
	"ZE_AFFINITY_MASK",
	"GPU_DEVICE_ORDINAL",
	NULL,
};

static unsigned token_count(const char *list)
{
	unsigned n = 0;

	if (!list || !*list)
		return 0;
	for (n = 1; *list; list++)
		n += *list == ',';
	return n;
}

/* The index-th comma-separated token and its length. */
static const char *token_nth(const char *list, unsigned index, size_t *ret_len)
{
	while (index--)
		list += strcspn(list, ",") + 1;
	*ret_len = strcspn(list, ",");
	return list;
}

static int token_find(const char *list, const char *token, size_t len)
{
	unsigned n = token_count(list);

	for (unsigned i = 0; i < n; i++) {
		size_t l;
		const char *t = token_nth(list, i, &l);

		if (l == len && !memcmp(t, token, len))
			return (int)i;
	}
	return -1;
}

unsigned device_count(const struct device_facts *facts)
{
	return facts->step.n ? facts->step.n : token_count(facts->step_visible);
}

/* The share of process `index` among `nprocs`, as positions in [0, n). */
static void share_positions(unsigned n, unsigned index, unsigned nprocs,
			    struct idlist *ret)
{
	unsigned first, last;

	ret->n = 0;
	if (!n || index >= nprocs)
		return;
	if (nprocs > n) {
		first = index % n;
		last = first + 1;
	} else {
		first = (unsigned)((unsigned long)index * n / nprocs);
		last = (unsigned)((unsigned long)(index + 1) * n / nprocs);
	}
	for (; first < last && ret->n < IDLIST_MAX; first++)
		ret->id[ret->n++] = (unsigned short)first;
}

static void all_of(unsigned n, struct idlist *ret)
{
	share_positions(n, 0, 1, ret);
}

/* Without a variable of Slurm's a process sees all devices of the node, by
 * Slurm's index. */
static void assign_by_index(const struct device_facts *facts, unsigned index,
			    unsigned n, struct process_devices *ret)
{
	bool bound = facts->task.n && facts->task.n < facts->step.n;
	const struct idlist *from = bound ? &facts->task : &facts->step;

	if (bound)
		all_of(from->n, &ret->own);
	else
		share_positions(from->n, index, n, &ret->own);
	for (unsigned i = 0; i < ret->own.n; i++)
		ret->own.id[i] = from->id[ret->own.id[i]];
	ret->nvisible = 0;
}

/* Without a variable of Slurm's, list the step's devices; the process's own
 * keep their positions. */
static int see_step(const struct device_facts *facts,
		    struct process_devices *ret, struct err *err)
{
	if (idlist_format(&facts->step, ret->visible, sizeof(ret->visible)) < 0)
		return err_printf(err,
				  "visible=all: %u devices are too many "
				  "to list",
				  facts->step.n);
	for (unsigned i = 0; i < ret->own.n; i++) {
		int at = idlist_find(&facts->step, ret->own.id[i]);

		if (at >= 0)
			ret->own.id[i] = (unsigned short)at;
	}
	ret->variable = DEVICE_VARIABLE_ASCEND;
	ret->nvisible = facts->step.n;
	return 0;
}

/* Show a bound task all devices of the step; its own keep their positions. */
static void see_all(const struct device_facts *facts,
		    struct process_devices *ret)
{
	const char *seen = facts->task_visible, *all = facts->step_visible;

	if (!all || strlen(all) >= sizeof(ret->visible))
		return;
	for (unsigned i = 0; i < ret->own.n; i++) {
		size_t len;
		const char *t = token_nth(seen, ret->own.id[i], &len);
		int at = token_find(all, t, len);

		if (at >= 0)
			ret->own.id[i] = (unsigned short)at;
	}
	ret->variable = facts->variable;
	ret->nvisible = token_count(all);
	strcpy(ret->visible, all);
}

static void assign_by_variable(const struct device_facts *facts, unsigned index,
			       unsigned n, int visible_mode,
			       struct process_devices *ret)
{
	unsigned seen = token_count(facts->task_visible);
	unsigned step = device_count(facts);

	ret->nvisible = seen;
	if (seen < step)
		all_of(seen, &ret->own);
	else
		share_positions(seen, index, n, &ret->own);
	if (visible_mode == VISIBLE_ALL && seen < step)
		see_all(facts, ret);
}

/* Somebody's list of the step's NPUs, in a container under other numbers. */
static const char *npus_listed(const struct device_facts *facts)
{
	const char *list = facts->npus_visible;

	return token_count(list) == facts->step.n ? list : NULL;
}

/* Narrow the view to the process's own devices. */
static int see_own(const struct device_facts *facts,
		   struct process_devices *ret, struct err *err)
{
	const char *seen =
		facts->variable ? facts->task_visible : npus_listed(facts);

	for (unsigned i = 0; i < ret->own.n; i++) {
		char number[8];
		const char *name = number;
		size_t len = sizeof(number);
		int at = facts->variable
				 ? ret->own.id[i]
				 : idlist_find(&facts->step, ret->own.id[i]);

		if (seen && at >= 0)
			name = token_nth(seen, (unsigned)at, &len);
		else
			snprintf(number, sizeof(number), "%u", ret->own.id[i]);
		if (text_add(ret->visible, sizeof(ret->visible), ",", "%.*s",
			     (int)len, name) < 0)
			return err_printf(err,
					  "visible=one: %u devices of one "
					  "process are too many to list",
					  ret->own.n);
	}
	ret->variable =
		facts->variable ? facts->variable : DEVICE_VARIABLE_ASCEND;
	ret->nvisible = ret->own.n;
	all_of(ret->own.n, &ret->own);
	return 0;
}

int device_assign(const struct device_facts *facts, unsigned index, unsigned n,
		  int visible_mode, struct process_devices *ret,
		  struct err *err)
{
	*ret = (struct process_devices){0};
	if (facts->variable && facts->task_visible)
		assign_by_variable(facts, index, n, visible_mode, ret);
	else
		assign_by_index(facts, index, n, ret);
	if (visible_mode == VISIBLE_ONE && ret->own.n)
		return see_own(facts, ret, err);
	if (visible_mode == VISIBLE_ALL && facts->step.n && !facts->variable)
		return see_step(facts, ret, err);
	return 0;
}

/* "-1" hides all devices: a list ends at its first invalid index, for CUDA
 * (programming guide, CUDA_VISIBLE_DEVICES), ROCr (RvdFilter) and Ascend's
 * runtime (CANN, ASCEND_RT_VISIBLE_DEVICES: "1,2,-1,3" shows 1 and 2). An empty
 * value isn't used: it may count as not set. */
void device_none(const struct device_facts *facts, struct process_devices *ret)
{
	*ret = (struct process_devices){.visible = "-1"};
	ret->variable = facts->variable ? facts->variable
			: facts->step.n ? DEVICE_VARIABLE_ASCEND
					: device_variables[0];
}

void device_on_node(const struct device_facts *facts, unsigned index,
		    unsigned n, struct idlist *ret)
{
	const struct idlist *slurms = &facts->task;
	struct process_devices p = {0};

	if (!facts->variable || !facts->task_visible) {
		assign_by_index(facts, index, n, &p);
		*ret = p.own;
		return;
	}
	assign_by_variable(facts, index, n, VISIBLE_AUTO, &p);
	if (slurms->n != p.nvisible)
		slurms = &facts->step;
	ret->n = 0;
	for (unsigned i = 0; i < p.own.n && slurms->n == p.nvisible; i++)
		ret->id[ret->n++] = slurms->id[p.own.id[i]];
}

void device_clear(struct device_facts *facts)
{
	free(facts->step_visible);
	free(facts->task_visible);
	free(facts->npus_visible);
	*facts = (struct device_facts){0};
}
