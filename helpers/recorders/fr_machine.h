/* SPDX-License-Identifier: Apache-2.0 */
/* What fr_pickle.c and fr_opcodes.c share: the stack machine that a pickle is a
 * program of. */
#ifndef DT_HELPERS_RECORDERS_FR_MACHINE_H
#define DT_HELPERS_RECORDERS_FR_MACHINE_H

#include "helpers/recorders/fr_pickle.h"

#include <stdbool.h>

#define PICKLE_CHUNK 512

struct pickle_chunk {
	struct pickle_chunk *next;
	struct pickle_value value[PICKLE_CHUNK];
};

/* A growing array of values. */
struct pickle_values {
	struct pickle_value **value;
	size_t n, room;
};

struct pickle {
	const unsigned char *data;
	size_t size, at;
	struct pickle_chunk *chunks;
	size_t nvalues, nitems;
	struct pickle_values stack, memo;
	bool stopped;
};

/* Stands in the stack for MARK. */
extern struct pickle_value pickle_mark;

/* false: out of memory, or the dump is too large. */
bool pickle_push(struct pickle *p, struct pickle_value *v);
bool pickle_make_room(struct pickle_values *v, size_t n);
bool pickle_add(struct pickle *p, struct pickle_value *to,
		const struct pickle_value *item);
struct pickle_value *pickle_new(struct pickle *p, enum pickle_kind kind);

/* NULL where the stack is empty, or a MARK is on it. */
struct pickle_value *pickle_pop(struct pickle *p);

/* The next n bytes; NULL: there are fewer. */
const unsigned char *pickle_take(struct pickle *p, size_t n);

/* What an opcode does; `arg` is the `narg` bytes that follow it. false: it
 * makes no sense there. */
struct opcode {
	unsigned char code, narg;
	bool (*run)(struct pickle *p, const unsigned char *arg);
};

/* NULL: it isn't one of plain data. */
const struct opcode *pickle_opcode(unsigned char code);

#endif
