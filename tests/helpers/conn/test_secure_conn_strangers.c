/* SPDX-License-Identifier: Apache-2.0 */
/* A conn against whoever says something else. */
#include "tests/fixtures/channel_fixture.h"

static const unsigned char other_secret[SECRET_SIZE] = "not the step's";

/* --- who isn't one of us --- */

static void strangers(const unsigned char *key, const char *id)
{
	struct end a, b;
	int fds[2];

	two_sockets(fds);
	end_open(&a, fds[0], true, key, id);
	end_open(&b, fds[1], false, secret, step.id);
	run_until(&b.lost);
	assert_int_equal(b.why, EPROTO);
	assert_false(a.opened || b.opened || a.got || b.got);
	end_close(&a);
	end_close(&b);
}

static void wrong_secret(void **state)
{
	(void)state;
	strangers(other_secret, step.id);
	strangers(secret, "4711.4.0");
	strangers(secret, "4711.3.1");
	strangers(secret, "");
}

/* Both connect: their keys are the same way round. */
static void same_side(void **state)
{
	struct end a, b;
	int fds[2];

	(void)state;
	two_sockets(fds);
	end_open(&a, fds[0], true, secret, step.id);
	end_open(&b, fds[1], true, secret, step.id);
	while (!a.lost && !b.lost)
		run_for(1);
	assert_false(a.opened || b.opened);
	end_close(&a);
	end_close(&b);
}

/* Say these bytes, `then` shut the door or not; what becomes of the conn? */
static void hears(struct end *e, const void *data, size_t n, bool then)
{
	int fds[2];

	two_sockets(fds);
	end_open(e, fds[0], false, secret, step.id);
	assert_int_equal(write(fds[1], data, n), n);
	if (then)
		shutdown(fds[1], SHUT_WR);
	run_until(&e->lost);
	assert_false(e->opened || e->got);
	end_close(e);
	close(fds[1]);
}

static void garbage(void **state)
{
	unsigned char bytes[8192];
	static const char http[] =
		"GET / HTTP/1.1\r\nHost: node1\r\nAccept: */*\r\nX: "
		"0123456789012345678901234567890123456789\r\n\r\n";
	struct end e;

	(void)state;
	for (unsigned seed = 0; seed < 50; seed++) {
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] =
				(unsigned char)((i + seed) * 2654435761U >> 11);
		hears(&e, bytes, sizeof(bytes), false);
	}
	for (size_t n = 0; n < 300; n++)
		hears(&e, bytes, n, true);
	hears(&e, http, strlen(http), true);
}

/* The length of a first record: nothing but a tag, too long, enormous */
static void lengths(void **state)
{
	static const uint32_t cases[] = {0,    1,	   17,
					 4097, 0x7fffffff, 0xffffffff};
	unsigned char bytes[SEAL_SALT + SEAL_HEADER + 4];
	struct end e;

	(void)state;
	memset(bytes, 7, sizeof(bytes));
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t n = htonl(cases[i]);

		memcpy(bytes + SEAL_SALT + SEAL_HEADER, &n, 4);
		hears(&e, bytes, sizeof(bytes), false);
	}
}

/* --- who has the secret and breaks the rules, or listens in between --- */

/* A peer by hand: what conn.c does, without its checks. */
struct hand {
	int fd;
	struct seal seal;
};

/* Read whatever takes its time. */
static void take_all(int fd, void *buf, size_t n)
{
	char *at = buf;

	for (int tries = 0; n && tries < PATIENCE_MS; tries++) {
		ssize_t k = recv(fd, at, n, MSG_DONTWAIT);

		if (k > 0) {
			at += k;
			n -= (size_t)k;
		} else {
			run_for(1);
		}
	}
	assert_int_equal(n, 0);
}

static void hand_open(struct hand *h, struct end *e)
{
	unsigned char salt[SEAL_SALT], header[SEAL_HEADER];
	int fds[2];

	two_sockets(fds);
	h->fd = fds[1];
	end_open(e, fds[0], false, secret, step.id);
	assert_int_equal(seal_begin(&h->seal), 0);
	assert_int_equal(write(h->fd, h->seal.salt, SEAL_SALT), SEAL_SALT);
	take_all(h->fd, salt, sizeof(salt));
	seal_agree(&h->seal, secret, step.id, step.port, true, salt, header);
	assert_int_equal(write(h->fd, header, sizeof(header)), sizeof(header));
}

/* A record as it goes over the wire; returns its length. */
static size_t hand_seal(struct hand *h, const char *plain, size_t n, bool last,
			unsigned char *ret)
{
	uint32_t length = htonl((uint32_t)(n + SEAL_GROWTH));

	memcpy(ret, &length, sizeof(length));
	seal_wrap(&h->seal, plain, n, last, ret + sizeof(length));
	return sizeof(length) + n + SEAL_GROWTH;
}

static void hand_send(struct hand *h, const char *text, bool last)
{
	unsigned char record[256];
	size_t n = hand_seal(h, text, strlen(text), last, record);

	assert_int_equal(write(h->fd, record, n), n);
}

static void hand_close(struct hand *h, struct end *e)
{
	close(h->fd);
	end_close(e);
}

static void by_hand(void **state)
{
	struct hand h;
	struct end e;

	(void)state;
	hand_open(&h, &e);
	hand_send(&h, "P", true);
	run_until(&e.opened);
	hand_send(&h, "mhel", false);
	hand_send(&h, "lo", true);
	run_until(&e.got);
	assert_string_equal(e.last, "hello");
	hand_close(&h, &e);
}

