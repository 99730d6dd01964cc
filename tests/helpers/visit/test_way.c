/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses at which a step's launchers may be, and what is said when none
 * of them leads there. MUNGE is a stand-in: what begins with "MUNGE:good" can
 * be opened. */
#include "helpers/visit/way_search.h"

#include "core/facts/port.h"
#include "helpers/auth/munge.h"

#include "tests/fixtures/channel_fixture.h"
#include "tests/fixtures/idle_clock.h"

#define STEP_ID "4711.3.0"

static struct found_node nodes[20];
static struct found_step found = {
	.job_id = 4711,
	.step_id = 3,
	.name = "4711.3",
	.running = true,
	.node = nodes,
	.ports = {.min = 31000, .max = 31999, .file = "/x/plugstack.conf"},
};
static unsigned char learned[SECRET_SIZE];
static bool done, has_found;
static struct way_search *search;

int munge_open(const char *credential, const char *id,
	       unsigned char ret[SECRET_SIZE], struct err *err)
{
	assert_string_equal(id, STEP_ID);
	if (strncmp(credential, "MUNGE:good", 10) != 0)
		return err_printf(err, "it was made for another step");
	memcpy(ret, secret, SECRET_SIZE);
	return 0;
}

static unsigned launchers_port(unsigned min, unsigned max)
{
	const struct port_range range = {.min = min, .max = max};

	return port_of_launchers(4711, 3, 0, &range, 0);
}

static void name_nodes(unsigned n, const char *net)
{
	found.nnodes = found.nfound = n;
	for (unsigned i = 0; i < n; i++) {
		snprintf(nodes[i].name, sizeof(nodes[i].name), "node%u", i);
		snprintf(nodes[i].addr, sizeof(nodes[i].addr), "%s%u", net,
			 i + 1);
	}
}

/* --- the list --- */

static void in_turn(void **state)
{
	struct way_where where = {.step = &found};
	struct way_list list;
	struct err err;

	(void)state;
	name_nodes(20, "192.0.2.");
	assert_int_equal(way_list_open(&list, &where, &err), 0);
	assert_int_equal(list.nranges, 2); /* the site's, the usual */
	assert_int_equal(list.n, 8 * 2 * LAUNCHERS_TRIES);
	for (unsigned i = 0; i < 8; i++) {
		assert_ptr_equal(list.address[i].node, &nodes[i]);
		assert_int_equal(list.address[i].port,
				 launchers_port(31000, 31999));
	}
	assert_int_equal(list.address[8].port, launchers_port(20000, 28999));
	way_list_close(&list);
	where.port_min = 40000;
	where.port_max = 40999;
	assert_int_equal(way_list_open(&list, &where, &err), 0);
	assert_int_equal(list.nranges, 3);
	assert_in_range(way_list_port(&list, 0), 40000, 40999);
	way_list_close(&list);
}

/* What Slurm reserves for steps is nobody's port: srun keeps away from it, too.
 */
static void without_slurms(void **state)
{
	struct way_where where = {.step = &found};
	struct way_list list;
	struct err err;

	(void)state;
	name_nodes(2, "192.0.2.");
	snprintf(found.ports.mpi_params, sizeof(found.ports.mpi_params),
		 "ports=31001-31999");
	assert_int_equal(way_list_open(&list, &where, &err), 0);
	assert_int_equal(way_list_port(&list, 0), 31000);
	*found.ports.mpi_params = '\0';
	way_list_close(&list);
}

static void srun_is_at(const char *addr, unsigned min, unsigned max)
{
	snprintf(found.srun.name, sizeof(found.srun.name), "login");
	snprintf(found.srun.addr, sizeof(found.srun.addr), "%s", addr);
	found.srun_pid = 1237;
	found.ports.srun_min = min;
	found.ports.srun_max = max;
}

