/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line to the user, `dist-train: ...`, from wherever the plugin runs: the
 * terminal of srun, sbatch or salloc, or the standard error of the task that
 * is about to start. One write(), so that lines stay whole.
 */
#pragma once

void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* All of `text` to a file descriptor, in as few writes as it takes. */
void log_text(int fd, const char *text);
