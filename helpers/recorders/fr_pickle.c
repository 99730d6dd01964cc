/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recorders/fr_machine.h"

#include <stdlib.h>
#include <string.h>

#define KEYS_MAX 8192 /* of a dict, looked at for one key; twice */

struct pickle_value pickle_mark;

bool pickle_make_room(struct pickle_values *v, size_t n)
{
	size_t room = v->room ? v->room * 2 : 64;
	struct pickle_value **more;

	if (n > PICKLE_VALUES_MAX)
		return false;
	if (n <= v->room)
		return true;
	while (room < n)
		room *= 2;
	more = realloc(v->value, room * sizeof(*more));
	if (!more)
		return false;
	memset(more + v->room, 0, (room - v->room) * sizeof(*more));
	v->value = more;
	v->room = room;
	return true;
}

bool pickle_push(struct pickle *p, struct pickle_value *v)
{
	if (!v || !pickle_make_room(&p->stack, p->stack.n + 1))
		return false;
	p->stack.value[p->stack.n++] = v;
	return true;
}

/* NULL where the stack is empty, or a MARK is on it. */
struct pickle_value *pickle_pop(struct pickle *p)
{
	struct pickle_value *v =
		p->stack.n ? p->stack.value[p->stack.n - 1] : NULL;

	if (!v || v == &pickle_mark)
		return NULL;
	p->stack.n--;
	return v;
}

struct pickle_value *pickle_new(struct pickle *p, enum pickle_kind kind)
{
	size_t i = p->nvalues % PICKLE_CHUNK;
	struct pickle_value *v;

	if (p->nvalues >= PICKLE_VALUES_MAX)
		return NULL;
	if (i == 0) {
		struct pickle_chunk *c = calloc(1, sizeof(*c));

		if (!c)
			return NULL;
		c->next = p->chunks;
		p->chunks = c;
	}
	p->nvalues++;
	v = &p->chunks->value[i];
	v->kind = kind;
	return v;
}

bool pickle_add(struct pickle *p, struct pickle_value *to,
		const struct pickle_value *item)
{
	if (p->nitems >= PICKLE_VALUES_MAX)
		return false;
	if (to->n == to->room) {
		size_t room = to->room ? to->room * 2 : 4;
		const struct pickle_value **more =
			realloc(to->item, room * sizeof(*more));

		if (!more)
			return false;
		to->item = more;
		to->room = room;
	}
	to->item[to->n++] = item;
	p->nitems++;
	return true;
}

const unsigned char *pickle_take(struct pickle *p, size_t n)
{
	const unsigned char *at = p->data + p->at;

	if (n > p->size - p->at)
		return NULL;
	p->at += n;
	return at;
}

static int step(struct pickle *p, struct err *err)
{
	size_t at = p->at;
	const struct opcode *op = pickle_opcode(p->data[p->at++]);
	const unsigned char *arg = op ? pickle_take(p, op->narg) : NULL;

	if (!op)
		return err_printf(err,
				  "byte 0x%02x at %zu is nothing that a "
				  "Flight Recorder writes",
				  p->data[at], at);
	if (!arg)
		return err_printf(err, "it ends in the middle, at %zu", at);
	if (!op->run(p, arg))
		return err_printf(err,
				  "byte 0x%02x at %zu makes no sense "
				  "there, or the dump is too large",
				  p->data[at], at);
	return 0;
}

struct pickle *pickle_read(const void *data, size_t size, struct err *err)
{
	struct pickle *p = calloc(1, sizeof(*p));
	int rc = 0;

	if (!p) {
		err_memory(err);
		return NULL;
	}
	p->data = data;
	p->size = size;
	while (rc == 0 && !p->stopped) {
		if (p->at == size)
			rc = err_printf(err, "it ends without an end, at %zu",
					size);
		else
			rc = step(p, err);
	}
	if (rc == 0)
		return p;
	pickle_free(p);
	return NULL;
}

void pickle_free(struct pickle *p)
{
	while (p && p->chunks) {
		struct pickle_chunk *c = p->chunks;

		p->chunks = c->next;
		for (size_t i = 0; i < PICKLE_CHUNK; i++)
			free(c->value[i].item);
		free(c);
	}
	if (p) {
		free(p->stack.value);
		free(p->memo.value);
	}
	free(p);
}

/* --- what was read --- */

const struct pickle_value *pickle_root(const struct pickle *p)
{
	return p->stack.value[0];
}

const struct pickle_value *pickle_get(const struct pickle_value *dict,
				      const char *key)
{
	size_t n = strlen(key);

	if (!dict || dict->kind != PICKLE_DICT)
		return NULL;
	for (size_t i = 0; i + 1 < dict->n && i < KEYS_MAX; i += 2)
		if (dict->item[i]->kind == PICKLE_TEXT &&
		    dict->item[i]->n == n &&
		    !memcmp(dict->item[i]->text, key, n))
			return dict->item[i + 1];
	return NULL;
}

const struct pickle_value *pickle_at(const struct pickle_value *list, size_t i)
{
	return list && list->kind == PICKLE_LIST && i < list->n ? list->item[i]
								: NULL;
}

int64_t pickle_number(const struct pickle_value *v, int64_t otherwise)
{
	return v && (v->kind == PICKLE_INT || v->kind == PICKLE_BOOL)
		       ? v->number
		       : otherwise;
}

const char *pickle_text(const struct pickle_value *v, char *buf, size_t size)
{
	size_t n = v && v->kind == PICKLE_TEXT ? v->n : 0;

	if (n >= size)
		n = size - 1;
	if (n)
		memcpy(buf, v->text, n);
	buf[n] = '\0';
	return buf;
}
