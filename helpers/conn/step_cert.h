/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A certificate for the services of a step that speak TLS. Key and certificate
 * are made of the step's word for that purpose (seal_word()), so that every
 * launcher of the step makes the same pair, and nobody else can. Who shows this
 * certificate has the key: a service that trusts it alone, and asks its peers
 * for it, talks to the step's own processes only. Pure: bytes in, bytes out
 * (libsodium: BLAKE2b, Ed25519).
 */
#pragma once

struct ip;

/* PEM texts. */
struct step_cert {
	char cert[768];
	char key[256];
};

/* Make both for `word`. `ip` is the address that the certificate names, for
 * programs that compare it with the one that they connect to; NULL: none. The
 * certificates of several addresses have one key and one issuer: such programs
 * (webpki) take each for issued by any other. Returns 0, or -1 when the library
 * fails. */
int step_cert_make(const char *word, const struct ip *ip,
		   struct step_cert *ret);
