/* SPDX-License-Identifier: Apache-2.0 */
/* Who goes when there are too many. */
#include "helpers/conn/newcomers.h"

#include "tests/fixtures/unit.h"

#include <arpa/inet.h>

#define MAX 40

static struct newcomers all;
static struct newcomer peer[100];

static struct newcomer *come(unsigned i, const char *ip, uint64_t now_ms)
{
	union newcomer_address a = {.any.sa_family = AF_INET};

	if (strchr(ip, ':')) {
		a.any.sa_family = AF_INET6;
		assert_int_equal(inet_pton(AF_INET6, ip, &a.v6.sin6_addr), 1);
	} else {
		assert_int_equal(inet_pton(AF_INET, ip, &a.v4.sin_addr), 1);
	}
	assert_int_equal(newcomers_add(&all, &peer[i], NULL, &a, now_ms), 0);
	return newcomers_who_goes(&all, MAX, now_ms);
}

static void go_all(void)
{
	for (size_t i = 0; i < COUNT(peer); i++)
		newcomers_remove(&all, &peer[i]);
	assert_int_equal(all.n, 0);
	assert_null(all.oldest);
	assert_null(all.sources);
}

/* One address with the most: its oldest, however young, and of another one
 * nobody. */
static void crowding(void **state)
{
	(void)state;
	come(0, "10.0.0.9", 0);
	for (unsigned i = 1; i < MAX; i++)
		come(i, "10.0.0.1", 0);
	assert_ptr_equal(come(MAX, "10.0.0.2", 1), &peer[1]);
	newcomers_remove(&all, &peer[1]);
	assert_ptr_equal(come(1, "10.0.0.3", 1), &peer[2]);
	/* its own place, if it is the one */
	assert_ptr_equal(come(MAX + 1, "10.0.0.1", 1), &peer[2]);
	go_all();
}

/* The launchers of a large step: nobody, as long as they are young. */
static void many_addresses(void **state)
{
	char ip[32];

	(void)state;
	for (unsigned i = 0; i < MAX; i++) {
		snprintf(ip, sizeof(ip), "10.0.0.%u", i / 4);
		come(i, ip, 100);
	}
	assert_null(come(MAX, "10.0.0.0", 200));
	assert_null(come(MAX + 1, "10.0.0.1", 1099));
	assert_ptr_equal(come(MAX + 2, "10.0.0.0", 1100), &peer[0]);
	go_all();
}

/* A host has all addresses of its network. */
static void network(void **state)
{
	char ip[64];

	(void)state;
	come(0, "fd00:0:0:2::1", 0);
	for (unsigned i = 1; i < MAX; i++) {
		snprintf(ip, sizeof(ip), "fd00:0:0:1::%x", i);
		come(i, ip, 0);
	}
	assert_ptr_equal(come(MAX, "fd00:0:0:3::1", 0), &peer[1]);
	go_all();
	/* IPv4 over an IPv6 socket is IPv4 */
	for (unsigned i = 0; i < 8; i++)
		come(i, "::ffff:10.0.0.1", 0);
	assert_null(come(8, "10.0.0.1", 0));
	assert_ptr_equal(come(9, "::ffff:10.0.0.2", 0), &peer[0]);
	go_all();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crowding),
		cmocka_unit_test(many_addresses),
		cmocka_unit_test(network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
