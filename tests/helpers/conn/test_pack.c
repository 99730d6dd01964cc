/* SPDX-License-Identifier: Apache-2.0 */
/* Packing, and what others may send in its place. */
#include "helpers/conn/pack.h"

#include "tests/fixtures/unit.h"

#include <errno.h>
#include <stdlib.h>

#define MAX 100000

/* Rows that differ, as those of nodes do. */
static char *rows(size_t *ret_n)
{
	char *text = malloc(MAX), *at = text;

	assert_non_null(text);
	for (int i = 0; i < 1000; i++)
		at += sprintf(at, "%d %d 910B node%05d 29.1.%d.10\n", i, i % 8,
			      i / 8, i / 8);
	*ret_n = (size_t)(at - text);
	return text;
}

static void there_and_back(void **state)
{
	size_t n, npacked, nback;
	char *text = rows(&n), *packed = pack(text, n, &npacked), *back;

	(void)state;
	assert_non_null(packed);
	assert_true(npacked < n / 4);
	back = unpack(packed, npacked, n + 1, &nback);
	assert_non_null(back);
	assert_int_equal(nback, n);
	assert_memory_equal(back, text, n);
	assert_int_equal(back[n], 0);
	free(back);
	free(packed);
	free(text);
}

static void not_smaller(void **state)
{
	unsigned char noise[5000];
	size_t n;

	(void)state;
	srandom(1);
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (unsigned char)random();
	assert_null(pack(noise, sizeof(noise), &n));
	assert_null(pack("", 0, &n));
	assert_null(pack("abc", 3, &n));
}

static void refused(const void *packed, size_t n, size_t max, int why)
{
	size_t back;

	errno = 0;
	assert_null(unpack(packed, n, max, &back));
	assert_int_equal(errno, why);
}

/* The stream ends with the checksum of what it holds. Another way to say the
 * same is no fault. */
static void refused_or_same(const char *packed, size_t npacked,
			    const char *text, size_t n)
{
	size_t nback;
	char *back = unpack(packed, npacked, MAX, &nback);

	if (!back)
		return;
	assert_int_equal(nback, n);
	assert_memory_equal(back, text, n);
	free(back);
}

/* Every byte that is missing, too many or another one. */
static void cut_and_forged(void **state)
{
	size_t n, npacked;
	char *text = rows(&n), *packed = pack(text, n, &npacked);
	char *more = calloc(1, npacked + 1);

	(void)state;
	assert_true(packed && more);
	for (size_t cut = 0; cut < npacked; cut++)
		refused(packed, cut, MAX, EPROTO);
	memcpy(more, packed, npacked);
	refused(more, npacked + 1, MAX, EPROTO);
	for (size_t i = 0; i < npacked; i++) {
		more[i] ^= 0x20;
		refused_or_same(more, npacked, text, n);
		more[i] = packed[i];
	}
	free(more);
	free(packed);
	free(text);
}

/* A number that isn't that of its bytes; more than the reader has room for;
 * little that says to be much. */
static void bombs(void **state)
{
	size_t n = MAX, npacked;
	char *zeros = calloc(1, n), *packed = pack(zeros, n, &npacked);

	(void)state;
	assert_true(packed && npacked < 1000);
	refused(packed, npacked, n, EMSGSIZE); /* one for the NUL */
	packed[3] ^= 1;
	refused(packed, npacked, MAX + 10, EPROTO);
	memcpy(packed, "\0\0\0\1", 4);
	refused(packed, npacked, MAX, EPROTO);
	memcpy(packed, "\0\0\0\0", 4);
	refused(packed, npacked, MAX, EPROTO);
	memcpy(packed, "\x0f\xff\xff\xff", 4);
	refused(packed, npacked, 256 << 20, EPROTO);
	memcpy(packed, "\xff\xff\xff\xff", 4);
	refused(packed, npacked, 256 << 20, EMSGSIZE);
	free(packed);
	free(zeros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(not_smaller),
		cmocka_unit_test(cut_and_forged),
		cmocka_unit_test(bombs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
