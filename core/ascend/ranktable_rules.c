/* SPDX-License-Identifier: Apache-2.0 */
/* The table of rules; rules about ranks, chips, servers and devices. */
#include "core/ascend/ranktable_rules.h"

#include "core/ascend/ranktable_rules_parts.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *server_of(const struct ranktable_row *row)
{
	return row->server_id;
}

static int find_servers(struct ranktable_rules *rules)
{
	rules->run = ranktable_runs(rules, server_of, &rules->nruns);
	rules->nservers = 0;
	for (size_t i = 0; i < rules->nruns; i++)
		rules->nservers += !ranktable_run_goes_on(rules, i);
	return rules->run ? 0 : -1;
}

/* Ranks are 0 to N-1, each once. */
static int check_ranks(struct ranktable_rules *rules)
{
	size_t next = 0; /* the lowest that nobody has */

	for (size_t i = 0; i < rules->n && !rules->row[i]->rank_unknown; i++) {
		const struct ranktable_row *row = rules->row[i];

		if (row->rank == next)
			next++;
		else if (i && row->rank == rules->row[i - 1]->rank)
			FAULT(rules, FAULT_RANK_TWICE, .row = row,
			      .other = rules->row[i - 1]);
		if (row->rank >= rules->n)
			FAULT(rules, FAULT_RANK_HIGH, .row = row,
			      .count = next);
	}
	return 0;
}

static int check_chips(struct ranktable_rules *rules)
{
	const struct ranktable_row *first = NULL;

	for (size_t i = 0; i < rules->n; i++) {
		const struct ranktable_row *row = rules->row[i];
		unsigned max = chip_facts(row->chip)->max_device;

		if (row->device_id > max)
			FAULT(rules, FAULT_DEVICE_ID, .row = row, .count = max);
		if (row->chip == CHIP_UNKNOWN)
			continue;
		if (!first)
			first = row;
		if (row->chip != first->chip)
			FAULT(rules, FAULT_CHIPS, .row = row, .other = first);
	}
	return 0;
}

/* A server is one node with one host address. */
static int check_nodes(struct ranktable_rules *rules)
{
	for (size_t i = 1; i < rules->n; i++) {
		const struct ranktable_row *a = rules->row[i - 1];
		const struct ranktable_row *b = rules->row[i];

		if (!same_text(a->server_id, b->server_id))
			continue;
		if (!same_text(a->node, b->node))
			FAULT(rules, FAULT_SERVER_NODES, .row = b, .other = a);
		if (!same_text(a->host_ip, b->host_ip))
			FAULT(rules, FAULT_SERVER_HOSTS, .row = b, .other = a);
	}
	return 0;
}

/* The ranks of a server follow each other. */
static int check_order(struct ranktable_rules *rules)
{
	for (size_t i = 1; i < rules->nruns; i++) {
		const struct ranktable_run *run = &rules->run[i];
		const struct ranktable_row *again = rules->row[run->begin];
		const struct ranktable_row *last = rules->row[run[-1].end - 1];

		if (!run->text || !ranktable_run_goes_on(rules, i) ||
		    again->rank_unknown)
			continue;
		FAULT(rules,
		      same_text(last->node, again->node) ? FAULT_SERVER_SPLIT
							 : FAULT_SERVER_NODES,
		      .row = again, .other = last);
	}
	return 0;
}

struct server {
	const struct ranktable_row *row;       /* its first */
	const struct ranktable_row *owner[64]; /* by device id */
	uint64_t mask;			       /* which have an owner */
	size_t n;
};

static void add_devices(struct ranktable_rules *rules,
			const struct ranktable_run *run, struct server *server)
{
	server->n += run->end - run->begin;
	for (size_t i = run->begin; i < run->end; i++) {
		const struct ranktable_row *row = rules->row[i];
		unsigned id = row->device_id;

		if (row->device_unknown || id >= COUNT(server->owner))
			continue;
		if (server->mask & UINT64_C(1) << id)
			FAULT(rules, FAULT_DEVICE_TWICE, .row = row,
			      .other = server->owner[id]);
		server->owner[id] = row;
		server->mask |= UINT64_C(1) << id;
	}
}

/* Server `s`; `first` is the first of all. */
static void check_server(struct ranktable_rules *rules, const struct server *s,
			 const struct server *first)
{
	if (chip_facts(rules->chip)->equal_servers && s->n != first->n)
		FAULT(rules, FAULT_SERVER_SIZE, .row = s->row, .count = s->n,
		      .other = first->row, .other_count = first->n);
	if (s->row == first->row && !chip_takes_count(rules->chip, s->n))
		FAULT(rules, FAULT_DEVICE_COUNT, .row = s->row, .count = s->n);
	if (!chip_takes_set(rules->chip, s->mask))
		FAULT(rules, FAULT_DEVICE_SET, .row = s->row,
		      .devices = s->mask);
}

/* Which devices a server has; the library groups them by server_id. */
static int check_servers(struct ranktable_rules *rules)
{
	struct server first = {.n = 0}, s = {.n = 0};

	for (size_t i = 0; i < rules->nruns; i++) {
		const struct ranktable_run *run = &rules->run[i];

		if (!run->text)
			continue;
		if (!ranktable_run_goes_on(rules, i))
			s = (struct server){.row = rules->row[run->begin]};
		add_devices(rules, run, &s);
		if (i + 1 < rules->nruns && ranktable_run_goes_on(rules, i + 1))
			continue;
		if (!first.n)
			first = s;
		check_server(rules, &s, &first);
	}
	return 0;
}

#define RANKED (FORM_STEP | FORM_SERVERS | FORM_LAB | FORM_RANKS)
#define OLD    (FORM_STEP | FORM_SERVERS | FORM_LAB | FORM_CLOUD)
#define NEW    (FORM_STEP | FORM_SERVERS)

/* In the order in which faults are reported. */
static const struct rule {
	int (*check)(struct ranktable_rules *rules);
	unsigned forms;
	bool pods; /* only where the table has super pods */
} rule_table[] = {
	{check_ranks, RANKED, false},
	{check_chips, FORM_STEP, false},
	{check_nodes, FORM_STEP, false},
	{check_order, FORM_STEP, false}, /* says more than the next */
	{check_servers, OLD, false},
	{check_order, FORM_SERVERS | FORM_LAB, false},
	{ranktable_rule_pods_known, NEW, true},
	{ranktable_rule_pod_of_server, FORM_STEP, true},
	{ranktable_rule_pod_order, FORM_STEP, true},
	{ranktable_rule_super_devices, NEW, true},
	{ranktable_rule_pod_network, NEW, true},
	{ranktable_rule_address_needed, NEW, false},
	{ranktable_rule_address_counts, NEW, false},
	{ranktable_rule_hosts, NEW, false},
	{ranktable_rule_host_network, FORM_SERVERS, false},
	{ranktable_rule_nics, FORM_SERVERS | FORM_LAB | FORM_CLOUD, false},
	{ranktable_rule_addresses, OLD, false},
};

static bool applies(const struct rule *rule,
		    const struct ranktable_rules *rules)
{
	return rule->forms & rules->form && (rules->pods || !rule->pods);
}

int ranktable_rules_check(struct ranktable_rules *rules)
{
	int rc;

	if (!rules->n)
		return 0;
	rc = find_servers(rules);
	for (size_t i = 0; rc == 0 && i < COUNT(rule_table); i++) {
		if (rules->first_only && rules->nfaults)
			break;
		if (applies(&rule_table[i], rules))
			rc = rule_table[i].check(rules);
	}
	free(rules->run);
	rules->run = NULL;
	return rc;
}
