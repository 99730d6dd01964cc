/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about the network that the library takes: the devices' or the hosts'.
 */
#include "core/ascend/ranktable_rules_parts.h"

#define NICS_OF_SERVER 8

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

int ranktable_rule_host_network(struct ranktable_rules *rules)
{
	const char *why = why_hosts(rules);

	for (size_t i = 0; why && i < rules->nruns; i++) {
		const struct ranktable_row *row =
			rules->row[rules->run[i].begin];

		if (!ranktable_run_goes_on(rules, i) && !row->host_ip)
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
	} while (++i < rules->nruns && ranktable_run_goes_on(rules, i));
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
int ranktable_rule_nics(struct ranktable_rules *rules)
{
	struct nics nics;

	if (rules->nservers < 2 || rules->pods || why_hosts(rules) ||
	    !lack_nics(rules))
		return 0;
	for (size_t i = 0; i < rules->nruns;) {
		i = count_nics(rules, i, &nics);
		if (nics.naddresses < NICS_OF_SERVER &&
		    !(rules->form == FORM_SERVERS &&
		      ranktable_needs_address(rules, nics.row)))
			FAULT(rules, FAULT_NICS, .row = nics.row,
			      .count = nics.naddresses);
	}
	return 0;
}
