/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/pack.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define COUNT_SIZE sizeof(uint32_t)
/* With 6 rows are a sixth smaller, in four times the time */
#define LEVEL	  1
#define RATIO_MAX 1032 /* of deflate: 258 bytes in two bits */

char *pack(const void *data, size_t n, size_t *ret_n)
{
	uLongf size = n;
	uint32_t count = htonl((uint32_t)n);
	char *packed, *smaller;

	if (n > UINT32_MAX || n <= COUNT_SIZE)
		return NULL;
	packed = malloc(n);
	size -= COUNT_SIZE;
	if (!packed || compress2((Bytef *)packed + COUNT_SIZE, &size, data, n,
				 LEVEL) != Z_OK) {
		free(packed);
		return NULL;
	}
	memcpy(packed, &count, COUNT_SIZE);
	*ret_n = COUNT_SIZE + size;
	smaller = realloc(packed, *ret_n);
	return smaller ? smaller : packed;
}

char *unpack(const void *packed, size_t n, size_t max, size_t *ret_n)
{
	uLongf size, left = n - COUNT_SIZE;
	char *plain;
	uint32_t count;

	errno = EPROTO;
	if (n <= COUNT_SIZE)
		return NULL;
	memcpy(&count, packed, COUNT_SIZE);
	size = ntohl(count);
	if (size >= max)
		errno = EMSGSIZE;
	if (!size || size >= max || size / RATIO_MAX > left)
		return NULL;
	plain = malloc(size + 1);
	if (!plain)
		return NULL;
	if (uncompress2((Bytef *)plain, &size,
			(const Bytef *)packed + COUNT_SIZE, &left) != Z_OK ||
	    size != ntohl(count) || left != n - COUNT_SIZE) {
		free(plain);
		errno = EPROTO;
		return NULL;
	}
	plain[size] = '\0';
	*ret_n = size;
	return plain;
}
