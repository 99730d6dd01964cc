/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about the addresses of devices and hosts. */
#include "core/ascend/ranktable_rules_parts.h"
#include "core/base/array.h"
#include "core/base/cleanup.h"
#include "core/base/ip.h"

#define ADDRESSES_MAX 16 /* of a device */

/* One address of a row. */
struct owner {
	struct ip ip;
	unsigned row;	  /* index */
	const char *text; /* with what follows it in the list */
};

/* The address after the one at `p`; NULL at the end. The library takes a comma
 * at the end of a list; a step has no reason to write one. */
static const char *next_address(const struct ranktable_rules *rules,
				const char *p)
{
	p += strcspn(p, ",");
	if (!*p++)
		return NULL;
	return *p || rules->form == FORM_STEP ? p : NULL;
}

static const char *first_address(const struct ranktable_row *row)
{
	return has_text(row->device_ip) ? row->device_ip : NULL;
}

static size_t count_addresses(const struct ranktable_rules *rules,
			      const struct ranktable_row *row)
{
	size_t n = 0;

	for (const char *p = first_address(row); p; p = next_address(rules, p))
		n++;
	return n;
}

/* Several servers: a step needs an address of each device, but in one super pod
 * (several ones: ranktable_rule_pod_network). Of a file the parser asks for it
 * by chip: "must be set when multi Server"; but for a 910B the host's address
 * does instead. */
bool ranktable_needs_address(const struct ranktable_rules *rules,
			     const struct ranktable_row *row)
{
	if (rules->nservers < 2)
		return false;
	if (rules->form == FORM_STEP)
		return !rules->pods;
	return chip_facts(rules->chip)->address_over_servers &&
	       (rules->chip == CHIP_910B || !has_text(row->host_ip));
}

int ranktable_rule_address_needed(struct ranktable_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		const struct ranktable_row *row = rules->row[i];

		if (!has_text(row->device_ip) &&
		    ranktable_needs_address(rules, row))
			FAULT(rules, FAULT_NO_ADDRESS, .row = row,
			      .why = row->device_ip ? "empty" : "missing",
			      .silent = row->device_ip &&
					rules->chip != CHIP_910B);
	}
	return 0;
}

/* The same number on every device. To the library none is as good as one; a
 * step is held to more. */
int ranktable_rule_address_counts(struct ranktable_rules *rules)
{
	size_t least = rules->form != FORM_STEP, first_n = 0;

	for (size_t i = 0; i < rules->n; i++) {
		const struct ranktable_row *row = rules->row[i];
		size_t n = count_addresses(rules, row);

		n = n > least ? n : least;
		if (!i)
			first_n = n;
		if (n != first_n)
			FAULT(rules, FAULT_ADDRESS_COUNT, .row = row,
			      .count = n, .other = rules->row[0],
			      .other_count = first_n);
	}
	if (rules->form == FORM_STEP && first_n > ADDRESSES_MAX)
		FAULT(rules, FAULT_ADDRESSES_MAX, .row = rules->row[0],
		      .count = first_n);
	return 0;
}

static int read_address(struct ranktable_rules *rules,
			enum ranktable_fault_kind kind, size_t row,
			const char *text, size_t len, struct owner *ret)
{
	bool parsed = ip_parse(text, len, &ret->ip) == 0;
	bool scope = !parsed && memchr(text, '%', len);
	const char *why = parsed  ? ip_unusable(&ret->ip)
			  : scope ? "an address with a scope (%), which means "
				    "nothing on other nodes"
				  : "not an IP address";

	ret->row = (unsigned)row;
	ret->text = text;
	if (!why)
		return 0;
	FAULT(rules, kind, .row = rules->row[row], .text = text,
	      .text_len = len, .why = why, .silent = parsed || scope);
	return -1;
}

static void check_family(struct ranktable_rules *rules,
			 enum ranktable_fault_kind kind,
			 const struct owner *first, const struct owner *owner)
{
	if (first->ip.family != owner->ip.family)
		FAULT(rules, kind, .row = rules->row[owner->row],
		      .count = owner->ip.family,
		      .other = rules->row[first->row],
		      .other_count = first->ip.family);
}

int ranktable_rule_hosts(struct ranktable_rules *rules)
{
	struct owner first, owner;
	bool any = false;

	for (size_t i = 0; i < rules->nruns; i++) {
		size_t begin = rules->run[i].begin;
		const char *host = rules->row[begin]->host_ip;

		if (ranktable_run_goes_on(rules, i) || !host ||
		    read_address(rules, FAULT_HOST, begin, host, strlen(host),
				 &owner) < 0)
			continue;
		if (!any)
			first = owner;
		any = true;
		check_family(rules, FAULT_HOST_FAMILY, &first, &owner);
	}
	return 0;
}

/* All addresses that can be read, and how many these are. */
static struct owner *read_addresses(struct ranktable_rules *rules,
				    size_t *ret_n)
{
	size_t n = 0, most = 1;
	struct owner *owner;

	for (size_t i = 0; i < rules->n; i++)
		most += count_addresses(rules, rules->row[i]);
	owner = calloc(most, sizeof(*owner));
	for (size_t i = 0; owner && i < rules->n; i++)
		for (const char *p = first_address(rules->row[i]); p;
		     p = next_address(rules, p))
			if (read_address(rules, FAULT_ADDRESS, i, p,
					 strcspn(p, ","), &owner[n]) == 0)
				n++;
	*ret_n = n;
	return owner;
}

static bool same_spelling(const struct owner *a, const struct owner *b)
{
	size_t len = strcspn(a->text, ",");

	return len == strcspn(b->text, ",") && !memcmp(a->text, b->text, len);
}

static int compare_owners(const void *pa, const void *pb)
{
	const struct owner *a = pa, *b = pb;
	int order = ip_compare(&a->ip, &b->ip);

	if (order)
		return order;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* Addresses are of one family where servers must reach each other, and each is
 * one device's. */
int ranktable_rule_addresses(struct ranktable_rules *rules)
{
	size_t n;
	cleanup_free struct owner *owner = read_addresses(rules, &n);
	bool one_family =
		rules->form & (FORM_STEP | FORM_SERVERS) && rules->nservers > 1;

	if (!owner)
		return -1;
	for (size_t i = 1; i < n && one_family; i++)
		check_family(rules, FAULT_ADDRESS_FAMILY, &owner[0], &owner[i]);
	sort_items(owner, n, sizeof(*owner), compare_owners);
	for (size_t i = 1; i < n; i++)
		if (!ip_compare(&owner[i - 1].ip, &owner[i].ip))
			FAULT(rules, FAULT_ADDRESS_TWICE,
			      .row = rules->row[owner[i].row],
			      .other = rules->row[owner[i - 1].row],
			      .silent =
				      !same_spelling(&owner[i - 1], &owner[i]));
	return 0;
}
