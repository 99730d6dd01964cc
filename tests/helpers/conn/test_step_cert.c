/* SPDX-License-Identifier: Apache-2.0 */
/* The step's certificate: the same for the same word alone, and one that
 * OpenSSL takes for what it is. */
#include "helpers/conn/step_cert.h"

#include "core/base/ip.h"
#include "tests/fixtures/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char word[] = "0123456789abcdef0123456789abcdef";

static void test_of_its_word(void **state)
{
	struct step_cert a, b, other;

	(void)state;
	assert_int_equal(step_cert_make(word, NULL, &a), 0);
	assert_int_equal(step_cert_make(word, NULL, &b), 0);
	assert_int_equal(step_cert_make("another", NULL, &other), 0);
	assert_string_equal(a.cert, b.cert);
	assert_string_equal(a.key, b.key);
	assert_string_not_equal(a.cert, other.cert);
	assert_string_not_equal(a.key, other.key);
	assert_null(strstr(a.cert, word));
	assert_null(strstr(a.key, word));
}

static void save(const char *dir, const char *name, const char *text)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* One key, whatever address it names. */
static void test_address(void **state)
{
	const char *const texts[] = {"10.77.0.1", "fd00::1"};
	struct step_cert none, made;
	struct ip ip;

	(void)state;
	assert_int_equal(step_cert_make(word, NULL, &none), 0);
	for (size_t i = 0; i < COUNT(texts); i++) {
		ip_parse(texts[i], strlen(texts[i]), &ip);
		assert_int_equal(step_cert_make(word, &ip, &made), 0);
		assert_string_not_equal(made.cert, none.cert);
		assert_string_equal(made.key, none.key);
	}
}

/* It verifies by itself alone, strictly, for both ends; key and certificate
 * belong together. */
static void test_openssl(void **state)
{
	static const char script[] =
		"cd %s && for p in sslserver sslclient; do "
		"openssl verify -x509_strict -purpose $p -CAfile a.crt a.crt &&"
		"! openssl verify -CAfile b.crt a.crt || exit 1; done && "
		"openssl verify -verify_ip 10.77.0.1 -CAfile i.crt i.crt && "
		"! openssl verify -verify_ip 10.77.0.2 -CAfile i.crt i.crt && "
		"openssl verify -verify_ip fd00::1 -CAfile j.crt j.crt && "
		"test \"$(openssl x509 -in a.crt -noout -pubkey)\" = "
		"\"$(openssl pkey -in a.key -pubout)\"";
	char dir[] = "/tmp/test_step_cert.XXXXXX", command[1024];
	struct step_cert a, b, i, j;
	struct ip ip;

	(void)state;
	if (system("openssl version > /dev/null 2>&1") != 0)
		skip();
	assert_non_null(mkdtemp(dir));
	assert_int_equal(step_cert_make(word, NULL, &a), 0);
	assert_int_equal(step_cert_make("another", NULL, &b), 0);
	ip_parse("10.77.0.1", 9, &ip);
	assert_int_equal(step_cert_make(word, &ip, &i), 0);
	ip_parse("fd00::1", 7, &ip);
	assert_int_equal(step_cert_make(word, &ip, &j), 0);
	save(dir, "i.crt", i.cert);
	save(dir, "j.crt", j.cert);
	save(dir, "a.crt", a.cert);
	save(dir, "a.key", a.key);
	save(dir, "b.crt", b.cert);
	snprintf(command, sizeof(command), script, dir);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_its_word),
		cmocka_unit_test(test_address),
		cmocka_unit_test(test_openssl),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
