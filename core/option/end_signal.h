/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key end-signal: which signal the ranks get, and how long before the time
 * limit, "600", "USR2@10m". Pure words; doc/design/helpers-ending.md.
 */
#ifndef DT_CORE_OPTION_END_SIGNAL_H
#define DT_CORE_OPTION_END_SIGNAL_H

#include "core/base/err.h"
#include "core/option/option.h"

struct end_signal {
	int number;   /* of the signal; 0: no rank is signalled */
	long seconds; /* before the time limit */
};

/* Read the text of the key; "none" isn't one. Returns 0 or -1. */
int end_signal_parse(const char *text, struct end_signal *ret, struct err *err);

/* What the request asks for. */
void end_signal_of(const struct request *request, struct end_signal *ret);

/* "USR1", of those that the key takes. */
const char *end_signal_name(int number);

/* The name of the file in a launcher's folder that says that the end is near,
 * and where a rank finds it. */
#define STOP_FILE	   "stop"
#define STOP_FILE_VARIABLE "DIST_TRAIN_STOP_FILE"

#endif
