/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of devices and hosts, in the forms before 2.0. */
#include "core/base/cleanup.h"
#include "core/base/ip.h"
#include "core/base/parse.h"
#include "helpers/cli/ranktable/rules.h"

#include <stdlib.h>
#include <string.h>

struct owner {
	struct ip ip;
	const struct entry *e;
};

static bool has_text(const char *text)
{
	return text && *text;
}

/* The last empty piece doesn't count, and no address counts as one. */
static unsigned count_addresses(const struct entry *e)
{
	unsigned n = 1;

	for (const char *p = e->device_ip; p && *p; p++)
		n += *p == ',' && p[1];
	return n;
}

static int read_ip(const struct view *view, struct report *r,
		   const struct entry *e, const char *key, const char *text,
		   size_t len, struct ip *ret)
{
	char shown[SHOW_SIZE], copy[IP_TEXT_MAX + 20] = "";
	const char *why = "no IP address";

	if (ip_parse(text, len, ret) == 0)
		why = ip_unusable(ret);
	if (!why)
		return 0;
	memcpy(copy, text, len < sizeof(copy) ? len : sizeof(copy) - 1);
	RULES_FAULT(view, r, e, key, CODE_VALUE,
		    strcmp(key, "host_ip")
			    ? "take it from hccn_tool -i N -ip -g"
			    : "write the host's address or leave it out",
		    "%s is %s", show(shown, copy), why);
	return -1;
}

/* The addresses of one device; returns how many could be read. */
static size_t read_device(const struct view *view, struct report *r,
			  const struct entry *e, struct owner *owner)
{
	size_t n = 0;

	for (const char *p = e->device_ip; p && *p;) {
		size_t len = strcspn(p, ",");

		if (read_ip(view, r, e, "device_ip", p, len, &owner[n].ip) == 0)
			owner[n++].e = e;
		p += len + (p[len] == ',');
	}
	return n;
}

static int compare_owners(const void *pa, const void *pb)
{
	const struct owner *a = pa, *b = pb;
	int order = ip_compare(&a->ip, &b->ip);

	return order ? order : a->e < b->e ? -1 : a->e > b->e;
}

static void check_family(const struct view *view, struct report *r,
			 const struct owner *first, const struct owner *owner,
			 const char *key)
{
	char path[WHERE_TEXT_MAX];

	if (view->nservers < 2 || first->ip.family == owner->ip.family)
		return;
	view_path(view, first->e, key, path);
	RULES_FAULT(view, r, owner->e, key, CODE_VALUE,
		    "all need the same family",
		    "an IPv%u address, and %s is IPv%u", owner->ip.family, path,
		    first->ip.family);
}

static void check_unique(const struct view *view, struct report *r,
			 struct owner *owner, size_t n)
{
	char shown[SHOW_SIZE], path[WHERE_TEXT_MAX];

	qsort(owner, n, sizeof(*owner), compare_owners);
	for (size_t i = 1; i < n; i++) {
		if (ip_compare(&owner[i - 1].ip, &owner[i].ip) != 0)
			continue;
		view_path(view, owner[i - 1].e, NULL, path);
		RULES_FAULT(view, r, owner[i].e, "device_ip", CODE_VALUE,
			    "each device has its own; see hccn_tool -i N -ip "
			    "-g",
			    "%s is that of %s, too",
			    show(shown, owner[i].e->device_ip), path);
	}
}

static int check_devices(const struct view *view, struct report *r)
{
	cleanup_free struct owner *owner = NULL;
	size_t n = 0, most = 0;

	for (size_t i = 0; i < view->n; i++)
		most += count_addresses(&view->entry[i]);
	owner = calloc(most + 1, sizeof(*owner));
	if (!owner)
		return -1;
	for (size_t i = 0; i < view->n; i++)
		n += read_device(view, r, &view->entry[i], owner + n);
	for (size_t i = 1; i < n; i++)
		check_family(view, r, &owner[0], &owner[i], "device_ip");
	check_unique(view, r, owner, n);
	return 0;
}

static void check_counts(const struct view *view, struct report *r)
{
	const struct entry *first = &view->entry[0];

	for (size_t i = 1; i < view->n; i++) {
		const struct entry *e = &view->entry[i];

		if (count_addresses(e) != count_addresses(first))
			RULES_FAULT(view, r, e, "device_ip", CODE_VALUE,
				    "give every device the same number",
				    "%u addresses, and the first device has %u",
				    count_addresses(e), count_addresses(first));
	}
}

/* Where several servers need one, by chip; the library's own words: "must be
 * set when multi Server". */
static void check_needed(const struct view *view, struct report *r)
{
	bool b = view->chip == CHIP_910B;

	if (view->nservers < 2 || !chip_facts(view->chip)->address_over_servers)
		return;
	for (size_t i = 0; i < view->n; i++) {
		const struct entry *e = &view->entry[i];

		if (has_text(e->device_ip) || (!b && has_text(e->host_ip)))
			continue;
		RULES_FAULT(view, r, e, "device_ip", CODE_VALUE,
			    "take it from hccn_tool -i N -ip -g",
			    "is %s; several servers of %s need it",
			    e->device_ip ? "empty" : "missing",
			    chip_facts(view->chip)->name);
	}
}

static void check_hosts(const struct view *view, struct report *r)
{
	struct owner first = {.e = NULL};
	const struct entry *rank0 = NULL;
	bool host_nic;

	for (size_t i = 0; i < view->n; i++) {
		const struct entry *e = &view->entry[i];
		struct owner owner = {.e = e};

		if (e->has_rank && !e->rank)
			rank0 = e;
		if (!e->host_ip || e->at[1] ||
		    read_ip(view, r, e, "host_ip", e->host_ip,
			    strlen(e->host_ip), &owner.ip) < 0)
			continue;
		if (first.e)
			check_family(view, r, &first, &owner, "host_ip");
		else
			first = owner;
	}
	host_nic = rank0 && has_text(rank0->host_ip) &&
		   !has_text(rank0->device_ip);
	for (size_t i = 0; host_nic && i < view->n; i++)
		if (!view->entry[i].host_ip && !view->entry[i].at[1])
			RULES_FAULT(view, r, &view->entry[i], "host_ip",
				    CODE_VALUE,
				    "give rank 0 a device_ip, or all servers a "
				    "host_ip",
				    "is missing, but rank 0 has a host_ip and "
				    "no device_ip, which moves the traffic to "
				    "the hosts' network");
}

int rules_addresses(const struct view *view, struct report *r)
{
	if (!view->n || view->form == FORM_RANKS)
		return 0;
	if (view->form == FORM_SERVERS) {
		check_needed(view, r);
		check_counts(view, r);
		check_hosts(view, r);
	}
	return check_devices(view, r);
}
