/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/ranktable.h"
#include "helpers/cli/command.h"
#include "helpers/cli/ranktable/table_view.h"
#include "sys/text_file.h"

#include <string.h>

#define NODE_MAX 200

/* The file stands for the node in the messages of ranktable_check(). */
static void make_node(char node[NODE_MAX], const char *file)
{
	size_t len = strlen(file);
	const char *from = len < NODE_MAX ? file : file + len - NODE_MAX + 1;

	strcpy(node, from);
	for (char *p = node; *p; p++)
		if (*p <= ' ' || *p > '~' || *p == '"' || *p == '\\')
			*p = '_';
}

static int add_rows(struct ranktable *table, const struct view *view,
		    const char *file, enum chip chip, struct err *err)
{
	cleanup_free struct ranktable_row **sorted =
		view_sorted(view, VIEW_BY_RANK);
	char node[NODE_MAX];

	if (!sorted)
		return err_memory(err);
	make_node(node, file);
	for (size_t i = 0; i < view->n; i++) {
		struct ranktable_row row = *sorted[i];

		row.rank = (unsigned)table->n;
		row.chip = chip;
		row.node = node;
		if (row.device_ip && !*row.device_ip)
			row.device_ip = NULL;
		if (ranktable_row_check(&row, err) < 0 ||
		    ranktable_add(table, &row, err) < 0)
			return -1;
	}
	return 0;
}

/* A file without faults and with servers; *version is that of all files. */
static int check_view(const struct view *view, const struct report *r,
		      char version[4], struct err *err)
{
	if (r->n)
		return err_printf(err, "%s: %zu fault%s; nothing is written",
				  r->file, r->n, r->n > 1 ? "s" : "");
	if (view->form != FORM_SERVERS)
		return err_printf(err,
				  "%s: merge takes only tables 1.0 and 1.2",
				  r->file);
	if (!*version)
		strcpy(version, view->version);
	if (strcmp(version, view->version) != 0)
		return err_printf(err,
				  "%s has version %s, the files before %s; "
				  "merge takes one version",
				  r->file, view->version, version);
	if (view->lost_key)
		return err_printf(err,
				  "%s: the key %s would be lost; merge keeps "
				  "addresses and ids only",
				  r->file, view->lost_key);
	return 0;
}

static int add_file(struct ranktable *table, const char *file, enum chip chip,
		    char version[4], struct err *err)
{
	__attribute__((cleanup(view_clear))) struct view view = {0};
	struct report r = {.f = stderr, .file = file};

	if (ranktable_file(chip, &r, &view, err) < 0 ||
	    check_view(&view, &r, version, err) < 0)
		return -1;
	return add_rows(table, &view, file, view.chip, err);
}

static int write_table(struct ranktable *table, const char *version,
		       const char *output, struct err *err)
{
	enum ranktable_version v =
		strcmp(version, "1.2") ? RANKTABLE_1_0 : RANKTABLE_1_2;
	cleanup_free char *text = NULL;
	size_t len;

	/* A 1.2 without pods is a table of plain servers. */
	if (v == RANKTABLE_1_2 && table->n && !table->row[0]->super_pod_id)
		v = RANKTABLE_AUTO;
	if (ranktable_check(table, v, &v, err) < 0 ||
	    ranktable_text(table, v, &text, &len, err) < 0)
		return -1;
	return write_file(output, text, len, 0644, err);
}

int ranktable_merge(char *const files[], size_t nfiles, const char *output,
		    enum chip chip, struct err *err)
{
	__attribute__((cleanup(ranktable_clear))) struct ranktable table = {0};
	char version[4] = "";

	for (size_t i = 0; i < nfiles; i++)
		if (add_file(&table, files[i], chip, version, err) < 0)
			return EXIT_FINDING;
	if (write_table(&table, version, output, err) < 0)
		return EXIT_FINDING;
	return EXIT_DONE;
}
