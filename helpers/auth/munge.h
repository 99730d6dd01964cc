/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A secret on its way from one launcher of a step to another: in a credential
 * of MUNGE that only its user can open, and only as what he has made himself.
 *
 * The programs munge and unmunge of this node's PATH talk to munged; they are
 * in munged's own package. They get what they need on their standard input, and
 * at most some seconds. These functions block until then.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/handover.h"

#include <stddef.h>

/* Whether MUNGE answers on this node. Returns 0, or -1 with the reason. */
int munge_answers(struct err *err);

/* A credential with the secret of the step `id` ("JOB.STEP.REQUEUE"), for the
 * caller to free; NULL when MUNGE doesn't answer. */
char *munge_seal(const char *id, const unsigned char secret[SECRET_SIZE],
		 struct err *err);

/* Open a credential, which may be any text: one of munge_seal(), or srun's own
 * (core/facts/handover.h). Returns 0, or -1 when it wasn't made by this user,
 * for this step and for this purpose. One that was opened on
 * this node before, or is older than its time to live, is as good: it carries a
 * key and asks for nothing. */
int munge_open(const char *credential, const char *id,
	       unsigned char ret[SECRET_SIZE], struct err *err);

/* The same of what `unmunge --keys=STATUS,UID` has printed for it: n bytes of
 * any kind, and a NUL. */
int munge_read(const char *output, size_t n, const char *id,
	       unsigned char ret[SECRET_SIZE], struct err *err);
