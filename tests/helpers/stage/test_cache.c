/* SPDX-License-Identifier: Apache-2.0 */
/* The copies of a user, and what others may have put in their place. */
#include "helpers/stage/cache.h"

#include "sys/folder.h"
#include "tests/fixtures/unit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID    "0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210"

static char dir[] = "/tmp/test_cache.XXXXXX", own[128];
static int base;
static struct cache cache[CACHE_BASES];

static int begin(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	base = open(dir, O_RDONLY | O_DIRECTORY);
	assert_true(base >= 0);
	snprintf(own, sizeof(own), "dist-train-stage.%u", (unsigned)geteuid());
	unsetenv("SLURM_TMPDIR");
	return fchmod(base, 01777);
}

static int end(void **state)
{
	(void)state;
	folder_empty(base);
	close(base);
	return rmdir(dir);
}

static void open_one(void)
{
	struct err err;

	if (caches_open(dir, cache, &err) != 1)
		fail_msg("%s", err.text);
}

static int shut(void **state)
{
	(void)state;
	caches_close(cache);
	folder_empty(base);
	return 0;
}

static void is_refused(const char *why)
{
	struct err err;

	assert_int_equal(caches_open(dir, cache, &err), 0);
	if (!strstr(err.text, why))
		fail_msg("'%s' isn't in '%s'", why, err.text);
}

static void fill(const char *id)
{
	int half;

	assert_int_equal(cache_part(&cache[0], id), 0);
	half = cache_part_open(&cache[0], id);
	assert_true(half >= 0);
	close(openat(half, "file", O_WRONLY | O_CREAT, 0600));
	close(half);
	assert_int_equal(cache_find(&cache[0], id), -1);
	assert_int_equal(cache_keep(&cache[0], id), 0);
}

