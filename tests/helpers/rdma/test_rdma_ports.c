/* SPDX-License-Identifier: Apache-2.0 */
/* Ports as the kernel's files show them. */
#include "helpers/rdma/rdma_ports.h"

#include "tests/fixtures/tree.h"

#define CLASS  "/sys/class/infiniband/"
#define NO_GID "0000:0000:0000:0000:0000:0000:0000:0000\n"

static void add_port(const struct tree *t, const char *port, const char *state,
		     const char *physical, const char *rate, const char *layer)
{
	tree_file(t, state, CLASS "%s/state", port);
	tree_file(t, physical, CLASS "%s/phys_state", port);
	tree_file(t, rate, CLASS "%s/rate", port);
	tree_file(t, layer, CLASS "%s/link_layer", port);
}

static void infiniband(void **state)
{
	struct rdma_ports ports;
	struct tree t;

	(void)state;
	tree_open(&t);
	rdma_look(t.root, &ports);
	assert_int_equal(ports.n, 0);
	add_port(&t, "mlx5_10/ports/1", "4: ACTIVE\n", "5: LinkUp\n",
		 "400 Gb/sec (4X NDR)\n", "InfiniBand\n");
	add_port(&t, "mlx5_2/ports/1", "1: DOWN\n", "3: Disabled\n",
		 "2.5 Gb/sec (1X SDR)\n", "InfiniBand\n");
	add_port(&t, "mlx5_2/ports/2", "2: INIT\n",
		 "4: PortConfigurationTraining\n", "40 Gb/sec (4X QDR)\n",
		 "InfiniBand\n");
	tree_file(&t, "7\n", CLASS "mlx5_2/ports/2/counters/symbol_error");
	tree_file(&t, "0\n", CLASS "mlx5_10/ports/1/counters/symbol_error");
	tree_file(&t, "", "/sys/class/infiniband_verbs/uverbs0/dev");
	tree_file(&t, "", "/sys/module/nvidia_peermem/refcnt");
	rdma_look(t.root, &ports);
	assert_int_equal(ports.n, 3);
	assert_string_equal(ports.port[0].device, "mlx5_2");
	assert_string_equal(ports.port[0].state, "DOWN");
	assert_string_equal(ports.port[0].physical, "Disabled");
	assert_int_equal(ports.port[0].rate_gbps, 2);
	assert_string_equal(ports.port[1].state, "INIT");
	assert_string_equal(ports.port[1].errors, "symbol_error=7");
	assert_string_equal(ports.port[2].device, "mlx5_10");
	assert_int_equal(ports.port[2].rate_gbps, 400);
	assert_string_equal(ports.port[2].errors, "");
	assert_true(ports.port[2].infiniband);
	assert_string_equal(ports.denied, "uverbs0");
	assert_true(ports.peermem);
	tree_file(&t, "", "/dev/infiniband/uverbs0");
	rdma_look(t.root, &ports);
	assert_string_equal(ports.denied, "");
	tree_close(&t);
}

static void roce(void **state)
{
	static const char port[] = CLASS "mlx5_0/ports/1";
	struct rdma_ports ports;
	struct tree t;

	(void)state;
	tree_open(&t);
	add_port(&t, "mlx5_0/ports/1", "4: ACTIVE\n", "5: LinkUp\n",
		 "100 Gb/sec (4X EDR)\n", "Ethernet\n");
	tree_file(&t, "fe80:0000:0000:0000:0ac0:ebff:fe00:0001\n", "%s/gids/0",
		  port);
	tree_file(&t, "RoCE v2\n", "%s/gid_attrs/types/0", port);
	tree_file(&t, NO_GID, "%s/gids/1", port);
	tree_file(&t, "0000:0000:0000:0000:0000:ffff:0a01:0203\n", "%s/gids/2",
		  port);
	tree_file(&t, "IB/RoCE v1\n", "%s/gid_attrs/types/2", port);
	rdma_look(t.root, &ports);
	assert_int_equal(ports.n, 1);
	assert_false(ports.port[0].infiniband);
	assert_int_equal(ports.port[0].gid_index, -1);
	tree_file(&t, "0000:0000:0000:0000:0000:ffff:0a01:0203\n", "%s/gids/3",
		  port);
	tree_file(&t, "RoCE v2\n", "%s/gid_attrs/types/3", port);
	rdma_look(t.root, &ports);
	assert_int_equal(ports.port[0].gid_index, 3);
	tree_close(&t);
}

/* More than there is room for; names without end */
static void many(void **state)
{
	struct rdma_ports ports;
	struct tree t;

	(void)state;
	tree_open(&t);
	for (unsigned i = 0; i < RDMA_PORTS_MAX + 3; i++) {
		char name[32];

		snprintf(name, sizeof(name), "vf%u/ports/1", i);
		add_port(&t, name, "4: ACTIVE\n", "5: LinkUp\n", "x\n", "y\n");
	}
	tree_file(&t, "a state that is longer than any\n",
		  CLASS "a/ports/1/state");
	rdma_look(t.root, &ports);
	assert_int_equal(ports.n, RDMA_PORTS_MAX);
	assert_string_equal(ports.port[0].state, "a_state_that_is");
	tree_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(infiniband),
		cmocka_unit_test(roce),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
