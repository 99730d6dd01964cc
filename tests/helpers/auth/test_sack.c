/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the socket of Slurm's own authentication: where it is, who may
 * have it, and what it does wrong. */
#include "tests/fixtures/sack_stand_in.h"

#include "tests/fixtures/idle_clock.h"
#include "tests/fixtures/unit.h"

static struct loop loop;
static struct sack *sack;
static struct auth auth;

static struct heard {
	unsigned n;
	char token[SACK_TOKEN_MAX], why[1024];
	bool good;
} heard;

static void on_answer(void *arg, const char *token, const char *why)
{
	struct heard *h = arg;

	h->n++;
	h->good = token;
	snprintf(h->token, sizeof(h->token), "%s", token ? token : "");
	snprintf(h->why, sizeof(h->why), "%s", why ? why : "");
	loop_stop(&loop);
}

static int setup(void **state)
{
	struct err err;

	(void)state;
	assert_true(sodium_init() >= 0);
	memset(&heard, 0, sizeof(heard));
	memset(&stand_in, 0, sizeof(stand_in));
	user = 4711;
	assert_int_equal(loop_open(&loop, &err), 0);
	stand_in_open(&loop);
	auth = stand_in_auth();
	sack = sack_open(&loop, &auth, &err);
	assert_non_null(sack);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sack_close(sack);
	stand_in_close();
	loop_close(&loop);
	return 0;
}

static void run(void)
{
	struct err err;

	assert_int_equal(loop_run(&loop, &err), 0);
}

static void make(void)
{
	assert_non_null(
		sack_create(sack, user, "a payload", on_answer, &heard));
	run();
}

static void verify(const char *token)
{
	char copy[SACK_TOKEN_MAX];

	snprintf(copy, sizeof(copy), "%s", token);
	assert_non_null(sack_verify(sack, copy, on_answer, &heard));
	run();
}

static void token(void **state)
{
	struct sack_claims claims;
	struct err err;

	(void)state;
	make();
	assert_true(heard.good);
	assert_int_equal(sack_words_read(heard.token, &claims, &err), 0);
	assert_int_equal(claims.uid, 4711);
	assert_int_equal(claims.reader, 4711);
	assert_int_equal(claims.end_s - claims.made_s, 60);
	assert_string_equal(claims.payload, "a payload");
	verify(heard.token);
	assert_true(heard.good);
	assert_null(sack_fault(sack));
}

/* A verdict is asked for once: who has shown the token asks again. */
static void refused(void **state)
{
	(void)state;
	make();
	heard.token[strlen(heard.token) - 1] ^= 1;
	verify(heard.token);
	assert_false(heard.good);
	assert_non_null(strstr(heard.why, "refuses the token"));
	assert_int_equal(stand_in.nverified, 1);
}

static void expired(void **state)
{
	(void)state;
	stand_in.ttl = -1;
	make();
	verify(heard.token);
	assert_false(heard.good);
}

/* As slurmd that restarts. */
static void closes_at_first(void **state)
{
	(void)state;
	stand_in.bad = 3;
	make();
	assert_true(heard.good);
	assert_null(sack_fault(sack));
}

static void bad_socket(enum stand_in_mood mood, const char *why)
{
	uint64_t before = loop_now_ms();

	stand_in.mood = mood;
	make();
	assert_false(heard.good);
	assert_non_null(strstr(heard.why, why));
	assert_int_equal(heard.n, 1);
	assert_in_range(loop_now_ms() - before, SACK_LIMIT_MS - 300,
			SACK_LIMIT_MS + 1000);
	assert_non_null(sack_fault(sack));
}

static void always_closes(void **state)
{
	(void)state;
	bad_socket(CLOSES, "gives no token");
}

static void stalls(void **state)
{
	(void)state;
	bad_socket(STALLS, "doesn't answer within 10 s");
}

static void nonsense(void **state)
{
	(void)state;
	bad_socket(NONSENSE, "gives no token");
}

static void nobody(void **state)
{
	(void)state;
	setenv("SLURM_SACK_SOCKET", "/nonexistent/sack.socket", 1);
	make();
	assert_false(heard.good);
	assert_non_null(strstr(heard.why, "no socket answers"));
	assert_non_null(strstr(heard.why, "ask the administrator"));
}

/* Somebody has a socket where Slurm's would be, and says that any token is
 * good. Root's counts in any case, so as root another one is needed: the name
 * of who listens was taken when it began. */
static void squatted(void **state)
{
	(void)state;
	if (geteuid() == 0) {
		assert_int_equal(seteuid(1234), 0);
		assert_int_equal(listen(stand_in.listening.fd, 64), 0);
		assert_int_equal(seteuid(0), 0);
	}
	auth.slurm_user = 99;
	sack_close(sack);
	sack = sack_open(&loop, &auth, &(struct err){0});
	stand_in.mood = APPROVES;
	make();
	assert_false(heard.good);
	assert_non_null(strstr(heard.why, "neither root nor SlurmUser (99)"));
	assert_int_equal(stand_in.ncreated, 0);
	verify("a.b.c");
	assert_false(heard.good);
	assert_int_equal(stand_in.nverified, 0);
}

/* More than at a time: each gets its own, and none is lost. */
static void many(void **state)
{
	struct heard all[3 * SACK_AT_A_TIME] = {0};
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < COUNT(all); i++)
		assert_non_null(
			sack_create(sack, user, "x", on_answer, &all[i]));
	while (n < COUNT(all)) {
		run();
		n = 0;
		for (unsigned i = 0; i < COUNT(all); i++)
			n += all[i].good;
	}
	for (unsigned i = 0; i < COUNT(all); i++)
		assert_int_equal(all[i].n, 1);
}

static void cancelled(void **state)
{
	struct sack_call *call =
		sack_create(sack, user, "x", on_answer, &heard);

	(void)state;
	sack_cancel(call);
	make();
	assert_int_equal(heard.n, 1);
}

static void paths(void **state)
{
	char path[SACK_PATH_SIZE];
	static const char *const expected[] = {
		"/run/slurm-c/sack.socket", "/run/slurm/sack.socket",
		"/run/slurmctld/sack.socket", "/run/slurmdbd/sack.socket"};

	(void)state;
	assert_true(sack_path("c", 0, path));
	assert_string_equal(path, stand_in.path);
	assert_false(sack_path("c", 1, path));
	unsetenv("SLURM_SACK_SOCKET");
	for (unsigned i = 0; i < COUNT(expected); i++) {
		assert_true(sack_path("c", i, path));
		assert_string_equal(path, expected[i]);
	}
	assert_false(sack_path("c", COUNT(expected), path));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(token),	     TEST(refused),
		TEST(expired),	     TEST(closes_at_first),
		TEST(always_closes), TEST(stalls),
		TEST(nonsense),	     TEST(nobody),
		TEST(squatted),	     TEST(many),
		TEST(cancelled),     TEST(paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
