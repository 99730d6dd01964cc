/* SPDX-License-Identifier: Apache-2.0 */
/* What a launcher gives to a controller elsewhere, as a text of strings. */
#include "registry/registry.h"

#include "tests/fixtures/unit.h"

static char heard[512];
static int refuses; /* so many are taken before one is refused */

static int note(char what, const char *a, const char *b)
{
	size_t n = strlen(heard);

	snprintf(heard + n, sizeof(heard) - n, "%c%s|%s ", what, a, b);
	return refuses-- ? 0 : -1;
}

static int on_variable(void *arg, const char *name, const char *value)
{
	assert_ptr_equal(arg, heard);
	return note('v', name, value);
}

static int on_word(void *arg, char *word)
{
	assert_ptr_equal(arg, heard);
	return note('w', word, "");
}

static int read_text(char *text, size_t n)
{
	*heard = '\0';
	refuses = -1;
	return handed_text_read(text, n, on_variable, on_word, heard);
}

/* Slurm's and the named ones, whole; each word, whatever is in it. */
static void there_and_back(void **state)
{
	char *const environment[] = {"HOME=/home/alice",
				     "SLURM_JOB_ID=7",
				     "SLURM_X=a=b\nc",
				     "SLURM_EMPTY=",
				     "CUDA_VISIBLE_DEVICES=0,1",
				     "CUDA_VISIBLE_DEVICES_X=2",
				     "CUDA=3",
				     NULL};
	char *const command[] = {"sh", "", "=", "A=b", NULL};
	size_t n;
	char *text = handed_text(environment, command, &n);

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < 2; i++) { /* it is left as it was */
		assert_int_equal(read_text(text, n), 0);
		assert_string_equal(heard,
				    "vSLURM_JOB_ID|7 vSLURM_X|a=b\nc "
				    "vSLURM_EMPTY| vCUDA_VISIBLE_DEVICES|0,1 "
				    "wsh| w| w=| wA=b| ");
	}
	free(text);
	text = handed_text(environment, NULL, &n);
	assert_int_equal(read_text(text, n), 0);
	assert_string_equal(heard, "vSLURM_JOB_ID|7 vSLURM_X|a=b\nc "
				   "vSLURM_EMPTY| vCUDA_VISIBLE_DEVICES|0,1 ");
	free(text);
}

/* Of exactly these bytes: a look behind them is one too far. */
static int read_bytes(const char *bytes, size_t n)
{
	char *text = malloc(n ? n : 1);
	int rc;

	assert_non_null(text);
	memcpy(text, bytes, n);
	rc = read_text(text, n);
	free(text);
	return rc;
}

static void other_texts(void **state)
{
	(void)state;
	assert_int_equal(read_bytes("", 0), -1);
	assert_int_equal(read_bytes("SLURM=1", 7), -1); /* no end */
	assert_int_equal(read_bytes("SLURM=1\0SLURMb=2", 16), -1);
	assert_string_equal(heard, "");
	assert_int_equal(read_bytes("SLURM=1\0b\0", 10), -1);
	assert_string_equal(heard, "vSLURM|1 ");
	assert_int_equal(read_bytes("\0", 1), -1);
	assert_int_equal(read_bytes("SLURM=1\0\0", 9), -1);
	assert_int_equal(read_bytes("LD_PRELOAD=x\0", 13), -1);
	assert_string_equal(heard, "");
	assert_int_equal(read_bytes("=\0", 2), 0);
	assert_string_equal(heard, "w| ");
}

static void refused(void **state)
{
	char text[] = "SLURM=1\0=sh\0SLURMb=2";

	(void)state;
	for (int i = 0; i < 3; i++) {
		*heard = '\0';
		refuses = i;
		assert_int_equal(handed_text_read(text, sizeof(text),
						  on_variable, on_word, heard),
				 -1);
		assert_string_equal(heard,
				    i == 0   ? "vSLURM|1 "
				    : i == 1 ? "vSLURM|1 wsh| "
					     : "vSLURM|1 wsh| vSLURMb|2 ");
	}
	assert_memory_equal(text, "SLURM=1\0=sh\0SLURMb=2", sizeof(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(other_texts),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
