/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was asked for, whole: the option's text and the administrator's
 * arguments, with the frameworks and dialects that they name.
 */
#ifndef DT_REGISTRY_REQUEST_H
#define DT_REGISTRY_REQUEST_H

#include "core/base/err.h"
#include "core/option/config.h"
#include "core/option/option.h"

/* Parse the option's text. `defaults` are those of struct config or NULL;
 * `allow` the frameworks that he allows or NULL for
 * all. On success *ret is owned by the caller: request_clear(). On failure
 * *ret is untouched and the error shows the offending part. */
int request_parse(const char *text, const char *defaults, const char *allow,
		  struct request *ret, struct err *err);

/* config_parse(), and the frameworks of allow= by their own names, whether
 * they were written so or by an alias. *ret and the error as there. */
int request_config(int argc, char *const argv[], struct config *ret,
		   struct err *err);

#endif
