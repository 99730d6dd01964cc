/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launcher's own lines on standard error, where nothing else of this room
 * is used (label=no): srun may be stopped, or write to a pager, and then the
 * pipe to it stays full. A thread writes the lines and may block; the launcher
 * goes on to end its processes.
 */
#ifndef DT_HELPERS_OUTPUT_OWN_LINES_H
#define DT_HELPERS_OUTPUT_OWN_LINES_H

struct io_thread;

/* NULL: nothing has been said yet. */
struct own_lines {
	struct io_thread *thread;
};

/* Write them, now or when there is room. The first call starts the thread; if
 * that fails, this call may block. */
void own_lines_say(struct own_lines *own, const char *lines);

/* Wait until all is written, at most 10 s: what isn't then is lost, and the
 * program has to end. */
void own_lines_close(struct own_lines *own);

#endif
