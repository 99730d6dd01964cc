/* SPDX-License-Identifier: Apache-2.0 */
/* The rules, and at the end the table of them. A rule returns 0, or -1 out of
 * memory. */
#include "core/ascend/ranktable_rules.h"

#include "core/base/array.h"
#include "core/base/ip.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))
#define NICS_OF_SERVER 8
#define ADDRESSES_MAX  16 /* of a device */

static void report(struct ranktable_rules *rules,
		   const struct ranktable_fault *fault)
{
	if (rules->nfaults++ == 0 || !rules->first_only)
		rules->report(rules, fault);
}

/* FAULT(rules, FAULT_RANK_TWICE, .row = row, .other = former); */
#define FAULT(rules, ...) report(rules, &(struct ranktable_fault){__VA_ARGS__})

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool has_text(const char *text)
{
	return text && *text;
}

/* --- runs of rows --- */

/* Rows [begin, end) that follow each other and have the same text. */
struct ranktable_run {
	const char *text; /* may be NULL */
	size_t begin, end;
};

static int compare_runs(const void *pa, const void *pb)
{
	const struct ranktable_run *a = pa, *b = pb;
	int order = strcmp(a->text ? a->text : "", b->text ? b->text : "");

	if (order)
		return order;
	return a->begin < b->begin ? -1 : 1;
}

/* The runs of a text of the rows, sorted by the text and then by rank: a text
 * that stands twice was interrupted. Freed by the caller; NULL out of
 * memory. */
static struct ranktable_run *
make_runs(const struct ranktable_rules *rules,
	  const char *(*text)(const struct ranktable_row *row), size_t *ret_n)
{
	struct ranktable_run *run = calloc(rules->n + 1, sizeof(*run));
	size_t n = 0;

	for (size_t i = 0; run && i < rules->n; i++) {
		const char *t = text(rules->row[i]);

		if (!n || !same_text(run[n - 1].text, t))
			run[n++] = (struct ranktable_run){t, i, i};
		run[n - 1].end = i + 1;
	}
	sort_items(run, n, sizeof(*run), compare_runs);
	*ret_n = n;
	return run;
}

/* Whether run `i` of the servers goes on with the server of the run before. */
static bool goes_on(const struct ranktable_rules *rules, size_t i)
{
	return i && same_text(rules->run[i - 1].text, rules->run[i].text);
}

/* --- ranks, chips, servers, devices --- */

static const char *server_of(const struct ranktable_row *row)
{
	return row->server_id;
}

static int find_servers(struct ranktable_rules *rules)
{
	rules->run = make_runs(rules, server_of, &rules->nruns);
	rules->nservers = 0;
	for (size_t i = 0; i < rules->nruns; i++)
		rules->nservers += !goes_on(rules, i);
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

		if (!run->text || !goes_on(rules, i) || again->rank_unknown)
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
		if (!goes_on(rules, i))
			s = (struct server){.row = rules->row[run->begin]};
		add_devices(rules, run, &s);
		if (i + 1 < rules->nruns && goes_on(rules, i + 1))
			continue;
		if (!first.n)
			first = s;
		check_server(rules, &s, &first);
	}
	return 0;
}

/* --- super pods, for tables that have them --- */

/* To the driver and the library the highest number is no id. */
static bool has_id(const struct ranktable_row *row)
{
	return row->has_super_device && row->super_device_id != UINT32_MAX;
}

static const char *pod_of(const struct ranktable_row *row)
{
	return row->super_pod_id;
}

static int check_pods_known(struct ranktable_rules *rules)
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

static int check_pod_of_server(struct ranktable_rules *rules)
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
static int check_pod_order(struct ranktable_rules *rules)
{
	size_t n;
	cleanup_free struct ranktable_run *run = make_runs(rules, pod_of, &n);

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

static int check_super_devices(struct ranktable_rules *rules)
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
static int check_pod_network(struct ranktable_rules *rules)
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

/* --- addresses of devices and hosts --- */

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
 * (several ones: check_pod_network). Of a file the parser asks for it
 * by chip: "must be set when multi Server"; but for a 910B the host's address
 * does instead. */
static bool needs_address(const struct ranktable_rules *rules,
			  const struct ranktable_row *row)
{
	if (rules->nservers < 2)
		return false;
	if (rules->form == FORM_STEP)
		return !rules->pods;
	return chip_facts(rules->chip)->address_over_servers &&
	       (rules->chip == CHIP_910B || !has_text(row->host_ip));
}

static int check_address_needed(struct ranktable_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		const struct ranktable_row *row = rules->row[i];

		if (!has_text(row->device_ip) && needs_address(rules, row))
			FAULT(rules, FAULT_NO_ADDRESS, .row = row,
			      .why = row->device_ip ? "empty" : "missing",
			      .silent = row->device_ip &&
					rules->chip != CHIP_910B);
	}
	return 0;
}

