/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One value of the option: the text after KEY=. The option, plugstack.conf, a
 * user's defaults and `dist-train explain` all read it here, so that a word
 * means the same everywhere.
 */
#ifndef DT_CORE_OPTION_VALUE_H
#define DT_CORE_OPTION_VALUE_H

#include "core/base/err.h"
#include "core/option/option.h"

/* Read a value. Words are read in any case. yes, on, true and 1 are one word
 * where the key has a yes (or an off beside an auto, which is its yes then);
 * no, off, false, 0 and none are one where it has a no. A key that takes
 * numbers takes 0 and 1 as numbers. Times are seconds, or have s, m or h
 * behind the number. On success ret->text is the caller's; on failure *ret is
 * untouched and the error says what the key takes. */
int value_parse(const struct option_key *key, const char *text,
		struct option_value *ret, struct err *err);

/* Whether a word turns a thing off: "none" in any case, and what means the
 * same. */
bool value_is_off(const char *text);

#endif