/* Its host comes first, at Slurm's ports for srun where it has any. */
static void beside_srun(void **state)
{
	struct way_where where = {.step = &found};
	struct way_list list;
	struct err err;

	(void)state;
	name_nodes(2, "192.0.2.");
	srun_is_at("192.0.2.99", 60000, 60009);
	assert_int_equal(way_list_open(&list, &where, &err), 0);
	assert_int_equal(list.nranges, 3);
	assert_int_equal(list.n, 3 * 3 * LAUNCHERS_TRIES);
	assert_ptr_equal(list.address[0].node, &found.srun);
	assert_string_equal(list.address[0].ip, "192.0.2.99");
	assert_int_equal(list.address[0].port, 60007);
	assert_ptr_equal(list.address[1].node, &nodes[0]); /* passes on */
	assert_int_equal(list.address[1].port, 60007);
	assert_int_equal(list.address[3].port, /* where srun had none */
			 launchers_port(31000, 31999));
	assert_int_equal(list.address[9].port, 60008);
	way_list_close(&list);
	srun_is_at("192.0.2.99", 0, 0);
	assert_int_equal(way_list_open(&list, &where, &err), 0);
	assert_string_equal(list.address[0].ip, "192.0.2.99");
	assert_int_equal(list.address[0].port, launchers_port(31000, 31999));
	way_list_close(&list);
	/* On a node of the step: once */
	srun_is_at("192.0.2.2", 0, 0);
	assert_int_equal(way_list_open(&list, &where, &err), 0);
	assert_int_equal(list.n, (2 + 1) * 2 * LAUNCHERS_TRIES);
	assert_string_equal(list.address[2 * 2 * LAUNCHERS_TRIES].ip,
			    "192.0.2.2"); /* of a heterogeneous step */
	assert_int_equal(list.address[2 * 2 * LAUNCHERS_TRIES].port, 31237);
	assert_string_equal(list.address[0].ip, "192.0.2.2");
	assert_string_equal(list.address[1].ip, "192.0.2.1");
	way_list_close(&list);
	found.srun = (struct found_node){0};
}

/* --- the search --- */

static void on_found(void *arg)
{
	(void)arg;
	done = has_found = true;
}

static void on_failed(void *arg)
{
	(void)arg;
	done = true;
}

/* The first port of the step at which we may listen there. */
static int listen_there(const char *ip)
{
	unsigned port = launchers_port(31000, 31999);
	int fd = socket_listen(ip, port, 16);

	if (fd < 0)
		fail_msg("%s port %u: %s", ip, port, strerror(errno));
	return fd;
}

/* Who connects is told that, or nothing. */
struct host {
	struct loop_watch watch;
	const char *text;
	unsigned ncalls;
	int last;
};

static void on_call(void *arg, uint32_t events)
{
	struct host *h = arg;
	int fd = accept4(h->watch.fd, NULL, NULL, SOCK_CLOEXEC);

	(void)events;
	assert_true(fd >= 0);
	h->ncalls++;
	if (!h->text) {
		h->last = fd; /* silent */
		return;
	}
	assert_int_equal(write(fd, h->text, strlen(h->text)), strlen(h->text));
	shutdown(fd, SHUT_WR);
	close(fd);
}

static void host_open(struct host *h, const char *ip, const char *text)
{
	struct err err;

	*h = (struct host){
		.watch = {.fd = listen_there(ip), .ready = on_call, .arg = h},
		.text = text,
		.last = -1,
	};
	assert_int_equal(loop_watch(&loop, &h->watch, EPOLLIN, &err), 0);
}

static void host_close(struct host *h)
{
	loop_remove(&loop, &h->watch);
	close(h->watch.fd);
	if (h->last >= 0)
		close(h->last);
}

static void seek(void)
{
	struct way_search_options o = {
		.loop = &loop,
		.where = {.step = &found},
		.id = STEP_ID,
		.secret = learned,
		.found = on_found,
		.failed = on_failed,
	};
	struct err err;

	memset(learned, 0, sizeof(learned));
	done = has_found = false;
	search = way_search_open(&o, &err);
	assert_non_null(search);
	run_until(&done);
}

static void fails_with(const char *part)
{
	struct err err;

	seek();
	assert_false(has_found);
	assert_int_equal(way_failed(search, &err), -1);
	if (!strstr(err.text, part))
		fail_msg("'%s' isn't in '%s'", part, err.text);
	way_search_close(search);
}

/* The controller is on the third node; the first says nothing, the second has
 * another step's credential. */
