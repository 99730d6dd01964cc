/* SPDX-License-Identifier: Apache-2.0 */
/* The command top inside: top_cmd.c has the loop, top_keys.c what keys do,
 * top_screen.c what is seen. */
#ifndef DT_HELPERS_CLI_STATUS_TOP_H
#define DT_HELPERS_CLI_STATUS_TOP_H

#include "helpers/cli/status/status_source.h"
#include "helpers/cli/status/terminal.h"
#include "helpers/cli/status/view_lines.h"

#define TYPED_SIZE 64
#define DELAY_MIN  0.1 /* seconds between two looks */
#define DELAY_MAX  3600

enum top_mode {
	TOP_TABLE,
	TOP_HELP,
	TOP_ASKS_NODE, /* a line is typed */
	TOP_ASKS_DELAY,
};

struct top {
	struct loop loop;
	struct terminal terminal;
	struct loop_watch keyboard, signals;
	struct loop_timer refresh;
	bool left;  /* by a key */
	int signal; /* that ended it; 0: none */

	/* the step */
	struct status_source *source;
	struct step_view before, view; /* the last two looks */
	struct step_view coming;       /* as far as it has come */
	bool asking, seen;
	bool lost;	/* the connection; Slurm is asked next */
	struct err err; /* why nothing more can be seen */
	bool over;

	/* what is shown */
	enum top_mode mode;
	char typed[TYPED_SIZE];
	char node[TYPED_SIZE]; /* the filter; "": all */
	char note[128];	       /* for the next look; "" */
	double delay_s;
	struct lines_options how;
	unsigned first; /* line that is shown */
	bool colours;
};

/* --- top_keys.c --- */

void top_key(struct top *top, int key);

/* Of the help: "key<tab>what it does"; NULL: no more. */
const char *top_key_help(unsigned i);

/* --- top_screen.c --- */

void top_draw(struct top *top);

/* Lines of the table that have room. */
unsigned top_page(const struct top *top);

/* --- top_cmd.c --- */

/* Ask the step now. */
void top_ask(struct top *top);

#endif
