/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rank table's file holds, whatever its form: one entry per device, in
 * the file's order. Texts lie in the document, which keeps them.
 */
#pragma once

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

/*
 * A rank table's file, read as the collective library reads it.
 */

/* Read r->file and report all of its faults; *ret (zeroed before) holds what
 * could be read, to be cleared by view_clear(). CHIP_UNKNOWN: the chip of the
 * table's version. Returns 0 also for faulty files, -1 out of memory. */
int ranktable_file(enum chip chip, struct report *r, struct view *ret,
		   struct err *err);

/* The same for a text of `len` bytes and a NUL; its faults of the file system
 * aside. */
int ranktable_file_text(const char *text, size_t len, enum chip chip,
			struct report *r, struct view *ret);

/*
 * helpers/cli/ranktable: dist-train ranktable check|merge|show, for a person
 * who has the file of an Ascend rank table. It reads files and prints; merge
 * writes one. No Slurm, no driver: what only the running process knows isn't
 * checked.
 *
 *	json_strict	whether the file is JSON to a strict reader
 *	table_document	its tree, but for the long list, read piece by piece
 *	table_value	single values, with the library's way to read them
 *	forms, form_*	each form of the file: its keys, types and limits; fills
 *	table_view	the rows of the file with their places in it
 *	faults		core's rules (core/ascend/ranktable_rules.h) over these
 *			rows, and how their faults read to a person with a file
 *	table_report	prints faults as lines or JSON
 *	table_merge, table_show	the other two commands
 */

/* One table of several files, in the order of `files`, written to `output`.
 * Faults of the files go to stderr. Returns an exit status. */
int ranktable_merge(char *const files[], size_t nfiles, const char *output,
		    enum chip chip, struct err *err);

/* Servers, devices and ranks as a table, or as JSON. Returns 0 or -1. */
int ranktable_show(FILE *f, const struct view *view, bool json,
		   struct err *err);

/*
 * The forms of a rank table's file: keys, types and limits of each, and how it
 * fills the view's entries. What holds among entries is the business of the
 * rules (forms.c). All faults are reported; -1 is returned out of memory only.
 *
 * Sources of the rules: doc/design/core-ascend.md.
 */

/* server_list of 1.0 and 1.2, group_list without a version, rank_list of
 * 2.0. */
int form_servers(struct view *view, struct report *r);
int form_groups(struct view *view, struct report *r);
int form_ranks(struct view *view, struct report *r);

/* Report blanks at the ends of a server_id (NULL: there is none): the library
 * removes them where it groups devices, not where it compares names. */
void form_server_blanks(struct report *r, const struct where *at,
			const char *id);

/* super_pod_list of version 1.2, after form_servers(). */
int form_pods(struct view *view, struct report *r);

/* A layer of version 2.0 as one rank has it. */
struct layer {
	uint32_t number;
	const char *id;
	unsigned naddresses;
	unsigned rank; /* index in rank_list */
};

struct layers {
	struct layer *layer;
	size_t n;
};

/* level_list of the rank at `at`; its layers are added. */
int form_levels(struct view *view, struct report *r, const struct where *at,
		const cJSON *rank, struct layers *layers);

/* What holds among all ranks' layers; frees them. */
void form_layers(struct layers *layers, struct report *r);

/* Read view->doc.root in the form of its version, and check the rules.
 * CHIP_UNKNOWN: the chip of the version. */
int table_check(struct view *view, enum chip chip, struct report *r);
