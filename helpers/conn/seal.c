/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/seal.h"

#include <string.h>

#define KEY_SIZE crypto_secretstream_xchacha20poly1305_KEYBYTES

_Static_assert(KEY_SIZE == 32, "a direction's key is half a BLAKE2b hash");

int seal_begin(struct seal *s)
{
	if (sodium_init() < 0)
		return -1;
	randombytes_buf(s->salt, sizeof(s->salt));
	return 0;
}

void seal_agree(struct seal *s, const unsigned char secret[SECRET_SIZE],
		const char *id, unsigned port, bool connects,
		const unsigned char peer_salt[SEAL_SALT],
		unsigned char ret_header[SEAL_HEADER])
{
	unsigned char keys[2 * KEY_SIZE];
	const unsigned char port_bytes[] = {
		(unsigned char)(port >> 8),
		(unsigned char)port,
	};
	crypto_generichash_state hash;

	crypto_generichash_init(&hash, secret, SECRET_SIZE, sizeof(keys));
	crypto_generichash_update(&hash, (const unsigned char *)id,
				  strlen(id) + 1);
	crypto_generichash_update(&hash, port_bytes, sizeof(port_bytes));
	crypto_generichash_update(&hash, connects ? s->salt : peer_salt,
				  SEAL_SALT);
	crypto_generichash_update(&hash, connects ? peer_salt : s->salt,
				  SEAL_SALT);
	crypto_generichash_final(&hash, keys, sizeof(keys));
	crypto_secretstream_xchacha20poly1305_init_push(
		&s->tx, ret_header, connects ? keys : keys + KEY_SIZE);
	memcpy(s->rx_key, connects ? keys + KEY_SIZE : keys, KEY_SIZE);
	sodium_memzero(keys, sizeof(keys));
}

int seal_start(struct seal *s, const unsigned char header[SEAL_HEADER])
{
	return crypto_secretstream_xchacha20poly1305_init_pull(&s->rx, header,
							       s->rx_key);
}

void seal_wrap(struct seal *s, const void *plain, size_t n, bool last,
	       unsigned char *ret)
{
	crypto_secretstream_xchacha20poly1305_push(
		&s->tx, ret, NULL, plain, n, NULL, 0,
		last ? crypto_secretstream_xchacha20poly1305_TAG_PUSH
		     : crypto_secretstream_xchacha20poly1305_TAG_MESSAGE);
}

int seal_unwrap(struct seal *s, const unsigned char *sealed, size_t n,
		void *ret, bool *ret_last)
{
	unsigned char tag;

	if (n < SEAL_GROWTH ||
	    crypto_secretstream_xchacha20poly1305_pull(&s->rx, ret, NULL, &tag,
						       sealed, n, NULL, 0) != 0)
		return -1;
	*ret_last = tag == crypto_secretstream_xchacha20poly1305_TAG_PUSH;
	return 0;
}

int seal_word(const unsigned char secret[SECRET_SIZE], const char *id,
	      const char *purpose, char ret[SEAL_WORD_SIZE])
{
	unsigned char bytes[SEAL_WORD_SIZE / 2], own[SECRET_SIZE];
	crypto_generichash_state state;

	if (sodium_init() < 0)
		return -1;
	randombytes_buf(own, sizeof(own));
	crypto_generichash_init(&state, secret ? secret : own, SECRET_SIZE,
				sizeof(bytes));
	crypto_generichash_update(&state, (const void *)id, strlen(id) + 1);
	crypto_generichash_update(&state, (const void *)purpose,
				  strlen(purpose));
	crypto_generichash_final(&state, bytes, sizeof(bytes));
	sodium_bin2hex(ret, SEAL_WORD_SIZE, bytes, sizeof(bytes));
	return 0;
}