/* The same number on every device. To the library none is as good as one; a
 * step is held to more. */
static int check_address_counts(struct ranktable_rules *rules)
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

static int check_hosts(struct ranktable_rules *rules)
{
	struct owner first, owner;
	bool any = false;

	for (size_t i = 0; i < rules->nruns; i++) {
		size_t begin = rules->run[i].begin;
		const char *host = rules->row[begin]->host_ip;

		if (goes_on(rules, i) || !host ||
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
static int check_addresses(struct ranktable_rules *rules)
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

/* --- the network that the library takes: the devices' or the hosts' --- */

/* Why the traffic goes over the hosts' network: a rank 0 with a host_ip and
 * without a device_ip, or a device that says so. NULL when it doesn't. */
static const char *why_hosts(const struct ranktable_rules *rules)
{
	const struct ranktable_row *rank0 = rules->row[0];

	if (!rank0->rank_unknown && !rank0->rank && has_text(rank0->host_ip) &&
	    !has_text(rank0->device_ip))
		return "rank 0 has a host_ip and no device_ip";
	for (size_t i = 0; i < rules->n; i++)
		if (rules->row[i]->host_network)
			return "a device has the net_position \"host\"";
	return NULL;
}

static int check_host_network(struct ranktable_rules *rules)
{
	const char *why = why_hosts(rules);

	for (size_t i = 0; why && i < rules->nruns; i++) {
		const struct ranktable_row *row =
			rules->row[rules->run[i].begin];

		if (!goes_on(rules, i) && !row->host_ip)
			FAULT(rules, FAULT_NO_HOST, .row = row, .why = why);
	}
	return 0;
}

/* What the runs from `i` on say of one server. */
struct nics {
	const struct ranktable_row *row; /* its first */
	uint64_t mask;			 /* devices with an address, by id */
	size_t n, naddresses;
};

/* Returns the run after the server that begins with run `i`. */
static size_t count_nics(const struct ranktable_rules *rules, size_t i,
			 struct nics *ret)
{
	*ret = (struct nics){.row = rules->row[rules->run[i].begin]};
	do {
		const struct ranktable_run *run = &rules->run[i];

		for (size_t j = run->begin; j < run->end; j++) {
			const struct ranktable_row *row = rules->row[j];

			ret->n++;
			if (!has_text(row->device_ip) || row->device_id > 63)
				continue;
			ret->naddresses++;
			ret->mask |= UINT64_C(1) << row->device_id;
		}
	} while (++i < rules->nruns && goes_on(rules, i));
	return i;
}

/* Whether all servers have eight devices, but not the addresses that the
 * library asks of them: of all, or of the same ones of each, whose number
 * divides that of all devices. */
static bool lack_nics(const struct ranktable_rules *rules)
{
	struct nics first = {.n = 0}, nics;
	bool same = true;

	for (size_t i = 0; i < rules->nruns;) {
		i = count_nics(rules, i, &nics);
		if (nics.n != NICS_OF_SERVER)
			return false;
		if (!first.n)
			first = nics;
		same = same && nics.mask == first.mask;
	}
	return !same || !first.naddresses || rules->n % first.naddresses;
}

/* Several servers of eight devices each, which no super pod connects. */
static int check_nics(struct ranktable_rules *rules)
{
	struct nics nics;

	if (rules->nservers < 2 || rules->pods || why_hosts(rules) ||
	    !lack_nics(rules))
		return 0;
	for (size_t i = 0; i < rules->nruns;) {
		i = count_nics(rules, i, &nics);
		if (nics.naddresses < NICS_OF_SERVER &&
		    !(rules->form == FORM_SERVERS &&
		      needs_address(rules, nics.row)))
			FAULT(rules, FAULT_NICS, .row = nics.row,
			      .count = nics.naddresses);
	}
	return 0;
}

/* --- the table --- */

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
	{check_pods_known, NEW, true},
	{check_pod_of_server, FORM_STEP, true},
	{check_pod_order, FORM_STEP, true},
	{check_super_devices, NEW, true},
	{check_pod_network, NEW, true},
	{check_address_needed, NEW, false},
	{check_address_counts, NEW, false},
	{check_hosts, NEW, false},
	{check_host_network, FORM_SERVERS, false},
	{check_nics, FORM_SERVERS | FORM_LAB | FORM_CLOUD, false},
	{check_addresses, OLD, false},
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
