/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_CORE_BASE_TIME_TEXT_H
#define DT_CORE_BASE_TIME_TEXT_H

/* A time for a sentence: "0.25 s", "12.3 s", "3 min 20 s", "48 h 2 min".
 * A negative one is seconds. Returns buf. */
const char *time_text(double ms, char buf[32]);

#endif
