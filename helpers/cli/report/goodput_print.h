/* SPDX-License-Identifier: Apache-2.0 */
/* What is shown: as text, as JSON, and as a picture. */
#ifndef DT_HELPERS_CLI_GOODPUT_GOODPUT_PRINT_H
#define DT_HELPERS_CLI_GOODPUT_GOODPUT_PRINT_H

#include "helpers/cli/report/goodput.h"

#include <stdio.h>

/* Jobs in the order in which they were asked for; at least one. */
void goodput_text(FILE *f, const struct goodput *g, size_t n);
int goodput_json(FILE *f, const struct goodput *g, size_t n, struct err *err);

/* Written into `path`, "-" for standard output. */
int goodput_picture(const char *path, const struct goodput *g, size_t n,
		    struct err *err);

/* The record of the job's first step: whose name the job has. */
const struct record *goodput_first(const struct goodput *g);

/* The time that a life took, by parts; its begin, or TIME_UNKNOWN. */
int64_t life_sum(const struct goodput *g, size_t life, int64_t ms[PART_COUNT]);

/* What the numbers don't say: the n-th remark. False: there is none. */
#define REMARK_SIZE 300
bool goodput_remark(const struct goodput *g, unsigned n, char buf[REMARK_SIZE]);

/* "81.2 %", or "between 70.1 % and 81.2 %"; "" where there is no time. Returns
 * buf. */
#define RATIO_SIZE 64
const char *ratio_text(const struct goodput_sum *sum, bool on_nodes,
		       char buf[RATIO_SIZE]);

/* "2026-11-22 15:30:11 UTC". Returns buf. */
const char *moment_text(int64_t ms, char buf[40]);

#endif
