/* SPDX-License-Identifier: Apache-2.0 */
/* The copies of a user, and what others may have put in their place. */
#include "helpers/copies/cache.h"

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

static void fill_with(const char *id, unsigned long long bytes)
{
	const struct tree_sum sum = {.bytes = bytes, .files = 1};
	int half;

	assert_int_equal(cache_part(&cache[0], id), 0);
	half = cache_part_open(&cache[0], id);
	assert_true(half >= 0);
	close(openat(half, "file", O_WRONLY | O_CREAT, 0600));
	close(half);
	assert_int_equal(cache_find(&cache[0], id), -1);
	assert_int_equal(cache_keep(&cache[0], id, &sum, "/a/file"), 0);
}

static void fill(const char *id)
{
	fill_with(id, 1);
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
	const struct tree_sum sum = {.bytes = 1};
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
	assert_int_equal(cache_keep(&cache[0], ID, &sum, "/a"), 0);
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

/* So old, in seconds. */
static void used_at(const char *id, time_t at)
{
	const struct timespec times[2] = {{at, 0}, {at, 0}};
	char in[256];

	snprintf(in, sizeof(in), "%s/%s", own, id);
	assert_int_equal(utimensat(base, in, times, 0), 0);
}

/* The newest stay within the limit, and what somebody uses or has just filled;
 * copies don't count by what else is there. */
static void a_limit_of_bytes(void **state)
{
	char id[4][TREE_SUM_SIZE];
	int used, lock;

	(void)state;
	open_one();
	for (unsigned i = 0; i < 4; i++) {
		name(i, id[i]);
		fill_with(id[i], 1 << 20);
		used_at(id[i], 100 + i);
	}
	cache_trim(&cache[0], -1);
	cache_trim(&cache[0], 5 << 20);
	assert_true(is_there(id[0]));
	for (unsigned i = 0; i < 4; i++)
		used_at(id[i], 100 + i);
	used = openat(cache[0].fd, id[0], O_RDONLY);
	assert_int_equal(flock(used, LOCK_SH), 0);
	lock = cache_lock_file(&cache[0], id[1]);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	cache_trim(&cache[0], (1 << 20) + (64 << 10));
	assert_true(is_there(id[0]) && is_there(id[1]) && is_there(id[3]));
	assert_false(is_there(id[2]));
	close(used);
	close(lock);
	cache_trim(&cache[0], 0);
	for (unsigned i = 0; i < 4; i++)
		assert_false(is_there(id[i]));
}

static void what_is_left_goes(void **state)
{
	char in[256];
	int lock;

	(void)state;
	open_one();
	lock = cache_lock_file(&cache[0], ID);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	assert_int_equal(cache_part(&cache[0], ID), 0);
	cache_trim(&cache[0], -1);
	snprintf(in, sizeof(in), "%s/" ID ".part", own);
	assert_int_equal(faccessat(base, in, F_OK, 0), 0);
	close(lock);
	cache_trim(&cache[0], -1);
	assert_true(faccessat(base, in, F_OK, 0) < 0);
	snprintf(in, sizeof(in), "%s/" ID ".lock", own);
	assert_true(faccessat(base, in, F_OK, 0) < 0);
}

/* What a launcher has made for others of its step: as long as it is there. */
static void a_view_of_nobody_goes(void **state)
{
	struct flock held = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	int fd;

	(void)state;
	open_one();
	fd = openat(cache[0].fd, "7.0.1.view", O_RDWR | O_CREAT, 0600);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &held), 0);
	cache_trim(&cache[0], -1);
	assert_int_equal(faccessat(cache[0].fd, "7.0.1.view", F_OK, 0), 0);
	close(fd);
	cache_trim(&cache[0], -1);
	assert_true(faccessat(cache[0].fd, "7.0.1.view", F_OK, 0) < 0);
}

static void they_say_of_what_they_are(void **state)
{
	struct cache_copy *copy;
	char why[64];
	unsigned n;
	time_t at;

	(void)state;
	open_one();
	fill_with(ID, 4711);
	fill(OTHER);
	used_at(ID, 2000);
	used_at(OTHER, 1000);
	copy = cache_list(&cache[0], &n);
	assert_int_equal(n, 2);
	assert_string_equal(copy[0].id, ID);
	assert_string_equal(copy[0].path, "/a/file");
	assert_int_equal(copy[0].bytes, 4711);
	assert_int_equal(copy[1].used.tv_sec, 1000);
	free(copy);
	assert_false(cache_why(&cache[0], "/a/file", why, sizeof(why), &at));
	cache_note_why(&cache[0], "/a/file", "no room");
	assert_true(cache_why(&cache[0], "/a/file", why, sizeof(why), &at));
	assert_string_equal(why, "no room");
	assert_false(cache_why(&cache[0], "/a/other", why, sizeof(why), &at));
	cache_note_why(&cache[0], "/a/file", NULL);
	assert_false(cache_why(&cache[0], "/a/file", why, sizeof(why), &at));
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
		cmocka_unit_test_teardown(a_limit_of_bytes, shut),
		cmocka_unit_test_teardown(a_view_of_nobody_goes, shut),
		cmocka_unit_test_teardown(what_is_left_goes, shut),
		cmocka_unit_test_teardown(they_say_of_what_they_are, shut),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