static bool is_there(const char *id)
{
	int fd = cache_find(&cache[0], id);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void it_is_the_users_alone(void **state)
{
	struct stat st;

	(void)state;
	umask(0);
	open_one();
	assert_int_equal(fstatat(base, own, &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	caches_close(cache);
	assert_int_equal(fchmodat(base, own, 0750, 0), 0);
	is_refused("isn't a folder of this user's alone");
	assert_int_equal(fchmod(base, 0777), 0);
	is_refused("may rename folders there");
	assert_int_equal(fchmod(base, 01777), 0);
}

static void a_link_or_a_file_is_refused(void **state)
{
	(void)state;
	assert_int_equal(mkdirat(base, "elsewhere", 0700), 0);
	assert_int_equal(symlinkat("elsewhere", base, own), 0);
	is_refused("isn't a folder of this user's alone");
	assert_int_equal(unlinkat(base, own, 0), 0);
	close(openat(base, own, O_WRONLY | O_CREAT, 0600));
	is_refused("isn't a folder of this user's alone");
}

static void a_folder_of_another_user_is_refused(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(mkdirat(base, own, 0700), 0);
	assert_int_equal(fchownat(base, own, 12345, 12345, 0), 0);
	is_refused("isn't a folder of this user's alone");
}

/* Whoever renames the folder above has another one at its path, and we ours. */
static void it_is_held_whatever_is_at_its_path(void **state)
{
	(void)state;
	open_one();
	fill(ID);
	assert_int_equal(renameat(base, own, base, "moved"), 0);
	assert_int_equal(mkdirat(base, own, 0777), 0);
	assert_true(is_there(ID));
	fill(OTHER);
	assert_int_equal(faccessat(base, "moved/" OTHER, F_OK, 0), 0);
}

static void a_half_copy_is_never_found(void **state)
{
	int half, lock;

	(void)state;
	open_one();
	lock = cache_lock_file(&cache[0], ID);
	assert_true(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0);
	assert_true(cache_lock_is_good(lock));
	assert_int_equal(cache_part(&cache[0], ID), 0);
	half = cache_part_open(&cache[0], ID);
	close(openat(half, "of who has died", O_WRONLY | O_CREAT, 0600));
	close(half);
	assert_false(is_there(ID));
	assert_int_equal(cache_part(&cache[0], ID), 0);
	half = cache_part_open(&cache[0], ID);
	assert_true(faccessat(half, "of who has died", F_OK, 0) < 0);
	close(half);
	assert_int_equal(cache_keep(&cache[0], ID), 0);
	assert_true(is_there(ID));
	close(lock);
}

static void planted_links_arent_followed(void **state)
{
	char in[256];
	int lock;

	(void)state;
	open_one();
	assert_int_equal(mkdirat(base, "elsewhere", 0700), 0);
	snprintf(in, sizeof(in), "%s/" ID, own);
	assert_int_equal(symlinkat("../elsewhere", base, in), 0);
	assert_int_equal(cache_find(&cache[0], ID), -1);
	snprintf(in, sizeof(in), "%s/" ID ".lock", own);
	assert_int_equal(symlinkat("../elsewhere/lock", base, in), 0);
	lock = cache_lock_file(&cache[0], ID);
	assert_int_equal(lock, -1);
	assert_true(faccessat(base, "elsewhere/lock", F_OK, 0) < 0);
}

/* The one that is being filled; else the one with room. */
static void it_chooses(void **state)
{
	struct err err;
	int lock;

	(void)state;
	open_one();
	assert_ptr_equal(cache_choose(cache, 1, ID, 1, 1, &err), &cache[0]);
	assert_null(cache_choose(cache, 1, ID, 1ULL << 60, 1, &err));
	assert_non_null(strstr(err.text, "no room: "));
	lock = cache_lock_file(&cache[0], ID);
	flock(lock, LOCK_EX);
	assert_ptr_equal(cache_choose(cache, 1, ID, 1ULL << 60, 1, &err),
			 &cache[0]);
	close(lock);
}

static void name(unsigned i, char ret[TREE_SUM_SIZE])
{
	snprintf(ret, TREE_SUM_SIZE, "%032x", i);
}

/* More than are kept: the oldest go, but for those in use; and what is left of
 * who has died. */
static void the_oldest_go(void **state)
{
	const struct timespec old[2] = {{10, 0}, {10, 0}};
	const struct timespec older[2] = {{5, 0}, {5, 0}};
	char id[TREE_SUM_SIZE], in[256];
	struct err err;
	int used;

	(void)state;
	open_one();
	for (unsigned i = 0; i < CACHE_KEEPS + 1; i++) {
		name(i, id);
		fill(id);
	}
	name(3, id);
	used = cache_find(&cache[0], id);
	snprintf(in, sizeof(in), "%s/%s", own, id);
	assert_int_equal(utimensat(base, in, older, 0), 0);
	name(7, id);
	snprintf(in, sizeof(in), "%s/%s", own, id);
	assert_int_equal(utimensat(base, in, old, 0), 0);
	snprintf(in, sizeof(in), "%s/" ID ".part", own);
	assert_int_equal(mkdirat(base, in, 0700), 0);
	assert_non_null(cache_choose(cache, 1, OTHER, 1, 1, &err));
	assert_true(faccessat(base, in, F_OK, 0) < 0);
	name(3, id);
	assert_true(is_there(id));
	name(7, id);
	assert_false(is_there(id));
	name(16, id);
	assert_true(is_there(id));
	cache_remove(&cache[0], id);
	assert_false(is_there(id));
	close(used);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(it_is_the_users_alone, shut),
		cmocka_unit_test_teardown(a_link_or_a_file_is_refused, shut),
		cmocka_unit_test_teardown(a_folder_of_another_user_is_refused,
					  shut),
		cmocka_unit_test_teardown(it_is_held_whatever_is_at_its_path,
					  shut),
		cmocka_unit_test_teardown(a_half_copy_is_never_found, shut),
		cmocka_unit_test_teardown(planted_links_arent_followed, shut),
		cmocka_unit_test_teardown(it_chooses, shut),
		cmocka_unit_test_teardown(the_oldest_go, shut),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
