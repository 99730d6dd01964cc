/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank table's text, as a person may have broken it: check and show end, and
 * what they say are lines that print. Each chip's rules are tried.
 */
#include "helpers/json_strict.h"
#include "helpers/ranktable_cmd.h"
#include "helpers/ranktable_file.h"

#include "tests/fuzz/fuzz.h"

static FILE *memory(char **text, size_t *len)
{
	FILE *f = open_memstream(text, len);

	RULE(f);
	return f;
}

static void check_lines(const char *text, size_t len, size_t nfaults)
{
	RULE((len == 0) == (nfaults == 0));
	for (size_t i = 0; i < len; i++)
		RULE(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'));
	RULE(!len || text[len - 1] == '\n');
}

static void check_show(const struct view *view, bool json)
{
	struct err err;
	char *text;
	size_t len;
	FILE *f = memory(&text, &len);

	RULE(ranktable_show(f, view, json, &err) == 0);
	fclose(f);
	RULE(len > 0);
	if (!json)
		check_lines(text, len, len);
	free(text);
}

/* Returns the number of faults. */
static size_t try_chip(const uint8_t *data, size_t size, enum chip chip)
{
	struct view view = {0};
	char *text;
	size_t len;
	struct report r = {.f = memory(&text, &len), .file = "F"};

	RULE(ranktable_file_text((const char *)data, size, chip, &r, &view) ==
	     0);
	report_end(&r);
	fclose(r.f);
	check_lines(text, len, r.n);
	if (view.n) {
		check_show(&view, false);
		check_show(&view, true);
	}
	RULE(r.n || view.n);
	view_clear(&view);
	free(text);
	return r.n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* of this very size, for the sanitizer to see what is behind it */
	uint8_t *copy = malloc(size ? size : 1);

	RULE(copy);
	if (size)
		memcpy(copy, data, size);
	for (int chip = CHIP_UNKNOWN; chip < CHIP_COUNT; chip++)
		try_chip(copy, size, (enum chip)chip);
	free(copy);
	return 0;
}
