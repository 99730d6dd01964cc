/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/picture.h"

#include "core/base/text.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Areas are Okabe and Ito's colours, lightened enough for black text, in both
 * modes. No variables: not every program that shows SVG knows them. */
static const char style[] =
	"<style>\n"
	"text{font-family:system-ui,\"Segoe UI\",Roboto,\"Helvetica "
	"Neue\",\"DejaVu Sans\",sans-serif;fill:#1f2328}\n"
	".t1{font-size:20px;font-weight:600}.t2{font-size:13px}"
	".t3{font-size:11px}.t4{font-size:10px}.t5{font-size:14px}\n"
	".code{font-family:ui-monospace,Menlo,Consolas,\"DejaVu Sans "
	"Mono\",monospace}\n"
	".mid{text-anchor:middle}.end{text-anchor:end}.b{font-weight:600}\n"
	".dim{fill:#59636e}.red,.star{fill:#b3261e}.on{fill:#1f2328}"
	".ond{fill:#4a525a}\n"
	".ground{fill:#fff}.node{fill:#f6f8fa;stroke:#c4ccd4}"
	".empty{fill:none;stroke:#8c959f;stroke-dasharray:3 3}\n"
	".bus{stroke:#8c959f;stroke-width:1.5;fill:none}\n"
	".pill{fill:#fff;stroke:#b3261e;stroke-width:1.5}.tip{fill:#8c959f}\n"
	".r0{fill:#9ccfee}.r1{fill:#f3c566}.r2{fill:#8ed3bb}.r3{fill:#f0a487}"
	".r4{fill:#e3b5d0}.r5{fill:#f5eb9a}.first{stroke:#b3261e;"
	"stroke-width:2}\n"
	".bad{fill:#b3261e}\n"
	"@media (prefers-color-scheme:dark){text{fill:#e6edf3}"
	".dim{fill:#9aa4ae}.red{fill:#ff8f73}.on{fill:#1f2328}"
	".ond{fill:#4a525a}"
	".ground{fill:#0d1117}.node{fill:#161b22;stroke:#3d444d}"
	".bus{stroke:#6e7681}.tip{fill:#6e7681}"
	".pill{fill:#0d1117;stroke:#ff8f73}.first{stroke:#e5432a}"
	".bad{fill:#ff6a4d}}\n"
	"</style>\n";

/* U+FFFE and U+FFFF are UTF-8, but no characters of XML. */
static bool is_no_character(const char *text)
{
	return !strncmp(text, "\xef\xbf\xbe", 3) ||
	       !strncmp(text, "\xef\xbf\xbf", 3);
}

/* Text as XML has it; bytes that it can't have become '?'. */
static void svg_escape(FILE *f, const char *text)
{
	size_t n;

	for (; *text; text += n ? n : 1) {
		unsigned char c = (unsigned char)*text;

		n = utf8_char(text, SIZE_MAX);
		if (c == '<')
			fputs("&lt;", f);
		else if (c == '>')
			fputs("&gt;", f);
		else if (c == '&')
			fputs("&amp;", f);
		else if (c == '"')
			fputs("&quot;", f);
		else if (c < 0x20 || c == 0x7f || !n || is_no_character(text))
			fputc('?', f);
		else
			fwrite(text, 1, n, f);
	}
}

static void put_element(FILE *f, const char *name, const char *text)
{
	fprintf(f, "<%s>", name);
	svg_escape(f, text);
	fprintf(f, "</%s>\n", name);
}

void svg_begin(FILE *f, const struct svg_page *page)
{
	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
		"height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n",
		page->width, page->height, page->width, page->height);
	put_element(f, "title", page->title);
	if (page->desc)
		put_element(f, "desc", page->desc);
	fputs(style, f);
	svg_box(f, 0, 0, page->width, page->height, "ground");
}

void svg_end(FILE *f)
{
	fputs("</svg>\n", f);
}

void svg_group(FILE *f, const char *title)
{
	fputs("<g class=\"i\">", f);
	put_element(f, "title", title);
}

void svg_group_end(FILE *f)
{
	fputs("</g>\n", f);
}

void svg_box(FILE *f, double x, double y, double w, double h, const char *class)
{
	fprintf(f,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		"class=\"%s\"/>\n",
		x, y, w, h, class);
}

void svg_line(FILE *f, double x1, double y1, double x2, double y2,
	      const char *class)
{
	fprintf(f,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
		"class=\"%s\"/>\n",
		x1, y1, x2, y2, class);
}

void svg_tip(FILE *f, double x, double y, double size, const char *class)
{
	fprintf(f, "<path d=\"M%.1f %.1fl%.1f %.1fv%.1fz\" class=\"%s\"/>\n", x,
		y, -size, -size / 2, size, class);
}

void svg_text(FILE *f, double x, double y, const char *class, const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	svg_escape(f, text);
	fputs("</text>\n", f);
}

void svg_text_cut(FILE *f, double x, double y, double width, double size,
		  const char *class, const char *text)
{
	size_t room = (size_t)(width / (size * SVG_CHAR_W)), at = 0;
	char buf[512];

	if (room > sizeof(buf) - 8)
		room = sizeof(buf) - 8;
	if (strlen(text) <= room) {
		svg_text(f, x, y, class, text);
		return;
	}
	while (at + 1 < room) {
		size_t n = utf8_char(text + at, SIZE_MAX);

		at += n ? n : 1;
	}
	snprintf(buf, sizeof(buf), "%.*s\xe2\x80\xa6", (int)at, text);
	svg_text(f, x, y, class, buf);
}

double svg_legend(FILE *f, double x, double y, const char *class,
		  const char *text)
{
	svg_box(f, x, y - 10, 12, 12, class);
	svg_text(f, x + 18, y, "t3", text);
	return x + 36 + (double)strlen(text) * 11 * 0.56;
}

/* A step has at most one kind of those that serve the others. */
const char *svg_role_class(enum role role)
{
	switch (role) {
	case ROLE_WORKER:
		return "r0";
	case ROLE_LAUNCHER:
		return "r1";
	case ROLE_CHIEF:
		return "r2";
	case ROLE_PS:
		return "r3";
	case ROLE_EVALUATOR:
		return "r4";
	default:
		return "r5";
	}
}
