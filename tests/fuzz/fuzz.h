/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzz target is one function, for libFuzzer or for the driver here; a rule
 * that doesn't hold ends the program.
 */
#pragma once

#include "core/base/text.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RULE(condition)                                                        \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__,       \
				__LINE__, #condition);                         \
			abort();                                               \
		}                                                              \
	} while (0)

/* The input as a text that ends at its first NUL; freed by the caller. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	RULE(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* The text of an error is one line that prints. */
static inline void fuzz_check_error(const char *text)
{
	RULE(*text);
	for (; *text; text += utf8_visible(text))
		RULE(utf8_visible(text));
}
