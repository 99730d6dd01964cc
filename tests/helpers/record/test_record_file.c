/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a step's record: whose it is, where it is, how much is in it. */
#include "helpers/record/record_file.h"

#include "sys/text_file.h"
#include "tests/fixtures/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct tree tree;
static char folder[PATH_MAX];

static int open_tree(void **state)
{
	(void)state;
	tree_open(&tree);
	snprintf(folder, sizeof(folder), "%s/state/dist-train", tree.root);
	return 0;
}

static int close_tree(void **state)
{
	(void)state;
	tree_close(&tree);
	return 0;
}

static const char *in_folder(const char *name)
{
	return tree_path_in(folder, name);
}

/* Returns the record's descriptor, or -1. */
static int open_record(const char *step, struct err *err)
{
	int dir, fd = record_file_open(folder, true, step, &dir, err);

	if (fd >= 0)
		close(dir);
	return fd;
}

static void refused(const char *step, const char *why)
{
	struct err err = {.text = ""};

	assert_int_equal(open_record(step, &err), -1);
	if (!strstr(err.text, why) || !strstr(err.text, folder))
		fail_msg("no '%s' in '%s'", why, err.text);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static void is_the_users_alone(void **state)
{
	struct err err;
	int fd;

	(void)state;
	fd = open_record("1.0.0", &err);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(mode_of(folder), 0700);
	assert_int_equal(mode_of(in_folder("1.0.0.jsonl")), 0600);
}

/* Where others may have prepared the name, nothing of theirs is written to. */
static void nobody_leads_it_elsewhere(void **state)
{
	struct err err;
	int fd = open_record("1.0.0", &err);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	tree_file(&tree, "mine", "/victim");
	assert_int_equal(symlink("../../victim", in_folder("2.0.0.jsonl")), 0);
	refused("2.0.0", strerror(ELOOP));
	assert_int_equal(symlink("../../new", in_folder("3.0.0.jsonl")), 0);
	refused("3.0.0", strerror(ELOOP));
	assert_int_equal(access(in_folder("../../new"), F_OK), -1);
	assert_int_equal(
		link(in_folder("../../victim"), in_folder("4.0.0.jsonl")), 0);
	refused("4.0.0", "second name");
	assert_int_equal(mkfifo(in_folder("5.0.0.jsonl"), 0600), 0);
	refused("5.0.0", "it is no file");
	assert_int_equal(mkdir(in_folder("6.0.0.jsonl"), 0700), 0);
	refused("6.0.0", strerror(EISDIR));
}

/* The tests of another user's files need root. */
static void others_files_are_refused(void **state)
{
	struct err err;
	int fd;

	(void)state;
	if (geteuid() != 0)
		skip();
	fd = open_record("1.0.0", &err);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(chown(in_folder("1.0.0.jsonl"), 1, 1), 0);
	refused("1.0.0", "belongs to another user");
	assert_int_equal(chown(folder, 1, 1), 0);
	refused("2.0.0", "belongs to another user");
	assert_int_equal(access(in_folder("2.0.0.jsonl"), F_OK), -1);
}

static off_t size_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size;
}

static void has_a_bound(void **state)
{
	struct record_line line = {.text = repeated('x', 999), .room = 4096};
	struct record_line last = {.text = (char *)"{}\n", .room = 8192};
	struct err err;
	int fd = open_record("1.0.0", &err);

	(void)state;
	for (int i = 0; i < 10; i++)
		assert_int_equal(record_file_write(fd, &line), 0);
	assert_int_equal(size_of(fd), 4 * 999);
	assert_int_equal(record_file_write(fd, &last), 0);
	assert_int_equal(size_of(fd), 4 * 999 + 3);
	free(line.text);
	close(fd);
}

/* The file's last line. */
static const char *last_line(const char *step, char buf[256])
{
	char *text, *line;
	struct err err;
	char name[64];

	snprintf(name, sizeof(name), "%s.jsonl", step);
	text = text_file_read(in_folder(name), 4096, &err);
	assert_non_null(text);
	text[strlen(text) - 1] = '\0';
	line = strrchr(text, '\n');
	snprintf(buf, 256, "%s", line ? line + 1 : text);
	free(text);
	return buf;
}

/* A cluster's name is in that of the file; a record of the same name that has
 * begun long ago, or will, is another step's, and is put aside. */