/* Each byte of a record turned over: none is taken. */
static void forged(void **state)
{
	unsigned char record[64];

	(void)state;
	for (size_t at = 4; at < 4 + 2 + SEAL_GROWTH; at++) {
		struct hand h;
		struct end e;
		size_t n;

		hand_open(&h, &e);
		hand_send(&h, "P", true);
		run_until(&e.opened);
		n = hand_seal(&h, "mx", 2, true, record);
		record[at] ^= 1;
		assert_int_equal(write(h.fd, record, n), n);
		run_until(&e.lost);
		assert_int_equal(e.why, EPROTO);
		assert_false(e.got);
		hand_close(&h, &e);
	}
}

static void repeated_record(void **state)
{
	unsigned char record[64];
	struct hand h;
	struct end e;
	size_t n;

	(void)state;
	hand_open(&h, &e);
	hand_send(&h, "P", true);
	n = hand_seal(&h, "mx", 2, true, record);
	assert_int_equal(write(h.fd, record, n), n);
	run_until(&e.got);
	assert_int_equal(write(h.fd, record, n), n);
	run_until(&e.lost);
	assert_int_equal(e.nmessages, 1);
	hand_close(&h, &e);
}

static void swapped_records(void **state)
{
	unsigned char first[64], second[64];
	struct hand h;
	struct end e;
	size_t n;

	(void)state;
	hand_open(&h, &e);
	hand_send(&h, "P", true);
	run_until(&e.opened);
	hand_seal(&h, "m1", 2, true, first);
	n = hand_seal(&h, "m2", 2, true, second);
	assert_int_equal(write(h.fd, second, n), n);
	run_until(&e.lost);
	assert_false(e.got);
	hand_close(&h, &e);
}

/* Its end in the middle of a message: nothing of it is delivered. */
static void truncated(void **state)
{
	unsigned char record[64];
	struct hand h;
	struct end e;
	size_t n;

	(void)state;
	for (size_t cut = 0; cut < 4 + 2 + SEAL_GROWTH; cut++) {
		hand_open(&h, &e);
		hand_send(&h, "P", true);
		hand_send(&h, "mbegin", false);
		n = hand_seal(&h, "mx", 2, true, record);
		assert_true(cut < n);
		assert_int_equal(write(h.fd, record, cut), cut);
		shutdown(h.fd, SHUT_WR);
		run_until(&e.lost);
		assert_int_equal(e.why, 0);
		assert_false(e.got);
		hand_close(&h, &e);
	}
}

/* One byte more than a record may have */
static void oversized(void **state)
{
	size_t size = 8193;
	char *plain = repeated('m', size);
	unsigned char *record = malloc(size + 64);
	struct hand h;
	struct end e;
	size_t n;

	(void)state;
	assert_non_null(record);
	hand_open(&h, &e);
	hand_send(&h, "P", true);
	run_until(&e.opened);
	n = hand_seal(&h, plain, size, true, record);
	assert_int_equal(write(h.fd, record, n), n);
	run_until(&e.lost);
	assert_int_equal(e.why, EPROTO);
	hand_close(&h, &e);
	free(record);
	free(plain);
}

/* What someone has recorded of a good connection, said again to a new one */
static void replayed(void **state)
{
	unsigned char tape[1024];
	struct end a, b, again;
	int outer[2], inner[2];
	size_t n = 0;

	(void)state;
	two_sockets(outer);
	two_sockets(inner);
	end_open(&a, outer[0], true, secret, step.id);
	end_open(&b, inner[0], false, secret, step.id);
	end_send(&a, 'm', "start", 5);
	while (!b.got) {
		ssize_t k = read(outer[1], tape + n, sizeof(tape) - n);
		char buf[1024];

		if (k > 0) {
			assert_int_equal(write(inner[1], tape + n, k), k);
			n += (size_t)k;
		}
		k = read(inner[1], buf, sizeof(buf));
		if (k > 0)
			assert_int_equal(write(outer[1], buf, k), k);
		run_for(1);
	}
	assert_string_equal(b.last, "start");
	hears(&again, tape, n, false);
	end_close(&a);
	end_close(&b);
	close(outer[1]);
	close(inner[1]);
}

/* Somebody holds the port that was dialled and passes every byte on to the
 * server's: nobody takes the other one for what it isn't. */
static void relay(void **state)
{
	struct end client, server;
	int fds[2];

	(void)state;
	two_sockets(fds);
	end_open_at(&client, fds[0], true, 24500, secret, step.id);
	end_open_at(&server, fds[1], false, 24517, secret, step.id);
	for (int i = 0; i < PATIENCE_MS && !client.lost && !server.lost; i++)
		run_for(1);
	assert_true(client.lost || server.lost);
	run_for(20);
	assert_false(client.opened || server.opened);
	end_close(&client);
	end_close(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(relay),
		cmocka_unit_test(wrong_secret),
		cmocka_unit_test(same_side),
		cmocka_unit_test(garbage),
		cmocka_unit_test(lengths),
		cmocka_unit_test(by_hand),
		cmocka_unit_test(forged),
		cmocka_unit_test(repeated_record),
		cmocka_unit_test(swapped_records),
		cmocka_unit_test(truncated),
		cmocka_unit_test(oversized),
		cmocka_unit_test(replayed),
	};

	return cmocka_run_group_tests(tests, open_loop, shut_loop);
}
