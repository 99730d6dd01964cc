/* SPDX-License-Identifier: Apache-2.0 */
/* The rows "device" of the sight "status": of each rank's GPUs, where the
 * driver's library tells of them. In a child. */
#include "helpers/look/look_state.h"

#include "core/facts/rows.h"
#include "helpers/gpu/gpu.h"

#include <string.h>

#define WORD_SIZE 96

struct sum {
	unsigned n, npercent;
	long used, size, percent;
};

/* The word at `index` of "0,1,GPU-...". Returns 0 or -1. */
static int word_at(const char *list, unsigned index, char ret[WORD_SIZE])
{
	size_t n;

	for (; index && *list; index--) {
		list += strcspn(list, ",");
		list += *list == ',';
	}
	n = strcspn(list, ",");
	if (!n || n >= WORD_SIZE)
		return -1;
	memcpy(ret, list, n);
	ret[n] = '\0';
	return 0;
}

/* What the process finds in the variable that limits it. */
static const char *visible(const struct launch_view *v, const struct process *p)
{
	const struct device_facts *facts = &v->job->devices;

	if (p->devices.variable)
		return p->devices.visible;
	return facts->task_visible ? facts->task_visible : facts->step_visible;
}

static void add(struct sum *sum, const struct gpu_use *use)
{
	if (use->size_mib < 0)
		return;
	sum->n++;
	sum->used += use->used_mib;
	sum->size += use->size_mib;
	if (use->percent >= 0) {
		sum->npercent++;
		sum->percent += use->percent;
	}
}

static void tell(FILE *f, const struct launch_view *v, const struct process *p,
		 const struct gpu_use *use, int n)
{
	const char *list = visible(v, p);
	struct sum sum = {0};
	char word[WORD_SIZE];

	for (unsigned i = 0; list && i < p->devices.own.n; i++) {
		int at;

		if (word_at(list, p->devices.own.id[i], word) < 0)
			continue;
		at = gpu_use_find(use, n, word);
		if (at >= 0)
			add(&sum, &use[at]);
	}
	if (!sum.n)
		return;
	row_begin(f, "device");
	row_number(f, p->rank);
	row_number(f, sum.n);
	row_number(f, sum.used);
	row_number(f, sum.size);
	row_number(f, sum.npercent ? sum.percent / (long)sum.npercent : -1);
	row_end(f);
}

/* The library is opened only where a rank has GPUs. */
void devices_tell(FILE *f, const struct launch_view *v)
{
	static struct gpu_use use[GPUS_MAX]; /* of the child alone */
	int n = -1;

	for (unsigned i = 0; i < v->procs->n; i++) {
		const struct proc *w = &v->procs->proc[i];

		if (w->pid <= 0 || w->ended || w->process.added ||
		    !w->process.devices.own.n || v->job->devices.npu)
			continue;
		if (n < 0)
			n = gpu_use("", use);
		if (n <= 0)
			return;
		tell(f, v, &w->process, use, n);
	}
}
