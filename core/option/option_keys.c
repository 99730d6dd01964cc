/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/file_pattern.h"
#include "core/option/option.h"

#define PORT_MIN 1
#define PORT_MAX 65535
#define DAY_S	 86400

/* clang-format off */
static const char dialect_words[] = "none"
#define DIALECT(id, name) " " name
#include "dialects/dialects.def"
#undef DIALECT
	;
/* clang-format on */

#define KEY(id, ...) [KEY_##id] = {__VA_ARGS__},
#define OWN_KEYS
const struct option_key option_keys[KEY_COUNT] = {
#include "core/option/option_keys.def"
};
