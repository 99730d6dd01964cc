/* SPDX-License-Identifier: Apache-2.0 */
/* What can be shown of a rank, in the order in which it is shown. */
#ifndef DT_HELPERS_CLI_STATUS_VIEW_COLUMNS_H
#define DT_HELPERS_CLI_STATUS_VIEW_COLUMNS_H

#include "helpers/cli/status/step_view.h"

#define CELL_SIZE 32

enum {
	COLUMN_RANK,
	COLUMN_NODE,
	COLUMN_STATE,
	COLUMN_UP,
	COLUMN_CPU,
	COLUMN_MEMORY,
	COLUMN_DEVICE_MEMORY,
	COLUMN_DEVICE_USE,
	COLUMN_QUIET,
	COLUMN_PERCENT,
	COLUMN_REMAINING,
	COLUMN_STEP,
	COLUMN_RATE,
	COLUMN_LOSS,
	COLUMN_SLOWER,
	COLUMN_NPROCS,
	COLUMN_PID,
	COLUMNS,
};

struct column {
	const char *name;    /* the head */
	const char *meaning; /* for the help */
	int width;	     /* of the numbers of one rank */
	double (*value)(const struct rank_view *rank);
	void (*print)(double value, char ret[CELL_SIZE]);
};

extern const struct column columns[COLUMNS];

/* Whether some rank has it. */
bool column_is_known(const struct step_view *view, unsigned column);

/* A time as "12.3s", "4:05", "1:02:03", "3d04h", in at most seven columns. */
void print_time(double s, char ret[CELL_SIZE]);

#endif
