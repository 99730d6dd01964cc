/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rank table's file holds, whatever its form: one entry per device, in
 * the file's order. Texts lie in the document, which keeps them.
 */
#ifndef DT_HELPERS_CLI_RANKTABLE_TABLE_VIEW_H
#define DT_HELPERS_CLI_RANKTABLE_TABLE_VIEW_H

#include "core/ascend/ranktable_rules.h"
#include "core/base/err.h"
#include "helpers/cli/ranktable/table_document.h"

struct entry {
	struct ranktable_row row; /* first; texts that are faulty are NULL */
	unsigned at[3];		  /* indices of the form's arrays */
};

struct view {
	struct document doc;
	enum ranktable_form form; /* FORM_NONE: nothing could be read */
	const char *version;	  /* "" for the forms without one */
	enum chip chip;		  /* whose rules hold */
	bool pods;		  /* the table has super pods */
	const char *lost_key;	  /* of a device, which rows don't have */
	struct entry *entry;
	size_t n;
};

/* A new entry, a copy of `like`; NULL out of memory. */
struct entry *view_add(struct view *view, const struct entry *like);

/* The place in the file of an entry's row; `key` may be NULL. */
void view_path(const struct view *view, const struct ranktable_row *row,
	       const char *key, char buf[WHERE_TEXT_MAX]);

enum view_order {
	VIEW_BY_RANK,	/* then the file's order */
	VIEW_BY_DEVICE, /* server, device, then the file's order */
};

/* The entries' rows in another order, freed by the caller; NULL out of memory.
 * Those without a rank stand last. */
struct ranktable_row **view_sorted(const struct view *view,
				   enum view_order order);

void view_clear(struct view *view);

/*
 * How the faults of the rules (core/ascend/ranktable_rules.h) read to a person
 * with a file: where in the file, what, the library's code, the remedy.
 */

/* Check the rules on the view's entries and report all faults. Returns 0,
 * or -1 out of memory. */
int faults_find(const struct view *view, struct report *r);

/*
 * A rank table's file, read as the collective library reads it.
 */

/* Read r->file and report all of its faults; *ret (zeroed before) holds what
 * could be read, to be cleared by view_clear(). CHIP_UNKNOWN: the chip of the
 * table's version. Returns 0 also for faulty files, -1 out of memory. */
int ranktable_file(enum chip chip, struct report *r, struct view *ret,
		   struct err *err);

/* The same for a text; its faults of the file system aside. */
int ranktable_file_text(const char *text, size_t len, enum chip chip,
			struct report *r, struct view *ret);

#endif
