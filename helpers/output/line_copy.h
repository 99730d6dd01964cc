/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies whole lines, each behind a prefix: what label=yes does with nearly all
 * bytes. line_writer.c calls it for the middle of what was read, and does the
 * ends itself. Line ends are searched 64 bytes at a time, apart from the
 * copying: a search from one line's end to the next waits for each result
 * before it can go on, which for short lines takes longer than all the rest.
 */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(LINE_COPY_PORTABLE)
#define LINE_COPY_SSE2
#include <emmintrin.h>
#elif defined(__aarch64__) && !defined(LINE_COPY_PORTABLE)
#define LINE_COPY_NEON
#include <arm_neon.h>
#endif

#define LINE_COPY_BLOCK 64
#define LINE_COPY_PIECE 32 /* also the size of a prefix's array */

#ifdef LINE_COPY_SSE2
/* A bit for each newline of 16 bytes. */
static inline uint64_t newlines_of_16(const char *s)
{
	__m128i v = _mm_loadu_si128((const __m128i *)s);

	return (uint64_t)_mm_movemask_epi8(
		_mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
}

static inline uint64_t newlines_of_block(const char *s)
{
	return newlines_of_16(s) | newlines_of_16(s + 16) << 16 |
	       newlines_of_16(s + 32) << 32 | newlines_of_16(s + 48) << 48;
}
#elif defined(LINE_COPY_NEON)
/* The bit of each newline within its 8 bytes. */
static inline uint8x16_t newlines_of_16(const char *s)
{
	const uint8x16_t bit =
		vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
	uint8x16_t v = vld1q_u8((const uint8_t *)s);

	return vandq_u8(vceqq_u8(v, vdupq_n_u8('\n')), bit);
}

static inline uint64_t newlines_of_block(const char *s)
{
	uint8x16_t low = vpaddq_u8(newlines_of_16(s), newlines_of_16(s + 16));
	uint8x16_t high =
		vpaddq_u8(newlines_of_16(s + 32), newlines_of_16(s + 48));
	uint8x16_t sum = vpaddq_u8(low, high);

	return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
}
#else
static inline uint64_t newlines_of_8(const char *s)
{
	const uint64_t low7 = 0x7f7f7f7f7f7f7f7f;
	uint64_t x;

	memcpy(&x, s, sizeof(x));
	x = le64toh(x) ^ 0x0a0a0a0a0a0a0a0a;
	/* 0x80 in each byte that is 0, then these bits side by side */
	x = ~(((x & low7) + low7) | x | low7);
	return (x >> 7) * 0x0102040810204080 >> 56;
}

static inline uint64_t newlines_of_block(const char *s)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < LINE_COPY_BLOCK; i += 8)
		bits |= newlines_of_8(s + i) << i;
	return bits;
}
#endif

/* What lines are copied to, and what before each. */
struct line_copy {
	char *to;
	size_t room, used;
	const char *prefix; /* LINE_COPY_PIECE bytes can be read */
	size_t nprefix;	    /* that are its own */
};

/* Copy a line and its prefix, which begins with `begin`. 31 more bytes of both
 * can be read, and as many be written. */
static inline void line_copy_put(char *to, const struct line_copy *copy,
				 uint64_t begin, const char *line,
				 const char *end)
{
	memcpy(to, &begin, sizeof(begin));
	if (copy->nprefix > sizeof(begin))
		memcpy(to, copy->prefix, LINE_COPY_PIECE);
	to += copy->nprefix;
	memcpy(to, line, LINE_COPY_PIECE);
	while (end - line > LINE_COPY_PIECE) {
		line += LINE_COPY_PIECE;
		to += LINE_COPY_PIECE;
		memcpy(to, line, LINE_COPY_PIECE);
	}
}

/* Copy the lines of `from` that end well before its n bytes do, until there may
 * be no room for one. Bytes behind those that count as used may be written,
 * too. Returns how many bytes of `from` were taken: whole lines. */
static inline size_t line_copy(struct line_copy *copy, const char *from,
			       size_t n)
{
	const char *line = from, *block = from, *end = from + n;
	struct line_copy c = *copy; /* in registers: no text overlaps it */
	size_t most = c.room < LINE_COPY_PIECE ? 0 : c.room - LINE_COPY_PIECE;
	uint64_t begin; /* most prefixes are no longer */
	bool fits = true;

	memcpy(&begin, c.prefix, sizeof(begin));
	for (; fits && end - block >= LINE_COPY_BLOCK + LINE_COPY_PIECE;
	     block += LINE_COPY_BLOCK) {
		uint64_t bits = newlines_of_block(block);

		for (; bits; bits &= bits - 1) {
			const char *next = block + __builtin_ctzll(bits) + 1;
			size_t used =
				c.used + c.nprefix + (size_t)(next - line);

			fits = used <= most;
			if (!fits)
				break;
			line_copy_put(c.to + c.used, &c, begin, line, next);
			c.used = used;
			line = next;
		}
	}
	copy->used = c.used;
	return (size_t)(line - from);
}
