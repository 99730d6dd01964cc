/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who connects to a node that waits for its partner: the partner, and whoever
 * else reaches the port. All are heard side by side, so that none who says
 * nothing keeps the partner waiting.
 */
#ifndef DT_HELPERS_CHECK_PAIR_CALLERS_H
#define DT_HELPERS_CHECK_PAIR_CALLERS_H

#include <stdint.h>

#define PAIR_WORD_SIZE	 64
#define PAIR_CALLERS_MAX 128 /* then one of the address with the most goes */

/* The first connection whose first PAIR_WORD_SIZE bytes are `word`; all others
 * are closed. Blocks until loop_now_ms() is `until`. Returns its descriptor,
 * non-blocking and close-on-exec, for the caller to close; or -1: none. */
int pair_callers_hear(int listen_fd, const char *word, uint64_t until);

#endif
