/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/explain_show.h"

#include "core/base/text.h"
#include "helpers/cli/explain/layout.h"

static int check_rank(const struct dryrun_view *view, unsigned rank,
		      const char *option, struct err *err)
{
	unsigned n = view->plan.world_size;

	if (rank < n)
		return 0;
	return err_printf(err, "--%s: there is no rank %u; the step has %s%u",
			  option, rank, n > 1 ? "ranks 0 to " : "only rank ",
			  n - 1);
}

static int check_ranks(const struct dryrun_view *view,
		       const struct explain_wish *w, struct err *err)
{
	const char *option = w->diff ? "diff" : "rank";

	if (check_rank(view, w->rank[0], option, err) < 0)
		return -1;
	return w->diff ? check_rank(view, w->rank[1], option, err) : 0;
}

static int show_json(struct dryrun_view *view, const struct explain_wish *w,
		     const char *examples, const char *remark, struct err *err)
{
	struct explain_json step = {
		.first = w->all_ranks ? 0 : w->rank[0],
		.end = w->all_ranks ? view->plan.world_size : w->rank[0] + 1,
		.examples = examples,
		.remark = remark,
		.notes = w->notes,
	};
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	cleanup_free char *text = NULL;
	int rc = f ? explain_json(f, view, &step, err) : 0;

	text = text_stream_end(&stream, rc, err);
	if (text)
		fputs(text, stdout);
	return text ? 0 : -1;
}

static void print_notes(const char *notes)
{
	if (*notes)
		fputs("\nHow the line was understood:\n", stdout);
	text_lines_put(stdout, notes, "  ", "  ");
}

static int show_text(struct dryrun_view *view, const struct explain_wish *w,
		     const char *examples, const char *remark, struct err *err)
{
	int rc;

	if (w->diff)
		return explain_diff(stdout, view, w->rank, err);
	if (w->all_ranks)
		rc = explain_all(stdout, view, w->flags, err);
	else
		rc = explain_text(stdout, view, w->rank[0], w->flags, err);
	if (rc < 0)
		return -1;
	explain_ends(stdout, examples, remark);
	print_notes(w->notes);
	return 0;
}

static int show(struct dryrun_view *view, const struct explain_wish *w,
		struct err *err)
{
	char examples[EXPLAIN_TEXT_SIZE], remark[EXPLAIN_TEXT_SIZE];

	if (w->picture)
		return layout_svg_write(view, w->picture, err);
	if (explain_examples(view, examples, err) < 0 ||
	    explain_remark(view, remark, err) < 0)
		return -1;
	switch (w->format) {
	case FORMAT_SH:
		return explain_sh(stdout, view, w->rank[0], err);
	case FORMAT_ENV:
		return explain_env_file(stdout, view, w->rank[0], err);
	case FORMAT_NAMES:
		return explain_names(stdout, view,
				     w->all_ranks ? NULL : w->rank, err);
	case FORMAT_JSON:
		return show_json(view, w, examples, remark, err);
	default:
		return show_text(view, w, examples, remark, err);
	}
}

int explain_show(struct dryrun_view *view, const struct explain_wish *wish,
		 struct err *err)
{
	if (check_ranks(view, wish, err) < 0)
		return EXIT_USAGE;
	return show(view, wish, err) < 0 ? EXIT_FINDING : EXIT_DONE;
}
