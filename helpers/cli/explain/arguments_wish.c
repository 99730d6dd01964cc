/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/parse.h"
#include "helpers/cli/explain/explain_show.h"

#include <limits.h>
#include <string.h>

static int read_rank(const struct arguments *a, struct explain_wish *ret,
		     struct err *err)
{
	const char *text = option(&a->given, "rank");
	char shown[SHOW_SIZE];
	long rank;

	ret->all_ranks = text ? !strcmp(text, "all")
			      : ret->format == FORMAT_JSON ||
					 ret->format == FORMAT_NAMES;
	if (!text || ret->all_ranks)
		return 0;
	if (parse_number(text, 0, INT_MAX, &rank) < 0)
		return err_printf(err, "--rank=%s: must be a rank, or all",
				  show(shown, text));
	ret->rank[0] = (unsigned)rank;
	return 0;
}

static int read_diff(const struct arguments *a, struct explain_wish *ret,
		     struct err *err)
{
	const char *text = option(&a->given, "diff"), *at = text;
	char shown[SHOW_SIZE];
	unsigned last;

	ret->diff = text != NULL;
	if (!text)
		return 0;
	if (parse_range(&at, INT_MAX, &ret->rank[0], &last) == 0 &&
	    last == ret->rank[0] && *at &&
	    parse_range(&at, INT_MAX, &ret->rank[1], &last) == 0 &&
	    last == ret->rank[1] && !*at)
		return 0;
	return err_printf(err, "--diff=%s: must be two ranks such as 0,8",
			  show(shown, text));
}

static int read_format(const struct arguments *a, struct explain_wish *ret,
		       struct err *err)
{
	static const char names[] = "text sh env json names";
	const char *text = option(&a->given, "format");
	char shown[SHOW_SIZE];
	int index = option(&a->given, "json") ? FORMAT_JSON : FORMAT_TEXT;

	if (text && !word_find(names, text, strlen(text), &index))
		return err_printf(
			err,
			"--format=%s: must be text, sh, env, names or "
			"json",
			show(shown, text));
	ret->format = (enum explain_format)index;
	return 0;
}

static int read_picture(const struct arguments *a, struct explain_wish *ret,
			struct err *err)
{
	const char *text = option(&a->given, "picture");
	const char *dot = text ? strrchr(text, '.') : NULL;
	char shown[SHOW_SIZE];

	ret->picture = text;
	if (!text || !strcmp(text, "-") ||
	    (dot && (!strcmp(dot, ".svg") || !strcmp(dot, ".html"))))
		return 0;
	return err_printf(
		err,
		"--picture=%s: must end in .svg or .html, or be - for "
		"an SVG on standard output; rsvg-convert -o x.png "
		"x.svg makes a PNG of one",
		show(shown, text));
}

int arguments_wish(const struct arguments *a, struct explain_wish *ret,
		   struct err *err)
{
	if (read_format(a, ret, err) < 0 || read_rank(a, ret, err) < 0 ||
	    read_diff(a, ret, err) < 0 || read_picture(a, ret, err) < 0)
		return -1;
	if (ret->picture && ret->format != FORMAT_TEXT)
		return err_printf(err, "a picture and --json or --format: "
				       "write one of them");
	if (ret->diff &&
	    (ret->format != FORMAT_TEXT || option(&a->given, "rank")))
		return err_printf(err, "--diff has its own ranks, and is text "
				       "alone");
	if (ret->all_ranks &&
	    (ret->format == FORMAT_SH || ret->format == FORMAT_ENV))
		return err_printf(err,
				  "--format=%s is for one process: --rank=N",
				  option(&a->given, "format"));
	ret->flags = (option(&a->given, "all") ? EXPLAIN_ALL : 0) |
		     (colour_wanted() ? EXPLAIN_COLOUR : 0);
	return 0;
}
