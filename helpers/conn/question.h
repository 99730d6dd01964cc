/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a launcher asks for the step's secret where it wasn't handed over: in
 * place of a salt (helpers/conn/secure_conn.h) it sends a fixed text. The side
 * that accepts answers everybody with the same text, which only the step's user
 * can read (helpers/auth/munge.h), and closes. Nothing here is believed:
 * whoever asks looks whether the answer is one.
 *
 * Where Slurm's own authentication is the cluster's, the text is another one, a
 * token follows, and the answer is for who has had that made alone
 * (helpers/auth/asker.h, giver.h).
 */
#pragma once

#include "core/base/err.h"
#include "helpers/auth/asker.h"
#include "sys/loop.h"

#include <stdbool.h>

#define ANSWER_MAX 8192 /* bytes of an answer */

struct question;

/* Ask over a connecting socket, which it owns from now on, also on failure, for
 * the asker; NULL: the fixed text. `answered` gets the whole answer as text,
 * for asker_open_answer(), or NULL and an errno (0: the other side has only
 * closed; ENOKEY: asker_fault() says more), and closes the question then. NULL
 * on failure. */
struct question *question_ask(struct loop *loop, struct asker *asker, int fd,
			      void (*answered)(void *arg, const char *text,
					       int why),
			      void *arg, struct err *err);

/* NULL is allowed. */
void question_close(struct question *question);

/* Whether a question waits to be read from the socket; it is taken then. */
bool question_take(int fd);

/* Answer it. The socket remains the caller's, to close. */
void question_answer(int fd, const char *text);

/* An answer of one line that is no secret: why there is none, for a person who
 * asks. The caller frees it; NULL: out of memory. */
char *question_refusal(const char *why);

/* Whether the answer is such a one. It is anybody's, not believed and cut to
 * what prints when it is shown. */
bool question_is_refused(const char *answer);

/* Its reason, behind the mark. */
const char *question_why(const char *refusal);
