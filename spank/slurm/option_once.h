/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text of the option is parsed once in a process, whoever asks: srun looks
 * ahead at its command line before it has read it, for what it must choose by
 * then, and again when it has.
 */
#pragma once

#include "core/option/config.h"
#include "core/option/option.h"

/* What the text asks for, with that configuration, which is the same in each
 * call. NULL on failure. It stays until option_once_clear(). */
const struct request *option_once(const char *text, const struct config *config,
				  struct err *err);

void option_once_clear(void);
