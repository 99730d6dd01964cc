/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader of a dump of the Flight Recorder prints, of which the job is
 * the writer, on its way to a verdict. */
#include "helpers/recorders/fr_read.h"
#include "helpers/recorders/fr_verdict.h"

#include "tests/fuzz/fuzz.h"

static void print(void *arg, const struct fr_finding *finding)
{
	fr_finding_print(finding, arg);
}

static void judge(const char *rows)
{
	struct fr_table *v = fr_table_new();
	char *lines = NULL;
	struct err err;
	size_t n;
	FILE *f = open_memstream(&lines, &n);

	RULE(v && f);
	RULE(fr_table_add(v, rows, &err) == 0);
	RULE(fr_verdict_find(v, print, f, &err) <= FR_FINDINGS_MAX);
	fclose(f);
	RULE(strlen(lines) == n);
	free(lines);
	fr_table_free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rows = NULL;
	struct err err;
	size_t n;
	FILE *f = open_memstream(&rows, &n);
	int rc;

	RULE(f);
	rc = fr_rows(text, 1, f, &err);
	fclose(f);
	RULE(rc == 0 || n == 0);
	if (rc < 0)
		fuzz_check_error(err.text);
	else
		judge(rows);
	free(rows);
	free(text);
	return 0;
}
