/* SPDX-License-Identifier: Apache-2.0 */
/* Findings in words. */
#include "helpers/recorders/fr_verdict.h"

#include "core/base/parse.h"

#include <string.h>

/* "rank 3", "2 ranks (3,5)" */
static void print_ranks(FILE *f, const char *ranks, unsigned n)
{
	if (n == 1)
		fprintf(f, "rank %s", ranks);
	else
		fprintf(f, "%u ranks (%s)", n, ranks);
}

static void print_place(FILE *f, const char *before, const char *file,
			long line)
{
	if (*file)
		fprintf(f, "%s%s:%ld", before, base_name(file), line);
}

static void print_op(FILE *f, const char *op, const char *sizes)
{
	fprintf(f, "%s%s%s", op, *sizes ? " " : "", sizes);
}

/* "group 0 default_pg" */
static void print_group(FILE *f, const struct fr_finding *x)
{
	bool says = *x->desc && strcmp(x->desc, "undefined") != 0;

	fprintf(f, "group %s%s%s", x->group, says ? " " : "",
		says ? x->desc : "");
}

static void print_late(FILE *f, const struct fr_finding *x)
{
	print_ranks(f, x->ranks, x->nranks);
	fprintf(f, " never entered collective %lld (", x->number);
	print_op(f, x->op, x->sizes);
	fputs(", ", f);
	print_group(f, x);
	fputs("): ", f);
	print_ranks(f, x->waiting, x->nwaiting);
	fprintf(f, " wait%s in it", x->nwaiting == 1 ? "s" : "");
	print_place(f, " at ", x->file, x->line);
	if (*x->other_op)
		fprintf(f, "; the last one before was %s", x->other_op);
	print_place(f, " at ", x->other_file, x->other_line);
	if (x->derived)
		fputs("; but waits in another group itself", f);
}

static void print_mismatch(FILE *f, const struct fr_finding *x)
{
	fprintf(f, "collective %lld of ", x->number);
	print_group(f, x);
	fputs(" isn't the same in all ranks: ", f);
	print_ranks(f, x->ranks, x->nranks);
	fputs(" in ", f);
	print_op(f, x->other_op, x->other_sizes);
	print_place(f, " at ", x->other_file, x->other_line);
	fputs(", ", f);
	print_ranks(f, x->waiting, x->nwaiting);
	fputs(" in ", f);
	print_op(f, x->op, x->sizes);
	print_place(f, " at ", x->file, x->line);
}

static void print_together(FILE *f, const struct fr_finding *x)
{
	fprintf(f, "collective %lld (", x->number);
	print_op(f, x->op, x->sizes);
	fputs(", ", f);
	print_group(f, x);
	fputs("): all ranks with a dump have entered it, ", f);
	print_ranks(f, x->waiting, x->nwaiting);
	fprintf(f, " wait%s in it", x->nwaiting == 1 ? "s" : "");
	print_place(f, " at ", x->file, x->line);
}

static void print_p2p(FILE *f, const struct fr_finding *x)
{
	print_ranks(f, x->ranks, x->nranks);
	fprintf(f, " waits in %s (group %s)", x->op, x->group);
	print_place(f, " at ", x->file, x->line);
}

void fr_finding_print(const struct fr_finding *x, FILE *f)
{
	static void (*const print[])(FILE * f, const struct fr_finding *x) = {
		[FR_LATE] = print_late,
		[FR_MISMATCH] = print_mismatch,
		[FR_TOGETHER] = print_together,
		[FR_P2P] = print_p2p,
	};

	print[x->kind](f, x);
}
