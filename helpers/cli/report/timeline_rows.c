/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a picture: where ranks are too many, several are one. */
#include "helpers/cli/report/timeline_facts.h"

#include <stdlib.h>

#define ROWS_OF_SVG  700u
#define ROWS_OF_PAGE 16384u

/* The slowest counts, and a failure more than any other end. */
static void merge(struct life *to, const struct life *l)
{
	bool end_of_l = life_failed(l) && !life_failed(to);

	to->last_rank = l->rank;
	for (int p = 0; p < PHASE_COUNT; p++)
		if (l->at_ms[p] > to->at_ms[p])
			to->at_ms[p] = l->at_ms[p];
	if (!end_of_l)
		return;
	to->code = l->code;
	to->signal = l->signal;
	to->by_step = false;
	to->at_ms[PHASE_ENDED] = l->at_ms[PHASE_ENDED];
}

/* The lives are by rank, then round; those of a row, too. */
static void add_life(struct record *rows, size_t first, unsigned per_row,
		     const struct life *l)
{
	for (size_t i = first; i < rows->n; i++)
		if (rows->life[i].round == l->round) {
			merge(&rows->life[i], l);
			return;
		}
	rows->life[rows->n] = *l;
	rows->life[rows->n++].rank = l->rank / per_row * per_row;
}

int timeline_picture_make(const struct record *r, const struct facts *facts,
			  bool page, struct timeline_picture *ret,
			  struct err *err)
{
	unsigned most = page ? ROWS_OF_PAGE : ROWS_OF_SVG;
	unsigned per_row = (r->nranks + most - 1) / most;
	struct record rows = *r;
	size_t first = 0;

	rows.n = rows.nmarks = 0;
	rows.mark = NULL;
	rows.life = calloc(r->n, sizeof(*rows.life));
	if (!rows.life)
		return err_memory(err);
	for (size_t i = 0; i < r->n; i++) {
		if (i &&
		    r->life[i].rank / per_row != r->life[i - 1].rank / per_row)
			first = rows.n;
		add_life(&rows, first, per_row, &r->life[i]);
	}
	rows.nranks = (r->nranks + per_row - 1) / per_row;
	*ret = (struct timeline_picture){
		.record = r,
		.facts = facts,
		.rows = rows,
		.per_row = per_row,
		.page = page,
	};
	return 0;
}

void timeline_picture_clear(struct timeline_picture *p)
{
	record_clear(&p->rows);
}
