/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the rules share, not for others. A rule returns 0, or -1
 * out of memory.
 */
#ifndef DT_CORE_ASCEND_RANKTABLE_RULES_PARTS_H
#define DT_CORE_ASCEND_RANKTABLE_RULES_PARTS_H

#include "core/ascend/ranktable_rules.h"

#include <string.h>

/* Rows [begin, end) that follow each other and have the same text. */
struct ranktable_run {
	const char *text; /* may be NULL */
	size_t begin, end;
};

/* The runs of a text of the rows, sorted by the text and then by rank: a text
 * that stands twice was interrupted. Freed by the caller; NULL out of
 * memory. */
struct ranktable_run *
ranktable_runs(const struct ranktable_rules *rules,
	       const char *(*text)(const struct ranktable_row *row),
	       size_t *ret_n);

/* Whether run `i` of the servers goes on with the server of the run before. */
bool ranktable_run_goes_on(const struct ranktable_rules *rules, size_t i);

void ranktable_report(struct ranktable_rules *rules,
		      const struct ranktable_fault *fault);

/* FAULT(rules, FAULT_RANK_TWICE, .row = row, .other = former); */
#define FAULT(rules, ...)                                                      \
	ranktable_report(rules, &(struct ranktable_fault){__VA_ARGS__})

static inline bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static inline bool has_text(const char *text)
{
	return text && *text;
}

int ranktable_rule_pods_known(struct ranktable_rules *rules);
int ranktable_rule_pod_of_server(struct ranktable_rules *rules);
int ranktable_rule_pod_order(struct ranktable_rules *rules);
int ranktable_rule_super_devices(struct ranktable_rules *rules);
int ranktable_rule_pod_network(struct ranktable_rules *rules);

int ranktable_rule_address_needed(struct ranktable_rules *rules);
int ranktable_rule_address_counts(struct ranktable_rules *rules);
int ranktable_rule_hosts(struct ranktable_rules *rules);
int ranktable_rule_addresses(struct ranktable_rules *rules);

/* Whether a row without an address is a fault of its own. */
bool ranktable_needs_address(const struct ranktable_rules *rules,
			     const struct ranktable_row *row);

int ranktable_rule_host_network(struct ranktable_rules *rules);
int ranktable_rule_nics(struct ranktable_rules *rules);

#endif