static void on_a_node(void **state)
{
	struct host silent, another, leader;
	uint64_t since = loop_now_ms();
	char ip[HOSTLIST_NAME_MAX];

	(void)state;
	name_nodes(4, "127.0.0.");
	host_open(&silent, "127.0.0.1", NULL);
	host_open(&another, "127.0.0.2", "MUNGE:bad");
	host_open(&leader, "127.0.0.3", "MUNGE:good");
	seek();
	assert_true(has_found);
	assert_true(loop_now_ms() - since < 2000);
	assert_string_equal(way_node(search), "node2");
	assert_memory_equal(learned, secret, SECRET_SIZE);
	assert_string_equal(way_ip(search, 0, ip), "127.0.0.3");
	assert_int_equal(way_port(search, 0), launchers_port(31000, 31999));
	assert_string_equal(way_ip(search, 1, ip), "127.0.0.1");
	assert_int_equal(way_port(search, LAUNCHERS_TRIES), 0);
	way_search_close(search);
	host_close(&silent);
	host_close(&another);
	host_close(&leader);
}

static void nobody(void **state)
{
	(void)state;
	name_nodes(2, "127.0.0.");
	fails_with("nobody listens at port");
	found.ports.min = 0;
	fails_with("--ports=MIN-MAX");
	srun_is_at("127.0.0.9", 0, 0);
	fails_with("of login, where srun is, and of node0");
	found.srun = (struct found_node){0};
	found.ports.min = 31000;
	name_nodes(1, "no-such-host.invalid");
	fails_with("has no address here");
}

static void strangers(void **state)
{
	struct host host;

	(void)state;
	name_nodes(2, "127.0.0.");
	host_open(&host, "127.0.0.2", "MUNGE:bad");
	fails_with("node1 answers at port");
	host_close(&host);
	host_open(&host, "127.0.0.1",
		  "dist-train: no: MUNGE isn't\033[2J here\nsecond line\n");
	fails_with("node0 says: MUNGE isn't?[2J here (so says who listens");
	/* It was asked again and again, but not in a storm */
	assert_in_range(host.ncalls, 3, 30);
	host_close(&host);
}

static void open_late(void *arg)
{
	*(const char **)arg = "MUNGE:good";
}

/* A stranger's refusal doesn't end the search while the leader, elsewhere, has
 * no answer yet: MUNGE may be slow there. */
static void stranger_beside_the_controller(void **state)
{
	struct host stranger, leader;
	struct loop_timer later = {.expired = open_late, .arg = &leader.text};

	(void)state;
	name_nodes(2, "127.0.0.");
	host_open(&stranger, "127.0.0.1", "dist-train: no: go away\n");
	host_open(&leader, "127.0.0.2", "");
	loop_arm(&loop, &later, 4500);
	seek();
	assert_true(has_found);
	assert_string_equal(way_node(search), "node1");
	way_search_close(search);
	loop_disarm(&loop, &later);
	host_close(&stranger);
	host_close(&leader);
}

/* What srun's host is like is told, where the nodes pass on to it. */
static void stopped_beside_srun(void **state)
{
	struct host login, relay;

	(void)state;
	name_nodes(1, "127.0.0.");
	srun_is_at("127.0.0.9", 0, 0);
	host_open(&login, "127.0.0.9", NULL);
	host_open(&relay, "127.0.0.1", NULL);
	fails_with("login doesn't answer at port");
	host_close(&relay);
	/* From here no way leads there, but through a node */
	host_open(&relay, "127.0.0.1", "MUNGE:good");
	seek();
	assert_true(has_found);
	assert_string_equal(way_node(search), "node0");
	way_search_close(search);
	host_close(&login);
	host_close(&relay);
	found.srun = (struct found_node){0};
}

/* Doors that close, and one that accepts and says nothing. */
static void doors(void **state)
{
	struct host host;

	(void)state;
	name_nodes(2, "127.0.0.");
	host_open(&host, "127.0.0.2", "");
	fails_with("they begin, or end");
	host_close(&host);
	host_open(&host, "127.0.0.2", NULL);
	fails_with("node1 doesn't answer at port");
	host_close(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_turn),
		cmocka_unit_test(without_slurms),
		cmocka_unit_test(beside_srun),
		cmocka_unit_test(on_a_node),
		cmocka_unit_test(nobody),
		cmocka_unit_test(strangers),
		cmocka_unit_test(stranger_beside_the_controller),
		cmocka_unit_test(doors),
		cmocka_unit_test(stopped_beside_srun),
	};

	return cmocka_run_group_tests(tests, open_loop, shut_loop);
}
