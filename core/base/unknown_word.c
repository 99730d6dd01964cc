/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/parse.h"

#include "core/base/text.h"

#include <ctype.h>
#include <string.h>

#define NEAR_CHARS 24

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment distance; both words at most NEAR_CHARS long. */
static int distance(const char *a, int na, const char *b, int nb)
{
	int d[NEAR_CHARS + 1][NEAR_CHARS + 1];

	for (int i = 0; i <= na; i++)
		for (int j = 0; j <= nb; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			int same = same_letter(a[i - 1], b[j - 1]);
			int best = d[i - 1][j - 1] + !same;

			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]) &&
			    d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	return d[na][nb];
}

static const char *nearest_word(const char *word, size_t len, word_nth_fn *nth)
{
	const char *known, *nearest = NULL;
	int limit = len < 3 ? 1 : len < 7 ? 2 : 3;

	if (len > NEAR_CHARS)
		return NULL;
	for (size_t i = 0; (known = nth(i)); i++) {
		size_t n = strlen(known);
		int d;

		if (n > NEAR_CHARS)
			continue;
		d = distance(word, (int)len, known, (int)n);
		if (d <= limit && d < (int)len) {
			limit = d - 1;
			nearest = known;
		}
	}
	return nearest;
}

int unknown_word_of(struct err *err, const char *what, const char *word,
		    word_nth_fn *nth, word_nth_fn *listed)
{
	const char *near = nearest_word(word, strcspn(word, "="), nth);
	char shown[SHOW_SIZE];
	const char *known;

	err_printf(err, "unknown %s %s;", what, show(shown, word));
	if (near)
		text_add(err->text, sizeof(err->text), " ",
			 "did you mean '%s'?", near);
	text_add(err->text, sizeof(err->text), " ", "known:");
	for (size_t i = 0; (known = listed(i)); i++)
		text_add(err->text, sizeof(err->text), " ", "%s", known);
	return -1;
}

int unknown_word(struct err *err, const char *what, const char *word,
		 word_nth_fn *nth)
{
	return unknown_word_of(err, what, word, nth, nth);
}
