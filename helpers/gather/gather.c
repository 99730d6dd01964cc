/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/gather/gather.h"

#include <stdlib.h>
#include <string.h>

/* The message of one member, whole. */
struct kept {
	bool there;
	char *text;		   /* NULL once all are joined */
	struct gather_piece piece; /* its fields, in `text` */
};

struct gather {
	struct kept *kept;
	unsigned n, nthere;
	size_t size; /* of all data */
};

/* Room for a message with that folder and n bytes of data, which the caller
 * puts to *ret_data. */
static char *text_new(const char *folder, size_t n, char **ret_data)
{
	size_t before = strlen(folder) + 1;
	char *text = malloc(before + n + 1);

	if (!text)
		return NULL;
	memcpy(text, folder, before);
	text[before + n] = '\0';
	*ret_data = text + before;
	return text;
}

char *gather_text(const struct gather_piece *piece, size_t *ret_n)
{
	char *data, *text = text_new(piece->folder, piece->n, &data);

	if (!text)
		return NULL;
	if (piece->n)
		memcpy(data, piece->data, piece->n);
	*ret_n = (size_t)(data - text) + piece->n;
	return text;
}

int gather_parse(const char *text, size_t n, struct gather_piece *ret)
{
	size_t folder = strlen(text);

	if (folder >= n)
		return -1;
	ret->folder = text;
	ret->data = text + folder + 1;
	ret->n = n - folder - 1;
	return 0;
}

struct gather *gather_new(unsigned n)
{
	struct gather *g = calloc(1, sizeof(*g));

	if (g)
		g->kept = calloc(n, sizeof(*g->kept));
	if (!g || !g->kept) {
		free(g);
		return NULL;
	}
	g->n = n;
	return g;
}

int gather_add(struct gather *g, unsigned member, const char *text, size_t n)
{
	struct kept *k = &g->kept[member];

	if (k->there)
		return 0;
	if (n > GATHER_MAX - g->size)
		return -1;
	free(k->text);
	k->text = malloc(n + 1);
	if (!k->text)
		return -1;
	memcpy(k->text, text, n);
	k->text[n] = '\0';
	if (gather_parse(k->text, n, &k->piece) < 0)
		return 0;
	k->there = true;
	g->size += k->piece.n;
	return ++g->nthere == g->n;
}

bool gather_has(const struct gather *g, unsigned member)
{
	return g->kept[member].there;
}

char *gather_copy(const struct gather *g, size_t *ret_n)
{
	const char *folder = g->kept[0].there ? g->kept[0].piece.folder : "";
	char *at, *all = text_new(folder, g->size, &at);

	if (!all)
		return NULL;
	for (unsigned i = 0; i < g->n; i++) {
		const struct gather_piece *p = &g->kept[i].piece;

		if (!g->kept[i].there)
			continue;
		memcpy(at, p->data, p->n);
		at += p->n;
	}
	*ret_n = (size_t)(at - all);
	return all;
}

char *gather_join(struct gather *g, size_t *ret_n)
{
	char *all = gather_copy(g, ret_n);

	for (unsigned i = 0; all && i < g->n; i++) {
		free(g->kept[i].text);
		g->kept[i].text = NULL;
	}
	return all;
}

void gather_free(struct gather *g)
{
	if (!g)
		return;
	for (unsigned i = 0; i < g->n; i++)
		free(g->kept[i].text);
	free(g->kept);
	free(g);
}
