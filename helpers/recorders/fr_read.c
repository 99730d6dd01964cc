/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recorders/fr_read.h"

#include "core/base/text.h"
#include "core/facts/rows.h"
#include "sys/subprocess.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MEMORY_MAX (2UL << 30)
#define CPU_S	   20
#define ROWS_MAX   (512U << 10) /* of a dump */
#define KINDS	   3

static const char script[] =
#include "fr_dump_py.h"
	;

/* --- what it prints --- */

static const struct {
	const char *name;
	unsigned nfields;
} kinds[KINDS] = {{"dump", 4}, {"group", 7}, {"op", 11}};

static bool is_row(char *const field[], unsigned n, const char *rank)
{
	for (int i = 0; i < KINDS; i++)
		if (!strcmp(field[0], kinds[i].name))
			return n == kinds[i].nfields && !strcmp(field[1], rank);
	return false;
}

static void put_row(FILE *f, char *const field[], unsigned n)
{
	row_begin(f, field[0]);
	for (unsigned i = 1; i < n; i++)
		row_text(f, field[i]);
	row_end(f);
}

/* Why there are none. */
static int refuse(char *const field[], struct err *err)
{
	bool told = !strcmp(field[0], "refused") && *field[1];
	char shown[200];

	snprintf(shown, sizeof(shown), "%s", told ? field[1] : field[0]);
	plain_text(shown, "");
	return err_printf(err, "%s%s", told ? "" : "its reader says: ", shown);
}

int fr_rows(char *text, unsigned rank, FILE *rows, struct err *err)
{
	cleanup_free char *checked = NULL;
	char *field[ROW_FIELDS], name[16];
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	unsigned n, nrows = 0;
	int rc = f ? 0 : err_memory(err);

	snprintf(name, sizeof(name), "%u", rank);
	while (rc == 0 && (n = row_next(&text, field))) {
		if (is_row(field, n, name))
			put_row(f, field, n);
		else
			rc = refuse(field, err);
		nrows++;
	}
	if (rc == 0 && !nrows)
		rc = err_printf(err, "its reader says nothing");
	checked = text_stream_end(&stream, rc, err);
	if (!checked)
		return -1;
	fputs(checked, rows);
	return 0;
}

/* --- the reader --- */

bool fr_is_whole(const char *data, size_t n)
{
	return n > 2 && *data == '\x80' && data[n - 1] == '.';
}

struct reader {
	const char *python;
	int dump;
	unsigned rank;
};

/* In a fork. Its standard error goes where its output does. */
static int become_python(const int fd[2], const void *arg)
{
	static const struct rlimit memory = {MEMORY_MAX, MEMORY_MAX},
				   cpu = {CPU_S, CPU_S}, none = {0, 0};
	const struct reader *r = arg;
	char rank[16];
	const char *const argv[] = {r->python, "-I", "-S", "-c",
				    script,    rank, NULL};

	snprintf(rank, sizeof(rank), "%u", r->rank);
	if (lseek(r->dump, 0, SEEK_SET) < 0 || dup2(r->dump, 0) < 0 ||
	    dup2(fd[1], 1) < 0 || dup2(fd[1], 2) < 0 ||
	    setrlimit(RLIMIT_AS, &memory) < 0 ||
	    setrlimit(RLIMIT_CPU, &cpu) < 0 ||
	    setrlimit(RLIMIT_FSIZE, &none) < 0 ||
	    setrlimit(RLIMIT_CORE, &none) < 0)
		return EXIT_FAILURE;
	execve(r->python, (char *const *)argv, environ);
	return EXIT_FAILURE;
}

int fr_read(const char *python, int fd, unsigned rank, long ms, FILE *rows,
	    struct err *err)
{
	const struct reader reader = {python, fd, rank};
	cleanup_free char *text = malloc(ROWS_MAX);

	if (!text)
		return err_memory(err);
	if (subprocess_ask(become_python, &reader, (int)ms, text, ROWS_MAX,
			   err) < 0)
		return -1;
	return fr_rows(text, rank, rows, err);
}
