/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key hang: after how long without a sign of work a step hangs, and what
 * follows, "600", "10m:restart". Pure words; helpers/watch looks for hangs.
 */
#ifndef DT_CORE_OPTION_HANG_H
#define DT_CORE_OPTION_HANG_H

#include "core/base/err.h"
#include "core/option/option.h"

/* The exit code of a step that ends because of a hang, as timeout(1) has it. */
#define HANG_CODE 124

enum hang_act {
	HANG_REPORT,  /* it is said, nothing more */
	HANG_RESTART, /* all processes start again */
	HANG_FAIL,    /* the step ends */
};

struct hang {
	long seconds; /* 0: nobody looks */
	enum hang_act act;
};

/* Read the text of the key; "off" isn't one. Returns 0 or -1. */
int hang_parse(const char *text, struct hang *ret, struct err *err);

/* What the request asks for. */
void hang_of(const struct request *request, struct hang *ret);

#endif
