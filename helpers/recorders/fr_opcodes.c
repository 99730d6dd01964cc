/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The opcodes of protocol 2 as torch/csrc/jit/serialization/pickler.cpp and
 * Python's own pickle write them for plain data.
 */
#include "helpers/recorders/fr_machine.h"

static uint64_t little(const unsigned char *arg, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | arg[n];
	return v;
}

static bool push_number(struct pickle *p, enum pickle_kind kind, int64_t n)
{
	struct pickle_value *v = pickle_new(p, kind);

	if (v)
		v->number = n;
	return pickle_push(p, v);
}

static bool op_proto(struct pickle *p, const unsigned char *arg)
{
	(void)p;
	return *arg == 2;
}

static bool op_stop(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	p->stopped = true;
	return p->stack.n == 1 && p->stack.value[0] != &pickle_mark;
}

static bool op_none(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return pickle_push(p, pickle_new(p, PICKLE_NONE));
}

static bool op_true(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return push_number(p, PICKLE_BOOL, 1);
}

static bool op_false(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return push_number(p, PICKLE_BOOL, 0);
}

static bool op_int4(struct pickle *p, const unsigned char *arg)
{
	return push_number(p, PICKLE_INT, (int32_t)little(arg, 4));
}

static bool op_int1(struct pickle *p, const unsigned char *arg)
{
	return push_number(p, PICKLE_INT, *arg);
}

static bool op_int2(struct pickle *p, const unsigned char *arg)
{
	return push_number(p, PICKLE_INT, (int64_t)little(arg, 2));
}

/* Of up to 8 bytes, the sign in the last one. */
static bool op_long(struct pickle *p, const unsigned char *arg)
{
	const unsigned char *bytes = pickle_take(p, *arg);
	unsigned missing = 8U - *arg;
	uint64_t v;

	if (!bytes || *arg > 8)
		return false;
	if (*arg == 0)
		return push_number(p, PICKLE_INT, 0);
	v = little(bytes, *arg) << missing * 8;
	return push_number(p, PICKLE_INT, (int64_t)v >> missing * 8);
}

static bool op_float(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return pickle_push(p, pickle_new(p, PICKLE_FLOAT));
}

static bool op_text(struct pickle *p, const unsigned char *arg)
{
	size_t n = (size_t)little(arg, 4);
	const unsigned char *bytes = pickle_take(p, n);
	struct pickle_value *v = bytes ? pickle_new(p, PICKLE_TEXT) : NULL;

	if (!v)
		return false;
	v->text = (const char *)bytes;
	v->n = n;
	return pickle_push(p, v);
}

static bool op_list(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return pickle_push(p, pickle_new(p, PICKLE_LIST));
}

static bool op_dict(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return pickle_push(p, pickle_new(p, PICKLE_DICT));
}

static bool op_mark(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return pickle_push(p, &pickle_mark);
}

/* How many values are above the last MARK; -1: there is none. */
static long above_mark(const struct pickle *p)
{
	for (size_t i = p->stack.n; i--;)
		if (p->stack.value[i] == &pickle_mark)
			return (long)(p->stack.n - i - 1);
	return -1;
}

/* Move the last n values, in their order, into `to`. */
static bool gather(struct pickle *p, size_t n, struct pickle_value *to)
{
	size_t first = p->stack.n - n;

	for (size_t i = first; i < p->stack.n; i++)
		if (p->stack.value[i] == &pickle_mark ||
		    !pickle_add(p, to, p->stack.value[i]))
			return false;
	p->stack.n = first;
	return true;
}

static bool tuple_of(struct pickle *p, size_t n, bool marked)
{
	struct pickle_value *v = pickle_new(p, PICKLE_LIST);

	if (!v || n > p->stack.n || !gather(p, n, v))
		return false;
	p->stack.n -= marked;
	return pickle_push(p, v);
}

static bool op_tuple1(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return tuple_of(p, 1, false);
}

static bool op_tuple2(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return tuple_of(p, 2, false);
}

static bool op_tuple3(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return tuple_of(p, 3, false);
}

static bool op_tuple(struct pickle *p, const unsigned char *arg)
{
	long n = above_mark(p);

	(void)arg;
	return n >= 0 && tuple_of(p, (size_t)n, true);
}

/* Put the last n values into the list or dict before them. */
static bool fill(struct pickle *p, size_t n, bool marked, enum pickle_kind kind)
{
	size_t before = n + marked + 1;
	struct pickle_value *to;

	if (before > p->stack.n)
		return false;
	to = p->stack.value[p->stack.n - before];
	if (to == &pickle_mark || to->kind != kind ||
	    (kind == PICKLE_DICT && n % 2) || !gather(p, n, to))
		return false;
	p->stack.n -= marked;
	return true;
}

static bool fill_marked(struct pickle *p, enum pickle_kind kind)
{
	long n = above_mark(p);

	return n >= 0 && fill(p, (size_t)n, true, kind);
}

static bool op_append(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return fill(p, 1, false, PICKLE_LIST);
}

static bool op_appends(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return fill_marked(p, PICKLE_LIST);
}

static bool op_setitem(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return fill(p, 2, false, PICKLE_DICT);
}

static bool op_setitems(struct pickle *p, const unsigned char *arg)
{
	(void)arg;
	return fill_marked(p, PICKLE_DICT);
}

static bool put(struct pickle *p, size_t i)
{
	struct pickle_value *v = pickle_pop(p);

	/* no sparse memo: what it costs is what the data pays for */
	if (!v || i > p->memo.n + PICKLE_CHUNK ||
	    !pickle_make_room(&p->memo, i + 1))
		return false;
	p->memo.value[i] = v;
	if (i >= p->memo.n)
		p->memo.n = i + 1;
	return pickle_push(p, v);
}

static bool get(struct pickle *p, size_t i)
{
	return i < p->memo.n && pickle_push(p, p->memo.value[i]);
}

static bool op_put1(struct pickle *p, const unsigned char *arg)
{
	return put(p, *arg);
}

static bool op_put4(struct pickle *p, const unsigned char *arg)
{
	return put(p, (size_t)little(arg, 4));
}

static bool op_get1(struct pickle *p, const unsigned char *arg)
{
	return get(p, *arg);
}

static bool op_get4(struct pickle *p, const unsigned char *arg)
{
	return get(p, (size_t)little(arg, 4));
}

static const struct opcode opcodes[] = {
	{'h', 1, op_get1},    {'q', 1, op_put1},    {'X', 4, op_text},
	{'K', 1, op_int1},    {'J', 4, op_int4},    {'M', 2, op_int2},
	{'j', 4, op_get4},    {'r', 4, op_put4},    {0x8a, 1, op_long},
	{'(', 0, op_mark},    {'}', 0, op_dict},    {'u', 0, op_setitems},
	{']', 0, op_list},    {'e', 0, op_appends}, {0x86, 0, op_tuple2},
	{'N', 0, op_none},    {0x88, 0, op_true},   {0x89, 0, op_false},
	{'G', 8, op_float},   {'a', 0, op_append},  {'s', 0, op_setitem},
	{0x85, 0, op_tuple1}, {0x87, 0, op_tuple3}, {')', 0, op_list},
	{'t', 0, op_tuple},   {0x80, 1, op_proto},  {'.', 0, op_stop},
};

const struct opcode *pickle_opcode(unsigned char code)
{
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(*opcodes); i++)
		if (opcodes[i].code == code)
			return &opcodes[i];
	return NULL;
}
