/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about addresses. */
#include "core/ascend/ranktable_parts.h"
#include "core/base/cleanup.h"
#include "core/base/ip.h"
#include "core/base/parse.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESSES_MAX 16 /* of a device */

struct owner {
	struct ip ip;
	const struct ranktable_row *row;
};

static int compare_owners(const void *pa, const void *pb)
{
	const struct owner *a = pa, *b = pb;
	int order = ip_compare(&a->ip, &b->ip);

	if (order)
		return order;
	if (a->row->rank == b->row->rank)
		return 0;
	return a->row->rank < b->row->rank ? -1 : 1;
}

static unsigned count_addresses(const struct ranktable_row *row)
{
	unsigned n = row->device_ip != NULL;

	for (const char *p = row->device_ip; p && *p; p++)
		n += *p == ',';
	return n;
}

static int no_address(const struct ranktable_row *row, size_t nservers,
		      struct err *err)
{
	return err_printf(err,
			  "node %s, device %u has no address, and a step of "
			  "%zu servers with chip %s needs one of each device; "
			  "set it (hccn_tool -i %u -ip -s address A netmask M) "
			  "or write it in an inventory",
			  row->node, row->device_id, nservers,
			  chip_facts(row->chip)->name, row->device_id);
}

/* The same number on every device, and one where it is needed. */
static int check_counts(const struct ranktable *table, size_t nservers,
			struct err *err)
{
	const struct ranktable_row *first = table->row[0];
	unsigned expected = count_addresses(first);
	bool needed = nservers > 1 &&
		      chip_facts(ranktable_chip(table))->address_over_servers;

	for (size_t i = 0; i < table->n; i++) {
		const struct ranktable_row *row = table->row[i];
		unsigned n = count_addresses(row);

		if (needed && !n)
			return no_address(row, nservers, err);
		if (n != expected)
			return err_printf(err,
					  "node %s, device %u has %u addresses "
					  "and node %s, device %u has %u: the "
					  "same number is needed on every "
					  "device; see dist-train devices on "
					  "both",
					  first->node, first->device_id,
					  expected, row->node, row->device_id,
					  n);
	}
	if (expected > ADDRESSES_MAX)
		return err_printf(err,
				  "node %s, device %u has %u addresses: at "
				  "most %d are possible",
				  first->node, first->device_id, expected,
				  ADDRESSES_MAX);
	return 0;
}

static int bad_address(const struct ranktable_row *row, const char *text,
		       size_t len, const char *why, struct err *err)
{
	char shown[SHOW_SIZE], copy[IP_TEXT_MAX + 20] = "";
	size_t n = len < sizeof(copy) ? len : sizeof(copy) - 1;

	memcpy(copy, text, n);
	if (row->host_ip == text)
		return err_printf(err,
				  "node %s: the host address %s is %s; name "
				  "another interface or address of the node",
				  row->node, show(shown, copy), why);
	return err_printf(err,
			  "node %s, device %u: the address %s is %s; set the "
			  "device's (hccn_tool -i %u -ip -s address A netmask "
			  "M) or correct the inventory",
			  row->node, row->device_id, show(shown, copy), why,
			  row->device_id);
}

/* One of a row's addresses. */
static int read_address(const struct ranktable_row *row, const char *text,
			size_t len, struct owner *ret, struct err *err)
{
	const char *why;

	ret->row = row;
	if (ip_parse(text, len, &ret->ip) < 0)
		return bad_address(row, text, len, "no IP address", err);
	why = ip_unusable(&ret->ip);
	return why ? bad_address(row, text, len, why, err) : 0;
}

static int read_addresses(const struct ranktable *table, struct owner *owner,
			  struct err *err)
{
	for (size_t i = 0; i < table->n; i++) {
		const char *p = table->row[i]->device_ip;

		while (p) {
			size_t len = strcspn(p, ",");

			if (read_address(table->row[i], p, len, owner++, err) <
			    0)
				return -1;
			p = p[len] ? p + len + 1 : NULL;
		}
	}
	return 0;
}

static int mixed(const struct owner *a, const struct owner *b, const char *what,
		 struct err *err)
{
	return err_printf(err,
			  "node %s, device %u has an IPv%u %s address and node "
			  "%s, device %u an IPv%u one: all need the same "
			  "family",
			  a->row->node, a->row->device_id, a->ip.family, what,
			  b->row->node, b->row->device_id, b->ip.family);
}

static int check_owners(struct owner *owner, size_t n, size_t nservers,
			struct err *err)
{
	for (size_t i = 1; i < n && nservers > 1; i++)
		if (owner[i].ip.family != owner[0].ip.family)
			return mixed(&owner[0], &owner[i], "device", err);
	qsort(owner, n, sizeof(*owner), compare_owners);
	for (size_t i = 1; i < n; i++) {
		const struct ranktable_row *a = owner[i - 1].row;
		const struct ranktable_row *b = owner[i].row;

		if (!ip_compare(&owner[i - 1].ip, &owner[i].ip))
			return err_printf(
				err,
				"node %s, device %u (%s) and node "
				"%s, device %u (%s) have one address: "
				"give each its own with hccn_tool, or "
				"correct the inventory",
				a->node, a->device_id, a->device_ip, b->node,
				b->device_id, b->device_ip);
	}
	return 0;
}

static int check_hosts(const struct ranktable *table, struct err *err)
{
	struct owner first = {.row = NULL}, owner;

	for (size_t i = 0; i < table->n; i = ranktable_server_end(table, i)) {
		const struct ranktable_row *row = table->row[i];

		if (!row->host_ip)
			continue;
		if (read_address(row, row->host_ip, strlen(row->host_ip),
				 &owner, err) < 0)
			return -1;
		if (!first.row)
			first = owner;
		if (owner.ip.family != first.ip.family)
			return mixed(&first, &owner, "host", err);
	}
	return 0;
}

int ranktable_check_addresses(const struct ranktable *table, struct err *err)
{
	size_t nservers = ranktable_nservers(table);
	cleanup_free struct owner *owner = NULL;
	size_t n;

	if (check_counts(table, nservers, err) < 0)
		return -1;
	n = table->n * count_addresses(table->row[0]);
	owner = calloc(n + 1, sizeof(*owner));
	if (!owner)
		return err_memory(err);
	if (read_addresses(table, owner, err) < 0 ||
	    check_owners(owner, n, nservers, err) < 0)
		return -1;
	return check_hosts(table, err);
}
