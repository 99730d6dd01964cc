/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes in less space: their number (4 bytes, big endian), then zlib's stream
 * (RFC 1950). Pure: bytes in, bytes out. What comes from another process is
 * unpacked into exactly as many bytes as it says, and that number is looked at
 * before there is memory for it.
 */
#pragma once

#include <stddef.h>

/* For the caller to free. NULL when out of memory, or when that isn't
 * smaller. */
char *pack(const void *data, size_t n, size_t *ret_n);

/* For the caller to free, with a NUL behind it. NULL with errno: EMSGSIZE, more
 * than `max` bytes; EPROTO, it isn't what pack() makes; ENOMEM. */
char *unpack(const void *packed, size_t n, size_t max, size_t *ret_n);
