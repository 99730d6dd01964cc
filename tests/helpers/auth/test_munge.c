/* SPDX-License-Identifier: Apache-2.0 */
/* What of srun's credential is believed, as unmunge(1) prints it: the content
 * is bytes, and srun's id has no number of the requeue. */
#include "helpers/auth/munge.h"

#include "tests/fixtures/unit.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define CREDENTIAL "MUNGE:AwQFAAD:\n"

static char dir[] = "/tmp/dist-train-munge.XXXXXX";
static const struct handover_sealed sealed = {
	.id = "2:4711.3",
	.secret = {.secret = "a\0secret"},
};

static FILE *create(const char *name)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	return file;
}

/* unmunge prints this from now on. */
static void unmunge_prints(int status, unsigned uid, const void *content,
			   size_t n)
{
	FILE *file = create("said");

	fprintf(file,
		"STATUS:          Words (%d)\nUID:             user (%u)\n\n",
		status, uid);
	assert_int_equal(fwrite(content, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

static void opens(const char *id)
{
	unsigned char secret[SECRET_SIZE];
	struct err err;

	if (munge_open(CREDENTIAL, id, secret, &err) < 0)
		fail_msg("%s: %s", id, err.text);
	assert_memory_equal(secret, sealed.secret.secret, SECRET_SIZE);
}

static void refused(const char *id, const char *why)
{
	unsigned char secret[SECRET_SIZE];
	struct err err;

	assert_int_equal(munge_open(CREDENTIAL, id, secret, &err), -1);
	assert_string_equal(err.text, why);
}

/* Old ones, and those that were opened before, are as good. */
static void sruns_own(void **state)
{
	(void)state;
	for (int status = 15; status <= 17; status++) {
		unmunge_prints(status, getuid(), &sealed, sizeof(sealed));
		opens("4711.3.0");
	}
	unmunge_prints(0, getuid(), &sealed, sizeof(sealed));
	opens("4711.3.2");
}

static void launchers_own(void **state)
{
	static const char id[] = "1.0.0";
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "slurm-dist-train: the secret of step %s ", id);

	(void)state;
	for (unsigned i = 0; i < SECRET_SIZE; i++)
		n += sprintf(text + n, "%02x", sealed.secret.secret[i]);
	n += sprintf(text + n, "\n");
	assert_true((size_t)n > sizeof(sealed));
	unmunge_prints(0, getuid(), text, (size_t)n);
	opens(id);
}

static void not_believed(void **state)
{
	static const char another[] = "it was made for another step";

	(void)state;
	unmunge_prints(0, getuid(), &sealed, sizeof(sealed));
	refused("4711.30.0", another);
	refused("4711.2.0", another);
	refused("471.3.0", another);
	refused("4711", another);
	unmunge_prints(0, getuid(), &sealed, sizeof(sealed) - 1);
	refused("4711.3.0", another);
	unmunge_prints(0, getuid() + 1, &sealed, sizeof(sealed));
	refused("4711.3.0", "it was made by another user");
}

static int set_up(void **state)
{
	FILE *file;
	char path[PATH_MAX];

	(void)state;
	assert_non_null(mkdtemp(dir));
	file = create("unmunge");
	fprintf(file, "#!/bin/sh\ncat > /dev/null\ncat '%s/said'\n", dir);
	fclose(file);
	snprintf(path, sizeof(path), "%s/unmunge", dir);
	assert_int_equal(chmod(path, 0755), 0);
	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", dir);
	return setenv("PATH", path, 1);
}

static int tear_down(void **state)
{
	char path[PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/unmunge", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/said", dir);
	unlink(path);
	return rmdir(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sruns_own),
		cmocka_unit_test(launchers_own),
		cmocka_unit_test(not_believed),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
