/* SPDX-License-Identifier: Apache-2.0 */
/* What tells one text from all others (BLAKE2b), in hexadecimal digits. */
#ifndef DT_HELPERS_GATHER_DIGEST_H
#define DT_HELPERS_GATHER_DIGEST_H

#include <sodium.h>

#define DIGEST_BYTES 32
#define DIGEST_SIZE  (2 * DIGEST_BYTES + 1)

static inline void digest_make(const char *text, size_t n,
			       char ret[DIGEST_SIZE])
{
	unsigned char bytes[DIGEST_BYTES];

	crypto_generichash(bytes, sizeof(bytes), (const unsigned char *)text, n,
			   NULL, 0);
	sodium_bin2hex(ret, DIGEST_SIZE, bytes, sizeof(bytes));
}

#endif
