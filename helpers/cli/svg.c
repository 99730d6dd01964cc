/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/svg.h"

#include <string.h>

void svg_escape(FILE *f, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '<')
			fputs("&lt;", f);
		else if (c == '>')
			fputs("&gt;", f);
		else if (c == '&')
			fputs("&amp;", f);
		else if (c == '"')
			fputs("&quot;", f);
		else
			fputc(c < 0x20 || c >= 0x7f ? '?' : c, f);
	}
}

void svg_begin(FILE *f, double width, double height)
{
	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
		"height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
		"font-family=\"sans-serif\">\n",
		width, height, width, height);
	svg_box(f, 0, 0, width, height, "#ffffff", NULL, NULL);
}

void svg_end(FILE *f)
{
	fputs("</svg>\n", f);
}

void svg_box(FILE *f, double x, double y, double w, double h, const char *fill,
	     const char *stroke, const char *title)
{
	fprintf(f,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		"fill=\"%s\"",
		x, y, w, h, fill);
	if (stroke)
		fprintf(f, " stroke=\"%s\"", stroke);
	if (!title) {
		fputs("/>\n", f);
		return;
	}
	fputs("><title>", f);
	svg_escape(f, title);
	fputs("</title></rect>\n", f);
}

void svg_line(FILE *f, double x1, double y1, double x2, double y2,
	      const char *colour)
{
	fprintf(f,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
		"stroke=\"%s\"/>\n",
		x1, y1, x2, y2, colour);
}

void svg_text(FILE *f, double x, double y, double size, const char *anchor,
	      const char *fill, const char *text)
{
	fprintf(f,
		"<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\" "
		"text-anchor=\"%s\" fill=\"%s\">",
		x, y, size, anchor, fill);
	svg_escape(f, text);
	fputs("</text>\n", f);
}

/* Okabe and Ito's palette, lightened enough for black text. */
const char *svg_role_colour(enum role role)
{
	static const char *const colours[] = {
		"#9ccfee", "#f3c566", "#8ed3bb", "#f0a487",
		"#e3b5d0", "#f5eb9a", "#c9c9c9",
	};

	return colours[(unsigned)role % (sizeof(colours) / sizeof(colours[0]))];
}
