/* SPDX-License-Identifier: Apache-2.0 */
/* The times below an axis. */
#ifndef DT_HELPERS_CLI_TIME_AXIS_H
#define DT_HELPERS_CLI_TIME_AXIS_H

/* How far two times are apart on an axis from 0 to `to_ms` that is so many
 * pixels wide: a round number, and no more of them than have room. */
double time_axis_step(double to_ms, double width);

/* "0.5 s", "90 s" as "1 min 30 s", "2 h". Returns buf. */
const char *time_axis_text(double ms, double step_ms, char buf[32]);

#endif
