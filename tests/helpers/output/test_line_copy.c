/* SPDX-License-Identifier: Apache-2.0 */
/* Built twice: with what this processor has for it, and without
 * (LINE_COPY_PORTABLE). */
#include "helpers/output/line_copy.h"

#include "helpers/output/line_writer.h"
#include "tests/fixtures/unit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 8192
#define PAGE 65536 /* at least a page everywhere */

/* Memory that ends at a page that can't be touched. */
static char *before_a_wall(size_t n)
{
	char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	assert_int_equal(mprotect(p + PAGE, PAGE, PROT_NONE), 0);
	return p + PAGE - n;
}

/* Text with a newline for about each `mean` bytes, and those around it in
 * ASCII and those with the high bit among the others. */
static void fill(char *text, size_t n, unsigned mean)
{
	static const char others[] = "\0\t\v\x8a\x09\x0bxy";

	for (size_t i = 0; i < n; i++)
		text[i] = (unsigned)rand() % mean ? others[rand() % 8] : '\n';
}

/* What `from` comes to, line by line. Returns how many bytes. */
static size_t naive(char *to, const char *from, size_t n, const char *prefix)
{
	size_t used = 0;
	bool begins = true;

	for (size_t i = 0; i < n; i++) {
		if (begins)
			used += (size_t)sprintf(to + used, "%s", prefix);
		to[used++] = from[i];
		begins = from[i] == '\n';
	}
	return used;
}

static void newlines(void **state)
{
	char text[LINE_COPY_BLOCK];
	uint64_t want;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		fill(text, sizeof(text), 1 + round % 70);
		want = 0;
		for (unsigned i = 0; i < sizeof(text); i++)
			want |= (uint64_t)(text[i] == '\n') << i;
		assert_true(newlines_of_block(text) == want);
	}
}

/* Copy n bytes into `room`, and look at what came and how far it went. */
static void copy_and_compare(const char *from, size_t n, size_t room,
			     const char *prefix)
{
	char own_prefix[LINE_COPY_PIECE] = "", want[16 * SIZE];
	char *to = before_a_wall(room);
	struct line_copy copy = {.to = to,
				 .room = room,
				 .prefix = own_prefix,
				 .nprefix = strlen(prefix)};
	size_t taken, longest = 0, line = 0;

	memcpy(own_prefix, prefix, strlen(prefix));
	taken = line_copy(&copy, from, n);
	assert_true(taken <= n && copy.used <= room);
	assert_true(!taken || from[taken - 1] == '\n');
	assert_int_equal(copy.used, naive(want, from, taken, prefix));
	assert_memory_equal(to, want, copy.used);
	for (size_t i = taken; i < n; i++) {
		line = from[i] == '\n' ? 0 : line + 1;
		longest = line > longest ? line : longest;
	}
	/* It stopped because of the end or the room, not before. */
	if (copy.used + longest + 4 * LINE_COPY_PIECE < room)
		assert_null(
			memchr(from + taken, '\n',
			       n - taken > 2 * LINE_COPY_BLOCK + LINE_COPY_PIECE
				       ? n - taken - 2 * LINE_COPY_BLOCK
				       : 0));
	munmap(to + room - PAGE, 2 * PAGE);
}

static void lines_and_rooms(void **state)
{
	static const char *const prefix[] = {"0: ", "",
					     "  7: ", "\033[31m1234:\033[0m ",
					     "1234567890123456789012345678901"};

	(void)state;
	for (unsigned round = 0; round < 4000; round++) {
		size_t n = (size_t)rand() % (round % 8 ? 600 : SIZE);
		size_t room = (size_t)rand() % (round % 3 ? 4 * SIZE : 400);
		char *from = before_a_wall(n);

		fill(from, n, 1u << rand() % 10);
		copy_and_compare(from, n, room, prefix[round % COUNT(prefix)]);
		munmap(from + n - PAGE, 2 * PAGE);
	}
}

/* A file that a sink writes to, and what came there. */
static int new_file(void)
{
	int fd = memfd_create("lines", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void assert_file(int fd, const char *want, size_t n)
{
	char *found = malloc(n + 1);

	assert_non_null(found);
	assert_int_equal(pread(fd, found, n + 1, 0), n);
	assert_memory_equal(found, want, n);
	free(found);
	close(fd);
}

/* Through a sink, in pieces: lines across them, longer than the sink too, and
 * no newline at the end. */
static void across_pieces(unsigned mean, size_t piece)
{
	static char text[300000], want[16 * sizeof(text)];
	struct sink *sink = calloc(1, sizeof(*sink));
	struct line_writer lines = {.sink = sink};
	size_t n;

	assert_non_null(sink);
	sink->target.fd = new_file();
	line_writer_set_prefix(&lines, 3, 16, false);
	fill(text, sizeof(text), mean);
	text[sizeof(text) - 1] = 'x';
	for (size_t at = 0; at < sizeof(text); at += n) {
		n = 1 + (size_t)rand() % piece;
		if (n > sizeof(text) - at)
			n = sizeof(text) - at;
		line_writer_add(&lines, text + at, n);
		if (rand() % 2)
			sink_flush(sink);
	}
	line_writer_end(&lines);
	sink_flush(sink);
	n = naive(want, text, sizeof(text), " 3: ");
	want[n++] = '\n';
	assert_file(sink->target.fd, want, n);
	free(sink);
}

static void pieces(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 18; i++)
		for (size_t piece = 100; piece <= 65536; piece *= 8)
			across_pieces(1u << i, piece);
	across_pieces(80, 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newlines),
		cmocka_unit_test(lines_and_rooms),
		cmocka_unit_test(pieces),
	};

	srand(19);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
