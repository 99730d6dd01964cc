/* SPDX-License-Identifier: Apache-2.0 */
/* A conn against a conn. */
#include "tests/fixtures/channel_fixture.h"

/* Two links, both open. */
static void pair(struct end *a, struct end *b)
{
	int fds[2];

	two_sockets(fds);
	end_open(a, fds[0], true, secret, step.id);
	end_open(b, fds[1], false, secret, step.id);
	run_until(&a->opened);
	run_until(&b->opened);
}

static void pair_close(struct end *a, struct end *b)
{
	end_close(a);
	end_close(b);
}

static void messages(void **state)
{
	struct end a, b;

	(void)state;
	pair(&a, &b);
	end_send(&a, 'x', "", 0);
	run_until(&b.got);
	assert_int_equal(b.type, 'x');
	assert_int_equal(b.nlast, 0);
	for (int i = 0; i < 100; i++)
		end_send(&b, 'y', "a\0b", 3);
	end_wait(&a, 100);
	assert_int_equal(a.nlast, 3);
	assert_memory_equal(a.last, "a\0b", 3);
	assert_true(secure_conn_is_idle(a.conn) && secure_conn_is_idle(b.conn));
	assert_false(a.lost || b.lost);
	pair_close(&a, &b);
}

/* Round the size of a record, and 20 MB, in both directions at once */
static void long_messages(void **state)
{
	static const size_t sizes[] = {8190, 8191, 8192, 8193, 16384, 20 << 20};
	struct end a, b;

	(void)state;
	pair(&a, &b);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		char *text = malloc(sizes[i]);

		assert_non_null(text);
		for (size_t k = 0; k < sizes[i]; k++)
			text[k] = (char)(k * 2654435761U >> 13);
		a.got = b.got = false;
		end_send(&a, 'm', text, sizes[i]);
		end_send(&b, 'm', text, sizes[i]);
		run_until(&a.got);
		run_until(&b.got);
		assert_int_equal(a.nlast, sizes[i]);
		assert_memory_equal(a.last, text, sizes[i]);
		assert_memory_equal(b.last, text, sizes[i]);
		free(text);
	}
	pair_close(&a, &b);
}

/* Rows of many nodes, packed once; what says to be packed and isn't ends the
 * connection. */
static void packed_messages(void **state)
{
	char *text = repeated('r', 1 << 20);
	struct msgbuf *p = msgbuf_new('r', text, 1 << 20);
	struct msgbuf *lie = msgbuf_as_is(MSGBUF_PACKED, "\0\0\0\5hello", 9);
	struct end a, b;

	(void)state;
	assert_true(p && lie && p->n < 1 << 15);
	pair(&a, &b);
	assert_int_equal(secure_conn_send(a.conn, p), 0);
	run_until(&b.got);
	assert_int_equal(b.type, 'r');
	assert_int_equal(b.nlast, 1 << 20);
	assert_memory_equal(b.last, text, 1 << 20);
	assert_int_equal(secure_conn_send(a.conn, lie), 0);
	run_until(&b.lost);
	assert_int_equal(b.why, EPROTO);
	pair_close(&a, &b);
	msgbuf_drop(p);
	msgbuf_drop(lie);
	free(text);
}

/* One msgbuf for many, which outlives its owner. */
static void shared_parcel(void **state)
{
	struct msgbuf *p = msgbuf_new('s', "shared", 6);
	struct end a[4], b[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		pair(&a[i], &b[i]);
		assert_int_equal(secure_conn_send(a[i].conn, p), 0);
	}
	msgbuf_drop(p);
	end_close(&a[3]); /* with the msgbuf unsent */
	for (int i = 0; i < 3; i++) {
		run_until(&b[i].got);
		assert_string_equal(b[i].last, "shared");
		end_close(&a[i]);
	}
	for (int i = 0; i < 4; i++)
		end_close(&b[i]);
}

/* The peer reads nothing: we neither block nor lose a byte. */
static void slow_reader(void **state)
{
	const size_t size = 8 << 20;
	char *text = repeated('s', size);
	struct end a, b;

	(void)state;
	pair(&a, &b);
	end_send(&a, 'm', text, size);
	end_send(&a, 'n', "next", 4);
	assert_false(secure_conn_is_idle(a.conn));
	end_wait(&b, 2);
	assert_int_equal(b.type, 'n');
	pair_close(&a, &b);
	free(text);
}

static void stopped_reader(void **state)
{
	char *text = repeated('s', 8 << 20);
	struct end a;
	int fds[2];

	(void)state;
	two_sockets(fds);
	end_open(&a, fds[0], true, secret, step.id);
	end_send(&a, 'm', text, 8 << 20);
	run_for(50);
	assert_false(a.lost || a.opened);
	end_close(&a);
	close(fds[1]);
	free(text);
}

static void goodbye(void **state)
{
	struct end a, b;

	(void)state;
	pair(&a, &b);
	end_send(&a, 'l', "last", 4);
	while (!secure_conn_is_idle(a.conn))
		run_for(1);
	end_close(&a);
	run_until(&b.lost);
	assert_int_equal(b.why, 0);
	assert_true(b.got);
	end_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages),
		cmocka_unit_test(long_messages),
		cmocka_unit_test(packed_messages),
		cmocka_unit_test(shared_parcel),
		cmocka_unit_test(slow_reader),
		cmocka_unit_test(stopped_reader),
		cmocka_unit_test(goodbye),
	};

	return cmocka_run_group_tests(tests, open_loop, shut_loop);
}
