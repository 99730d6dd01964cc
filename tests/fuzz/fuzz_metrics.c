/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of progress: JSON as a client sends it, lines as files have them. */
#include "helpers/metrics/progress_report.h"
#include "helpers/services/metrics_http.h"

#include "tests/fuzz/fuzz.h"

#define SIZE 512

static void try_line(const char *line, bool good)
{
	struct report r = {.nothers = 0};
	struct err err = {""};

	if (report_read(line, &r, &err) < 0) {
		RULE(!good);
		fuzz_check_error(err.text);
		return;
	}
	RULE(r.nothers <= REPORT_OTHERS);
	RULE(!r.known[REPORT_PERCENT] ||
	     (r.value[REPORT_PERCENT] >= 0 && r.value[REPORT_PERCENT] <= 100));
}

/* What becomes of a valid status is one line that can be read. */
static void try_json(const char *json)
{
	struct err err = {""};
	char line[SIZE];

	if (trainer_status_line(json, line, sizeof(line), &err) < 0) {
		fuzz_check_error(err.text);
		return;
	}
	RULE(!strchr(line, '\n'));
	if (*line)
		try_line(line, !strstr(line, "step=") &&
				       !strstr(line, "rate=") &&
				       !strstr(line, "busy="));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	try_json(text);
	try_line(text, false);
	free(text);
	return 0;
}
