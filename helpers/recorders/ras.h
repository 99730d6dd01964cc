/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NCCL's RAS (since 2.24): each process of a job may answer at NCCL_RAS_ADDR,
 * and one answers for all. Text, a line a command (src/ras/client_support.cc).
 */
#ifndef DT_HELPERS_RECORDERS_RAS_H
#define DT_HELPERS_RECORDERS_RAS_H

#include "core/base/err.h"

#include <stddef.h>

#define RAS_TEXT_MAX (1U << 20)

/* Ask at that port of this host for VERBOSE STATUS; blocks for at most `ms`.
 * *ret is the report, of up to RAS_TEXT_MAX bytes of plain text, freed by the
 * caller. Returns 0, or -1 when nobody listens there, or who does isn't NCCL,
 * says an error, or sends no whole report in time. */
int ras_ask(unsigned port, long ms, char **ret, struct err *err);

#endif
