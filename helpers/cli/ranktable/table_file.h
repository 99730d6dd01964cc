/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank table's file, read as the collective library reads it.
 */
#ifndef DT_HELPERS_CLI_RANKTABLE_TABLE_FILE_H
#define DT_HELPERS_CLI_RANKTABLE_TABLE_FILE_H

#include "core/base/err.h"
#include "helpers/cli/ranktable/table_view.h"

/* Read r->file and report all of its faults; *ret (zeroed before) holds what
 * could be read, to be cleared by view_clear(). CHIP_UNKNOWN: the chip of the
 * table's version. Returns 0 also for faulty files, -1 out of memory. */
int ranktable_file(enum chip chip, struct report *r, struct view *ret,
		   struct err *err);

/* The same for a text; its faults of the file system aside. */
int ranktable_file_text(const char *text, size_t len, enum chip chip,
			struct report *r, struct view *ret);

#endif
