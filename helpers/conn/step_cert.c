/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/step_cert.h"

#include "core/base/ip.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

/* The bytes of DER (X.690) around what differs: certificates by RFC 5280,
 * Ed25519 in them and the form of the private key by RFC 8410. */
#define ED25519 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70
#define NAME                                                                   \
	0x30, 0x1a, 0x31, 0x18, 0x30, 0x16, 0x06, 0x03, 0x55, 0x04, 0x03,      \
		0x0c, 0x0f, 'd', 'i', 's', 't', '-', 't', 'r', 'a', 'i', 'n',  \
		' ', 's', 't', 'e', 'p'

static const unsigned char key_head[] = {
	0x30, 0x2e, 0x02, 0x01, 0x00, ED25519, 0x04, 0x22, 0x04, 0x20,
};

/* What is signed, up to the public key. The step ends long before the
 * certificate does. */
/* clang-format off */
static const unsigned char signed_head[] = {
	0xa0, 0x03, 0x02, 0x01, 0x02, /* version 3 */
	0x02, 0x01, 0x01,	      /* serial number 1 */
	ED25519, NAME,		      /* the issuer */
	0x30, 0x20,		      /* valid from, to */
	0x17, 0x0d, '7', '0', '0', '1', '0', '1', '0', '0', '0', '0', '0', '0',
	'Z',
	0x18, 0x0f, '9', '9', '9', '9', '1', '2', '3', '1', '2', '3', '5', '9',
	'5', '9', 'Z',
	NAME,			      /* the subject */
	0x30, 0x2a, ED25519, 0x03, 0x21, 0x00,
};
/* clang-format on */
static const unsigned char signature_head[] = {ED25519, 0x03, 0x41, 0x00};
static const unsigned char alt_name[] = {0x06, 0x03, 0x55, 0x1d, 0x11};

#define PUBLIC crypto_sign_PUBLICKEYBYTES
#define SEED   crypto_sign_SEEDBYTES

/* Enough for all of the above. */
struct der {
	unsigned char byte[512];
	size_t n;
};

static void put(struct der *d, const void *bytes, size_t n)
{
	memcpy(d->byte + d->n, bytes, n);
	d->n += n;
}

/* What is there since `from` becomes the content of a value with this tag. */
static void wrap(struct der *d, size_t from, unsigned char tag)
{
	size_t len = d->n - from, more = (len > 127) + (len > 255);
	unsigned char *at = d->byte + from;

	memmove(at + 2 + more, at, len);
	at[0] = tag;
	at[1] = (unsigned char)(0x80 + more); /* so many bytes of length */
	at[1 + more] = (unsigned char)len;
	if (more == 2)
		at[2] = (unsigned char)(len >> 8);
	d->n += 2 + more;
}

/* The extension subjectAltName with one iPAddress. */
static void put_address(struct der *d, const struct ip *ip)
{
	size_t begin = d->n, value;

	put(d, alt_name, sizeof(alt_name));
	value = d->n;
	put(d, ip->byte, ip->family == 4 ? 4 : 16);
	wrap(d, value, 0x87);
	wrap(d, value, 0x30);
	wrap(d, value, 0x04);
	wrap(d, begin, 0x30);
	wrap(d, begin, 0x30);
	wrap(d, begin, 0xa3);
}

/* "-----BEGIN LABEL-----", lines of 64 characters, "-----END LABEL-----" */
static void write_pem(const char *label, const unsigned char *der, size_t n,
		      char *ret, size_t size)
{
	char text[768];
	int used = snprintf(ret, size, "-----BEGIN %s-----\n", label);

	sodium_bin2base64(text, sizeof(text), der, n,
			  sodium_base64_VARIANT_ORIGINAL);
	for (size_t i = 0; i < strlen(text); i += 64)
		used += snprintf(ret + used, size - (size_t)used, "%.64s\n",
				 text + i);
	snprintf(ret + used, size - (size_t)used, "-----END %s-----\n", label);
	sodium_memzero(text, sizeof(text));
}

static void write_cert(const unsigned char *public, const unsigned char *secret,
		       const struct ip *ip, struct step_cert *ret)
{
	unsigned char signature[crypto_sign_BYTES];
	struct der d = {.n = 0};

	put(&d, signed_head, sizeof(signed_head));
	put(&d, public, PUBLIC);
	if (ip)
		put_address(&d, ip);
	wrap(&d, 0, 0x30);
	crypto_sign_detached(signature, NULL, d.byte, d.n, secret);
	put(&d, signature_head, sizeof(signature_head));
	put(&d, signature, sizeof(signature));
	wrap(&d, 0, 0x30);
	write_pem("CERTIFICATE", d.byte, d.n, ret->cert, sizeof(ret->cert));
}

static void write_key(const unsigned char *seed, struct step_cert *ret)
{
	struct der d = {.n = 0};

	put(&d, key_head, sizeof(key_head));
	put(&d, seed, SEED);
	write_pem("PRIVATE KEY", d.byte, d.n, ret->key, sizeof(ret->key));
	sodium_memzero(&d, sizeof(d));
}

int step_cert_make(const char *word, const struct ip *ip, struct step_cert *ret)
{
	unsigned char seed[SEED], public[PUBLIC];
	unsigned char secret[crypto_sign_SECRETKEYBYTES];

	if (sodium_init() < 0)
		return -1;
	crypto_generichash(seed, sizeof(seed), (const unsigned char *)word,
			   strlen(word), (const unsigned char *)"certificate",
			   strlen("certificate"));
	crypto_sign_seed_keypair(public, secret, seed);
	write_cert(public, secret, ip, ret);
	write_key(seed, ret);
	sodium_memzero(seed, sizeof(seed));
	sodium_memzero(secret, sizeof(secret));
	return 0;
}