static void whose(void **state)
{
	struct timespec now;
	char head[64], text[80];
	struct record_line line = {.text = text, .room = 8192};
	struct err err;
	int fd[4];

	(void)state;
	setenv("SLURM_CLUSTER_NAME", "a/b.c", 1);
	clock_gettime(CLOCK_REALTIME, &now);
	close(open_record("8.0.0", &err)); /* the folder */
	tree_file(&tree, "{\"t_ms\":1700000000123.5,\"x\":1}\n",
		  "/state/dist-train/9.0.0.a_b_c.jsonl");
	fd[0] = open_record("9.0.0", &err);
	assert_int_equal(size_of(fd[0]), 0);
	assert_int_equal(
		access(in_folder("9.0.0.a_b_c.1700000000.jsonl"), F_OK), 0);
	snprintf(head, sizeof(head), "{\"t_ms\":%lld.7,",
		 (long long)now.tv_sec * 1000);
	snprintf(text, sizeof(text), "%s\"x\":1}\n", head);
	assert_int_equal(record_file_write(fd[0], &line), 0);
	fd[1] = open_record("9.0.0", &err);
	assert_int_equal(size_of(fd[1]), (off_t)strlen(text));
	setenv("SLURM_CLUSTER_NAME", "other", 1);
	fd[2] = open_record("9.0.0", &err);
	assert_int_equal(size_of(fd[2]), 0);
	unsetenv("SLURM_CLUSTER_NAME");
	fd[3] = open_record("9.0.0", &err);
	assert_int_equal(access(in_folder("9.0.0.jsonl"), F_OK), 0);
	for (int i = 0; i < 4; i++)
		close(fd[i]);
}

/* What the progress file has is added; what it can't have, isn't. */
static void progress_file(void **state)
{
	static const char *const bad[] = {"", "x", "-1", "1e3",
					  "99999999999999999999"};
	const struct timespec times[2] = {{1800000000, 0},
					  {1800000000, 500000000}};
	char path[PATH_MAX], buf[256];
	struct record_line line = {
		.text = (char *)"{\"round\":2}\n",
		.room = 8192,
		.saved = path,
		.at_ms = 1800000003000,
	};
	struct err err;
	int fifo, fd = open_record("1.0.0", &err);

	(void)state;
	snprintf(path, sizeof(path), "%s/saved", tree.root);
	assert_int_equal(record_file_write(fd, &line), 0);
	assert_string_equal(last_line("1.0.0", buf), "{\"round\":2}");
	tree_file(&tree, "120\n", "/saved");
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_int_equal(record_file_write(fd, &line), 0);
	assert_string_equal(last_line("1.0.0", buf),
			    "{\"round\":2,\"value\":120,\"age_s\":2.500}");
	line.at_ms = 1700000000000; /* written since then */
	assert_int_equal(record_file_write(fd, &line), 0);
	assert_string_equal(last_line("1.0.0", buf),
			    "{\"round\":2,\"value\":120,\"age_s\":0.000}");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		tree_file(&tree, bad[i], "/saved");
		assert_int_equal(record_file_write(fd, &line), 0);
		assert_string_equal(last_line("1.0.0", buf), "{\"round\":2}");
	}
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	fifo = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(write(fifo, "120\n", 4), 4);
	assert_int_equal(record_file_write(fd, &line), 0);
	assert_string_equal(last_line("1.0.0", buf), "{\"round\":2}");
	close(fifo);
	unlink(path);
	/* Others may write to its folder: the link is theirs */
	tree_file(&tree, "120\n", "/own");
	assert_int_equal(symlink("own", path), 0);
	assert_int_equal(record_file_write(fd, &line), 0);
	assert_non_null(strstr(last_line("1.0.0", buf), "\"value\":120"));
	assert_int_equal(chmod(tree.root, 0770), 0);
	assert_int_equal(record_file_write(fd, &line), 0);
	assert_string_equal(last_line("1.0.0", buf), "{\"round\":2}");
	assert_int_equal(chmod(tree.root, 0700), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(is_the_users_alone, open_tree,
						close_tree),
		cmocka_unit_test_setup_teardown(nobody_leads_it_elsewhere,
						open_tree, close_tree),
		cmocka_unit_test_setup_teardown(others_files_are_refused,
						open_tree, close_tree),
		cmocka_unit_test_setup_teardown(has_a_bound, open_tree,
						close_tree),
		cmocka_unit_test_setup_teardown(whose, open_tree, close_tree),
		cmocka_unit_test_setup_teardown(progress_file, open_tree,
						close_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
