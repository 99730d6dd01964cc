/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about super pods, for tables that have them. */
#include "core/ascend/ranktable_rules_parts.h"
#include "core/base/array.h"
#include "core/base/cleanup.h"

/* To the driver and the library the highest number is no id. */
static bool has_id(const struct ranktable_row *row)
{
	return row->has_super_device && row->super_device_id != UINT32_MAX;
}

static const char *pod_of(const struct ranktable_row *row)
{
	return row->super_pod_id;
}

int ranktable_rule_pods_known(struct ranktable_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		const struct ranktable_row *row = rules->row[i];

		if (!has_id(row))
			FAULT(rules, FAULT_NO_SUPER_DEVICE, .row = row);
		if (!row->super_pod_id)
			FAULT(rules, FAULT_NO_POD, .row = row);
	}
	return 0;
}

int ranktable_rule_pod_of_server(struct ranktable_rules *rules)
{
	for (size_t i = 1; i < rules->n; i++) {
		const struct ranktable_row *a = rules->row[i - 1];
		const struct ranktable_row *b = rules->row[i];

		if (same_text(a->server_id, b->server_id) &&
		    !same_text(a->super_pod_id, b->super_pod_id))
			FAULT(rules, FAULT_SERVER_PODS, .row = b, .other = a);
	}
	return 0;
}

/* The servers of a pod follow each other. */
int ranktable_rule_pod_order(struct ranktable_rules *rules)
{
	size_t n;
	cleanup_free struct ranktable_run *run =
		ranktable_runs(rules, pod_of, &n);

	for (size_t i = 1; i < n; i++)
		if (same_text(run[i - 1].text, run[i].text))
			FAULT(rules, FAULT_POD_SPLIT,
			      .row = rules->row[run[i].begin],
			      .other = rules->row[run[i - 1].end - 1]);
	return run ? 0 : -1;
}

static int compare_super_devices(const void *pa, const void *pb)
{
	const struct ranktable_row *a = *(struct ranktable_row *const *)pa;
	const struct ranktable_row *b = *(struct ranktable_row *const *)pb;
	int order = strcmp(a->super_pod_id, b->super_pod_id);

	if (order)
		return order;
	if (a->super_device_id != b->super_device_id)
		return a->super_device_id < b->super_device_id ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

int ranktable_rule_super_devices(struct ranktable_rules *rules)
{
	cleanup_free const struct ranktable_row **row =
		calloc(rules->n + 1, sizeof(struct ranktable_row *));
	size_t n = 0;

	if (!row)
		return -1;
	for (size_t i = 0; i < rules->n; i++)
		if (has_id(rules->row[i]) && rules->row[i]->super_pod_id)
			row[n++] = rules->row[i];
	sort_items(row, n, sizeof(struct ranktable_row *),
		   compare_super_devices);
	for (size_t i = 1; i < n; i++)
		if (row[i - 1]->super_device_id == row[i]->super_device_id &&
		    same_text(row[i - 1]->super_pod_id, row[i]->super_pod_id))
			FAULT(rules, FAULT_SUPER_DEVICE_TWICE, .row = row[i],
			      .other = row[i - 1]);
	return 0;
}

/* Between pods the devices talk over their network. */
int ranktable_rule_pod_network(struct ranktable_rules *rules)
{
	const struct ranktable_row *first = NULL, *other = NULL;

	for (size_t i = 0; i < rules->n && !other; i++) {
		if (!rules->row[i]->super_pod_id)
			continue;
		if (!first)
			first = rules->row[i];
		if (!same_text(first->super_pod_id,
			       rules->row[i]->super_pod_id))
			other = rules->row[i];
	}
	for (size_t i = 0; i < rules->n && other; i++) {
		const struct ranktable_row *row = rules->row[i];
		bool in_first =
			same_text(first->super_pod_id, row->super_pod_id);

		if (!has_text(row->device_ip))
			FAULT(rules, FAULT_POD_ADDRESS, .row = row,
			      .other = in_first ? other : first);
	}
	return 0;
}
