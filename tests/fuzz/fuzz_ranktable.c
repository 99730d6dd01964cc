/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank table's text, as a person may have broken it: check and show end, and
 * what they say are lines that print. Each chip's rules are tried. Most inputs
 * are no JSON, and end there; so each also is the seed of changes to the values
 * of a good table.
 */
#include "core/base/text.h"
#include "helpers/cli/ranktable/json_strict.h"
#include "helpers/cli/ranktable/table_view.h"

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
	for (size_t i = 0; i < len;) {
		size_t n = text[i] == '\n' ? 1 : utf8_visible(text + i);

		RULE(n);
		i += n;
	}
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
	cleanup_free char *copy = calloc(size + 1, 1);
	struct view view = {0};
	char *text;
	size_t len;
	struct report r = {.f = memory(&text, &len), .file = "F"};

	memcpy(copy, data, size);
	RULE(ranktable_file_text(copy, size, chip, &r, &view) == 0);
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

static uint64_t seed;

static unsigned below(size_t n)
{
	seed = seed * 6364136223846793005U + 1442695040888963407U;
	return n ? (unsigned)((seed >> 33) % n) : 0;
}

/* A good table of the corpus, parsed. */
static cJSON *read_base(void)
{
	static const char *const names[] = {"plain", "pods", "cloud", "lab",
					    "ranks"};
	const char *srcdir = getenv("srcdir");
	char path[512], text[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/ranktable/%s",
		 srcdir ? srcdir : ".", names[below(5)]);
	f = fopen(path, "r");
	RULE(f);
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	return cJSON_ParseWithLength(text, n);
}

static cJSON *make_value(void)
{
	static const char *const texts[] = {
		"",	      "0",	   "1",	       "8",	  "15",
		"64",	      "-1",	   " +7x",     "1.0",	  "1.2",
		"2.0",	      "s0",	   "10.1.0.1", "fd00::1", "-.-.-.-",
		",",	      "10.9.0.1,", "0.0.0.0",  "lab",	  "4294967296",
		"\xc3\xa9\n",
	};

	switch (below(8)) {
	case 0:
		return cJSON_CreateNumber(below(70) - 2.5 * below(2));
	case 1:
		return cJSON_CreateNull();
	case 2:
		return cJSON_CreateArray();
	case 3:
		return cJSON_CreateObject();
	default:
		return cJSON_CreateString(texts[below(21)]);
	}
}

/* Somewhere below `parent`: replace, take out or double a value. */
static void change(cJSON *parent)
{
	int n = cJSON_GetArraySize(parent), i = (int)below((size_t)n);
	cJSON *item = cJSON_GetArrayItem(parent, i), *copy;

	if (!item)
		return;
	if (item->child && below(4)) {
		change(item);
	} else if (below(4) == 0) {
		cJSON_Delete(cJSON_DetachItemViaPointer(parent, item));
	} else if (below(3) == 0) {
		copy = cJSON_Duplicate(item, true);
		if (cJSON_IsObject(parent))
			cJSON_AddItemToObject(parent, item->string, copy);
		else
			cJSON_AddItemToArray(parent, copy);
	} else if (cJSON_IsObject(parent)) {
		copy = make_value();
		cJSON_AddItemToObject(parent, item->string, copy);
		cJSON_Delete(cJSON_DetachItemViaPointer(parent, item));
	} else {
		cJSON_ReplaceItemViaPointer(parent, item, make_value());
	}
}

static void try_all(const uint8_t *data, size_t size)
{
	for (int chip = CHIP_UNKNOWN; chip < CHIP_COUNT; chip++)
		try_chip(data, size, (enum chip)chip);
}

static void try_changes(const uint8_t *data, size_t size)
{
	cJSON *table;
	char *text;

	seed = 14695981039346656037U;
	for (size_t i = 0; i < size; i++)
		seed = (seed ^ data[i]) * 1099511628211U;
	table = read_base();
	RULE(table);
	for (unsigned n = 1 + below(4); n; n--)
		change(table);
	text = cJSON_PrintUnformatted(table);
	RULE(text);
	try_all((const uint8_t *)text, strlen(text));
	free(text);
	cJSON_Delete(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* of this very size, for the sanitizer to see what is behind it */
	uint8_t *copy = malloc(size ? size : 1);

	RULE(copy);
	if (size)
		memcpy(copy, data, size);
	try_all(copy, size);
	free(copy);
	try_changes(data, size);
	return 0;
}
