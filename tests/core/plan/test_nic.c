/* SPDX-License-Identifier: Apache-2.0 */
/* Which interfaces libraries are told, on machines of many kinds. */
#include "core/plan/coordinator.h"

#include "core/plan/plan.h"
#include "registry/registry.h"
#include "tests/fixtures/job_fixture.h"

struct machine {
	const char *what, *interfaces, *route, *option;
	const char *nccl, *tcp, *one; /* "": the library's own choice */
};

/* What each is told of a step of `nnodes` nodes. `conf`: NCCL's file, or
 * NULL. */
static void check(const struct machine *m, unsigned nnodes, const char *conf)
{
	struct facts f = facts_task(nnodes, nnodes, 0, 0, 0, "0");
	struct request request;
	struct config config;
	struct job job;
	struct plan plan;
	struct nic_list nccl, tcp;
	const char *source, *one;
	struct err err;

	facts_handover(&f);
	if (m->route)
		facts_set(&f, "SLURM_DIST_TRAIN_NIC", m->route);
	if (m->interfaces)
		facts_set(&f, "SLURM_DIST_TRAIN_INTERFACES", m->interfaces);
	if (conf)
		facts_set(&f, "SLURM_DIST_TRAIN_NCCL_CONF", conf);
	assert_case(m->what, config_parse(0, NULL, &config, &err) == 0);
	assert_case(m->what,
		    request_parse(m->option, NULL, NULL, &request, &err) == 0);
	assert_case(m->what,
		    job_read(facts_lookup, &f, false, &job, &err) == 0);
	assert_case(m->what,
		    plan_make(&request, &config, &job, &plan, &err) == 0);
	nic_nccl(&plan, &nccl);
	nic_tcp(&plan, &tcp);
	one = plan_nic(&plan, &source);
	if (strcmp(nccl.names, m->nccl) || strcmp(tcp.names, m->tcp) ||
	    strcmp(one ? one : "", m->one))
		fail_msg("%s: NCCL '%s', TCP '%s', one '%s'", m->what,
			 nccl.names, tcp.names, one ? one : "");
	assert_case(m->what, *nccl.source && *tcp.source && *source);
	if (conf && request_word(&request, KEY_NIC) == NIC_AUTO)
		assert_string_equal(nccl.source, conf);
	request_clear(&request);
	config_clear(&config);
	job_clear(&job);
}

/* r: running, a: an address, k: link-local, l: loopback, b: bridge */
#define LO "lo=ral,"

static void automatic(void **state)
{
	static const struct machine machines[] = {
		{"one interface", LO "eth0=ra", "eth0", "mpi", "", "", "eth0"},
		{"management and eight rails",
		 LO "eth0=ra,ib0=ra,ib1=ra,ib2=ra,ib3=ra,ib4=ra,ib5=ra,ib6=ra,"
		    "ib7=ra",
		 "eth0", "mpi", "", "", "eth0"},
		{"eight rails without addresses of their own",
		 LO "eth0=ra,ib0=rk,ib1=rk,ib2=rk", "eth0", "mpi", "eth0",
		 "eth0", "eth0"},
		{"some rails without", LO "eth0=ra,ib0=rak,ib1=rk,ib2=ra",
		 "eth0", "mpi", "ib0,ib2", "eth0,ib0,ib2", "eth0"},
		{"a rail per NUMA node", LO "eth0=ra,enp12s0=ra,enp141s0=ra",
		 "eth0", "mpi", "", "", "eth0"},
		/* NCCL itself passes over docker0 and virbr0 */
		{"docker0", LO "eth0=ra,docker0=rab", "eth0", "mpi", "", "eth0",
		 "eth0"},
		{"docker0 that isn't a bridge", LO "eth0=ra,docker0=ra", "eth0",
		 "mpi", "", "eth0", "eth0"},
		{"docker0 without containers", LO "eth0=ra,docker0=ab", "eth0",
		 "mpi", "", "eth0", "eth0"},
		{"virbr0", LO "virbr0=rab,eno1=ra", "eno1", "mpi", "", "eno1",
		 "eno1"},
		{"a docker network", LO "eth0=ra,br-01234567abcd=rab", "eth0",
		 "mpi", "eth0", "eth0", "eth0"},
		{"a docker network without containers",
		 LO "eth0=ra,br-01234567abcd=ab", "eth0", "mpi", "", "eth0",
		 "eth0"},
		{"veth of containers", LO "eth0=ra,veth12=rk,veth13=rk", "eth0",
		 "mpi", "eth0", "eth0", "eth0"},
		{"a site's bridge", LO "br0=rab", "br0", "mpi", "", "", "br0"},
		{"a bond", LO "bond0=ra,usb0=rk", "bond0", "mpi", "bond0",
		 "bond0", "bond0"},
		{"only IPv6", LO "eth0=rak,eth1=rak", "eth1", "mpi", "", "",
		 "eth1"},
		{"an alias", LO "eth0=ra,eth0:1=ra,docker0=rab,br-1=rab",
		 "eth0", "mpi", "eth0", "eth0", "eth0"},
		{"rails and a docker network",
		 LO "eth0=ra,ib0=ra,ib1=ra,br-1=rab", "eth0", "mpi", "",
		 "eth0,ib0,ib1", "eth0"},
		{"the route is docker0", LO "docker0=rab,eth1=rk", "docker0",
		 "mpi", "docker0", "docker0", "docker0"},
		{"no route", LO "eth0=ra,docker0=rab", NULL, "mpi", "", "", ""},
		{"nothing known of the interfaces", NULL, "eth0", "mpi", "", "",
		 "eth0"},
		{"not a list", "eth0", "eth0", "mpi", "", "", "eth0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		check(&machines[i], 2, NULL);
}

/* NCCL's own file is weaker than a variable, so that none is set. */
static void nccls_file(void **state)
{
	static const struct machine m = {
		"nccl.conf", LO "eth0=ra,ib0=rk", "eth0", "mpi", "", "eth0",
		"eth0",
	};

	(void)state;
	check(&m, 2, "/etc/nccl.conf");
}

static void the_key(void **state)
{
	static const char have[] = LO "eth0=ra,ib0=rk,ib1=ra,docker0=rab";
	static const struct machine machines[] = {
		{"all", have, "eth0", "mpi,nic=all", "", "", "eth0"},
		{"off", have, "eth0", "mpi,nic=off", "", "", ""},
		{"one", have, "eth0", "mpi,nic=ib1", "ib1", "ib1", "ib1"},
		{"a list", have, NULL, "mpi,nic=ib1,eth0,label=no", "ib1,eth0",
		 "ib1,eth0", "ib1"},
		{"of which the node has the second", have, NULL,
		 "mpi,nic=ens5,ib1", "ens5,ib1", "ens5,ib1", "ib1"},
		{"of which the node has none", have, NULL, "mpi,nic=ens5,ens6",
		 "ens5,ens6", "ens5,ens6", "ens5"},
		{"of which nothing is known", NULL, NULL, "mpi,nic=ens5,ens6",
		 "ens5,ens6", "ens5,ens6", "ens5"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		check(&machines[i], 2, "/etc/nccl.conf");
}

/* On one node any interface leads to the others. */
static void one_node(void **state)
{
	static const struct machine m = {
		"one node", LO "ib0=rk,docker0=rab", "lo", "mpi", "", "", "lo",
	};

	(void)state;
	check(&m, 1, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(automatic),
		cmocka_unit_test(nccls_file),
		cmocka_unit_test(the_key),
		cmocka_unit_test(one_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
