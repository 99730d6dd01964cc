/* SPDX-License-Identifier: Apache-2.0 */
/* A secret that is asked for and given by tokens, over TCP: who gets it, and
 * who doesn't. */
#include "helpers/auth/deal.h"
#include "helpers/auth/giver.h"
#include "helpers/conn/question.h"
#include "sys/socket.h"

#include "tests/fixtures/idle_clock.h"
#include "tests/fixtures/sack_stand_in.h"
#include "tests/fixtures/unit.h"

#include <errno.h>

#define ID "12.3.0"

static struct loop loop;
static struct asker *asker;
static struct giver *giver;
static unsigned char secret[SECRET_SIZE], learned[SECRET_SIZE];
static struct loop_watch listening;
static unsigned port; /* where the asker asks */

/* What a stranger in the middle does with what is said: keeps it. */
static char seen[8192];

static struct door {
	struct giving *giving;
	int fd;
} door = {.fd = -1};

static void on_over(void *arg)
{
	struct door *d = arg;

	giving_close(d->giving);
	close(d->fd);
	*d = (struct door){.fd = -1};
}

static void on_connect(void *arg, uint32_t events)
{
	struct loop_watch *w = arg;

	(void)events;
	door.fd = accept4(w->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	assert_true(door.fd >= 0);
	door.giving = giving_begin(giver, door.fd, on_over, &door);
	assert_non_null(door.giving);
}

static void open_giver(const char *id, const char *refusal)
{
	const struct giver_options options = {
		.loop = &loop,
		.auth = stand_in_auth(),
		.id = id,
		.secret = secret,
		.refusal = refusal,
	};

	giver_close(giver);
	giver = giver_open(&options, &(struct err){0});
	assert_non_null(giver);
}

/* Returns the port. */
static unsigned listen_by(struct loop_watch *w,
			  void (*ready)(void *arg, uint32_t events))
{
	struct sockaddr_in at;
	socklen_t len = sizeof(at);
	struct err err;

	*w = (struct loop_watch){
		.fd = socket_listen("127.0.0.1", 0, 8),
		.ready = ready,
		.arg = w,
	};
	assert_int_equal(getsockname(w->fd, (struct sockaddr *)&at, &len), 0);
	assert_int_equal(loop_watch(&loop, w, EPOLLIN, &err), 0);
	return ntohs(at.sin_port);
}

static int setup(void **state)
{
	struct err err;
	struct asker_options asks = {.loop = &loop, .id = ID};

	(void)state;
	assert_true(sodium_init() >= 0);
	memset(&stand_in, 0, sizeof(stand_in));
	memset(learned, 0, sizeof(learned));
	memset(secret, 's', sizeof(secret));
	user = 4711;
	assert_int_equal(loop_open(&loop, &err), 0);
	stand_in_open(&loop);
	asks.auth = stand_in_auth();
	asker = asker_open(&asks, &err);
	assert_non_null(asker);
	open_giver(ID, NULL);
	port = listen_by(&listening, on_connect);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	asker_close(asker);
	if (door.giving)
		on_over(&door);
	giver_close(giver);
	giver = NULL;
	loop_remove(&loop, &listening);
	close(listening.fd);
	stand_in_close();
	loop_close(&loop);
	return 0;
}

/* --- asking --- */

static struct {
	int rc; /* of asker_open_answer() */
	int why;
	struct err err;
} answer;

static void on_answer(void *arg, const char *text, int why)
{
	struct question **q = arg;

	answer.rc = -1;
	answer.why = why;
	snprintf(seen, sizeof(seen), "%s", text ? text : "");
	if (text)
		answer.rc =
			asker_open_answer(asker, text, learned, &answer.err);
	question_close(*q);
	*q = NULL;
	loop_stop(&loop);
}

/* Returns whether the secret was learned. */
static bool ask(void)
{
	struct question *q;
	struct err err;

	answer.err.text[0] = '\0';
	q = question_ask(&loop, asker, socket_connect("127.0.0.1", port),
			 on_answer, &q, &err);
	assert_non_null(q);
	assert_int_equal(loop_run(&loop, &err), 0);
	return answer.rc == 0 && !memcmp(learned, secret, sizeof(secret));
}

static void given(void **state)
{
	(void)state;
	assert_true(ask());
	/* One token of each side, and each looks at the other's. */
	assert_int_equal(stand_in.ncreated, 2);
	assert_int_equal(stand_in.nverified, 2);
	assert_null(strstr(seen, "ssss"));
}

/* What comes within a part of its life gets the same token: the daemon of who
 * has the secret is asked once for each, and once more then and when. */
static void one_token_for_many(void **state)
{
	char old[sizeof(seen)];

	(void)state;
	stand_in.ttl = 400;
	assert_true(ask());
	memcpy(old, seen, sizeof(old));
	for (unsigned i = 2; i < 5; i++) {
		memset(learned, 0, sizeof(learned));
		assert_true(ask());
		assert_int_equal(stand_in.ncreated, i + 1);
		assert_int_equal(stand_in.nverified, 2 * i);
		/* sealed by another key */
		assert_string_not_equal(seen, old);
		assert_memory_equal(seen, old, strcspn(old, " \n"));
	}
	idle_skipped_ms += 100 * 1000;
	assert_true(ask());
	assert_int_equal(stand_in.ncreated, 7);
}

/* Both sides look first: a token that says what it shouldn't costs no question.
 */
static void other_step(void **state)
{
	(void)state;
	open_giver("12.4.0", NULL);
	assert_false(ask());
	assert_int_equal(stand_in.nverified, 0);
}

static void older_life(void **state)
{
	(void)state;
	open_giver("12.3.1", NULL);
	assert_false(ask());
	assert_int_equal(stand_in.nverified, 0);
}

static void other_user(void **state)
{
	(void)state;
	stand_in.of = 4712;
	assert_false(ask());
	assert_int_equal(stand_in.nverified, 0);
	assert_non_null(strstr(asker_fault(asker), "user namespace"));
}

static void expired(void **state)
{
	(void)state;
	stand_in.ttl = -1;
	assert_false(ask());
	assert_int_equal(stand_in.nrefused, 1);
	assert_int_equal(answer.why, 0);
	stand_in.ttl = 5;
	assert_true(ask());
}

static void refusal(void **state)
{
	cleanup_free char *text = question_refusal("no secret is there");

	(void)state;
	open_giver(ID, text);
	assert_false(ask());
	assert_true(question_is_refused(seen));
}

/* --- who listens is somebody else --- */

static struct {
	char in[8192];
	size_t n;
	const char *says;
	struct loop_watch watch;
} stranger;

static void stranger_hears(void *arg, uint32_t events)
{
	ssize_t n =
		recv(stranger.watch.fd, stranger.in, sizeof(stranger.in), 0);

	(void)arg;
	(void)events;
	stranger.n = n > 0 ? (size_t)n : 0;
	if (n > 0)
		send(stranger.watch.fd, stranger.says, strlen(stranger.says),
		     MSG_NOSIGNAL);
	loop_remove(&loop, &stranger.watch);
	close(stranger.watch.fd);
}

static void stranger_accepts(void *arg, uint32_t events)
{
	struct err err;

	(void)arg;
	(void)events;
	stranger.watch = (struct loop_watch){
		.fd = accept4(listening.fd, NULL, NULL,
			      SOCK_CLOEXEC | SOCK_NONBLOCK),
		.ready = stranger_hears,
	};
	assert_int_equal(loop_watch(&loop, &stranger.watch, EPOLLIN, &err), 0);
}

static bool ask_stranger(const char *says)
{
	listening.ready = stranger_accepts;
	stranger.says = says;
	return ask();
}

/* What was answered to somebody, shown again: it was for another question. */
static void replayed_answer(void **state)
{
	char old[sizeof(seen)];

	(void)state;
	assert_true(ask());
	memcpy(old, seen, sizeof(old));
	memset(learned, 0, sizeof(learned));
	assert_false(ask_stranger(old));
	assert_non_null(strstr(answer.err.text, "can't be unsealed"));
}

/* Our own token, sent back as if it were an answer. */
static void reflected(void **state)
{
	char says[8192];
	size_t n;

	(void)state;
	ask_stranger("x");
	n = stranger.n - ASKER_MARK - SACK_ANSWER;
	snprintf(says, sizeof(says), "%s%.*s %096d\n", asker_given, (int)n,
		 stranger.in + ASKER_MARK + SACK_ANSWER, 0);
	assert_false(ask_stranger(says));
	assert_non_null(strstr(answer.err.text, "another step or purpose"));
}

/* A question of another user's socket, or of MUNGE's kind, is none here. */
static void no_downgrade(void **state)
{
	(void)state;
	assert_false(ask_stranger("MUNGE:AwQFAAB:\n"));
	assert_non_null(strstr(answer.err.text, "no answer by a token"));
	assert_false(ask_stranger(""));
	assert_false(ask_stranger("dist-train: by token: "));
	assert_false(ask_stranger("dist-train: by token: a.b.c 00\n"));
}

/* Who has seen a question shows it again. He gets an answer that only the one
 * who made the key can open. */
static void replayed_question(void **state)
{
	char text[8192];
	size_t n;
	ssize_t got;
	int fd;

	(void)state;
	ask_stranger("x");
	n = stranger.n;
	memcpy(text, stranger.in, n);
	listening.ready = on_connect;
	fd = socket_connect("127.0.0.1", port);
	for (unsigned i = 0; i < 200 && !stand_in.nverified; i++) {
		struct loop_timer t = {.expired = (void (*)(void *))loop_stop,
				       .arg = &loop};

		if (!i)
			send(fd, text, n, MSG_NOSIGNAL);
		loop_arm(&loop, &t, 10);
		loop_run(&loop, &(struct err){0});
	}
	for (unsigned i = 0; i < 50 && door.giving; i++) {
		struct loop_timer t = {.expired = (void (*)(void *))loop_stop,
				       .arg = &loop};

		loop_arm(&loop, &t, 10);
		loop_run(&loop, &(struct err){0});
	}
	got = recv(fd, seen, sizeof(seen) - 1, 0);
	assert_true(got > 0);
	seen[got] = '\0';
	close(fd);
	/* Our own asker has drawn another key by now. */
	assert_false(ask_stranger(seen));
}

/* --- who stands between the two --- */

static struct relay {
	struct loop_watch listening, asker, giver;
	enum { PASSES_ON, CHANGES_THE_SECRET, ASKS_WITH_HIS_KEY } does;
	unsigned giver_port;
} relay;

/* The question of alice's, as it were, with a key of his: he can't sign it.
 * Returns its size. */
static size_t forge_question(char text[8192])
{
	char payload[SACK_PAYLOAD_MAX],
		*token = text + ASKER_MARK + SACK_ANSWER;
	struct deal deal;
	struct err err;
	uint32_t n;

	assert_int_equal(deal_begin(&deal, ID, user, 99, &err), 0);
	deal_payload(&deal, DEAL_ASKS, payload);
	stand_in.key[0] ^= 1;
	make_token(user, payload, strlen(payload), token);
	stand_in.key[0] ^= 1;
	n = htonl((uint32_t)strlen(token));
	memcpy(text + ASKER_MARK, &n, sizeof(n));
	return ASKER_MARK + SACK_ANSWER + strlen(token);
}

static void relay_hears(void *arg, uint32_t events)
{
	struct loop_watch *from = arg;
	struct loop_watch *to =
		from == &relay.asker ? &relay.giver : &relay.asker;
	char text[8192];
	ssize_t n = recv(from->fd, text, sizeof(text), 0);

	(void)events;
	if (n <= 0) {
		loop_remove(&loop, from);
		shutdown(to->fd, SHUT_WR);
		return;
	}
	if (to == &relay.giver && relay.does == ASKS_WITH_HIS_KEY)
		n = (ssize_t)forge_question(text);
	if (to == &relay.asker && relay.does == CHANGES_THE_SECRET)
		text[n - 2] = text[n - 2] == '0' ? '1' : '0';
	assert_int_equal(send(to->fd, text, (size_t)n, MSG_NOSIGNAL), n);
}

static void relay_accepts(void *arg, uint32_t events)
{
	struct err err;

	(void)arg;
	(void)events;
	relay.asker = (struct loop_watch){
		.fd = accept4(relay.listening.fd, NULL, NULL, SOCK_CLOEXEC),
		.ready = relay_hears,
		.arg = &relay.asker,
	};
	relay.giver = (struct loop_watch){
		.fd = socket_connect("127.0.0.1", relay.giver_port),
		.ready = relay_hears,
		.arg = &relay.giver,
	};
	assert_int_equal(loop_watch(&loop, &relay.asker, EPOLLIN, &err), 0);
	assert_int_equal(loop_watch(&loop, &relay.giver, EPOLLIN, &err), 0);
}

static bool ask_by_relay(int does)
{
	bool learns;

	relay.does = does;
	memset(learned, 0, sizeof(learned));
	learns = ask();
	for (unsigned i = 0; i < 2; i++) {
		struct loop_watch *w = i ? &relay.asker : &relay.giver;

		loop_remove(&loop, w);
		close(w->fd);
	}
	return learns;
}

/* He can pass on what they say, and not read it or say anything himself. */
static void relayed(void **state)
{
	(void)state;
	relay.giver_port = port;
	port = listen_by(&relay.listening, relay_accepts);
	assert_true(ask_by_relay(PASSES_ON));
	assert_null(strstr(seen, "ssss"));
	assert_false(ask_by_relay(CHANGES_THE_SECRET));
	assert_non_null(strstr(answer.err.text, "can't be unsealed"));
	assert_int_equal(stand_in.nrefused, 0);
	assert_false(ask_by_relay(ASKS_WITH_HIS_KEY));
	assert_string_equal(seen, "");
	assert_int_equal(stand_in.nrefused, 1);
	loop_remove(&loop, &relay.listening);
	close(relay.listening.fd);
}

/* --- keys --- */

static void keys(void **state)
{
	struct deal a, b;
	struct err err;
	char hex[DEAL_HEX];
	unsigned char got[SECRET_SIZE];

	(void)state;
	assert_int_equal(deal_begin(&a, ID, 4711, 99, &err), 0);
	assert_int_equal(deal_begin(&b, ID, 4711, 99, &err), 0);
	memcpy(a.peer_key, b.public_key, DEAL_KEY);
	memcpy(b.peer_key, a.public_key, DEAL_KEY);
	assert_int_equal(deal_seal(&b, "asked", "given", secret, hex), 0);
	assert_int_equal(deal_unseal(&a, "asked", "given", hex, got), 0);
	assert_memory_equal(got, secret, sizeof(got));
	assert_int_equal(deal_unseal(&a, "Asked", "given", hex, got), -1);
	assert_int_equal(deal_unseal(&a, "asked", "Given", hex, got), -1);
	hex[0] ^= 1;
	assert_int_equal(deal_unseal(&a, "asked", "given", hex, got), -1);
	memset(a.peer_key, 0, DEAL_KEY); /* a key of which nothing comes */
	assert_int_not_equal(deal_seal(&a, "asked", "given", secret, hex), 0);
}

/* A token that others may verify, too, isn't one of ours. */
static void for_all(void **state)
{
	char payload[SACK_PAYLOAD_MAX], token[SACK_TOKEN_MAX];
	struct deal a, b;
	struct err err;

	(void)state;
	assert_int_equal(deal_begin(&a, ID, 4711, 99, &err), 0);
	assert_int_equal(deal_begin(&b, ID, 4711, 99, &err), 0);
	deal_payload(&a, DEAL_ASKS, payload);
	make_token(4711, payload, strlen(payload), token);
	assert_int_equal(deal_take(&b, DEAL_ASKS, token, &err), 0);
	make_token((uid_t)-1, payload, strlen(payload), token);
	assert_int_equal(deal_take(&b, DEAL_ASKS, token, &err), -1);
}

/* Whose tokens Slurm's daemons would obey. */
static void no_token_of_slurms(void **state)
{
	struct deal d;
	struct err err;

	(void)state;
	assert_int_equal(deal_begin(&d, ID, 0, 99, &err), -1);
	assert_int_equal(deal_begin(&d, ID, 99, 99, &err), -1);
	user = 0;
	assert_false(ask());
	assert_int_equal(answer.why, ENOKEY);
	assert_int_equal(stand_in.ncreated, 0);
	assert_non_null(strstr(asker_fault(asker), "root and SlurmUser"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(given),
		TEST(one_token_for_many),
		TEST(other_step),
		TEST(older_life),
		TEST(other_user),
		TEST(expired),
		TEST(refusal),
		TEST(replayed_answer),
		TEST(reflected),
		TEST(no_downgrade),
		TEST(replayed_question),
		TEST(relayed),
		TEST(keys),
		TEST(for_all),
		TEST(no_token_of_slurms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
