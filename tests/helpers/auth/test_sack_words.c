/* SPDX-License-Identifier: Apache-2.0 */
/* What a token says, and texts that are none. */
#include "tests/fixtures/sack_stand_in.h"
#include "tests/fixtures/unit.h"

static struct sack_claims claims;
static struct err err;

static int read_claims(const char *text)
{
	char token[SACK_TOKEN_MAX];

	stand_in_token(text, token);
	memset(&claims, 0, sizeof(claims));
	return sack_words_read(token, &claims, &err);
}

#define GOOD                                                                   \
	"\"context\":\"sack\",\"exp\":1790000060,\"iat\":1790000000,"          \
	"\"payload\":\"aGVsbG8=\",\"ruid\":10001,\"uid\":10001"

static void good(void **state)
{
	(void)state;
	assert_int_equal(read_claims("{" GOOD "}"), 0);
	assert_int_equal(claims.uid, 10001);
	assert_int_equal(claims.reader, 10001);
	assert_int_equal(claims.end_s, 1790000060);
	assert_string_equal(claims.payload, "hello");
}

/* With use_client_ids it holds what the user may write himself. */
static void other_claims(void **state)
{
	(void)state;
	assert_int_equal(
		read_claims("{\"id\":{\"gecos\":\"\\\",\\\"uid\\\":0,\","
			    "\"uid\":0,\"groups\":{\"a\":1}}," GOOD
			    ",\"x\":[1,{\"ruid\":7}],\"ver\":11264}"),
		0);
	assert_int_equal(claims.uid, 10001);
	assert_int_equal(claims.reader, 10001);
}

static void bad(void **state)
{
	static const char *const texts[] = {
		"",
		"{}",
		"[]",
		"{" GOOD,
		"{" GOOD "}x",
		"{" GOOD ",}",
		/* twice */
		"{" GOOD ",\"uid\":0}",
		"{\"uid\":0," GOOD "}",
		"{" GOOD ",\"context\":\"sack\"}",
		"{" GOOD ",\"payload\":\"aGVsbG8=\"}",
		/* of another kind */
		"{\"context\":\"auth\",\"exp\":2,\"iat\":1,\"payload\":"
		"\"aGVsbG8=\",\"ruid\":1,\"uid\":1}",
		"{\"context\":\"sackx\",\"exp\":2,\"iat\":1,\"payload\":"
		"\"aGVsbG8=\",\"ruid\":1,\"uid\":1}",
		/* numbers */
		"{\"context\":\"sack\",\"exp\":2,\"iat\":1,\"payload\":"
		"\"aGVsbG8=\",\"ruid\":1,\"uid\":-1}",
		"{\"context\":\"sack\",\"exp\":2,\"iat\":1,\"payload\":"
		"\"aGVsbG8=\",\"ruid\":1,\"uid\":4294967296}",
		"{\"context\":\"sack\",\"exp\":2,\"iat\":1,\"payload\":"
		"\"aGVsbG8=\",\"ruid\":1,\"uid\":1.5}",
		"{\"context\":\"sack\",\"exp\":2,\"iat\":1,\"payload\":"
		"\"aGVsbG8=\",\"ruid\":1,\"uid\":1e3}",
		"{\"context\":\"sack\",\"exp\":2,\"iat\":1,\"payload\":"
		"\"aGVsbG8=\",\"ruid\":1,\"uid\":\"1\"}",
		/* payloads: no base64, with a NUL */
		"{\"context\":\"sack\",\"exp\":2,\"iat\":1,\"payload\":\"*\","
		"\"ruid\":1,\"uid\":1}",
		"{\"context\":\"sack\",\"exp\":2,\"iat\":1,\"payload\":"
		"\"YQBi\",\"ruid\":1,\"uid\":1}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_case(texts[i], read_claims(texts[i]) < 0);
}

static void no_token(void **state)
{
	static const char *const texts[] = {"",	     ".",	  "..",	  "a.b",
					    "a.b.c", "a.e30.c.d", "a.*.c"};
	char *large = repeated('a', SACK_TOKEN_MAX);

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_case(texts[i],
			    sack_words_read(texts[i], &claims, &err) < 0);
	large[1] = large[9] = '.';
	assert_int_equal(sack_words_read(large, &claims, &err), -1);
	free(large);
}

/* Byte by byte as Slurm 26.05's own client sends them. */
static void requests(void **state)
{
	unsigned char text[SACK_REQUEST_MAX];
	static const unsigned char create[] = "\x28\0\0\0\0\x12\0\0\xfa\x01"
					      "\0\0\x27\x11\0\0\0\2hi";
	static const unsigned char verify[] = "\x28\0\0\0\0\x0e\0\0\xfa\x02"
					      "\0\0\0\2t";

	(void)state;
	assert_int_equal(sack_words_create(10001, "hi", text),
			 sizeof(create) - 1);
	assert_memory_equal(text, create, sizeof(create) - 1);
	assert_int_equal(sack_words_verify("t", text), sizeof(verify));
	assert_memory_equal(text, verify, sizeof(verify));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),	    cmocka_unit_test(other_claims),
		cmocka_unit_test(bad),	    cmocka_unit_test(no_token),
		cmocka_unit_test(requests),
	};

	return sodium_init() < 0 ? 1
				 : cmocka_run_group_tests(tests, NULL, NULL);
}
