/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/picture.h"

#include "core/base/cleanup.h"
#include "helpers/cli/svg.h"
#include "sys/text_file.h"

#include <errno.h>
#include <string.h>

/* Words are found where one begins; a word that ends in a digit must end there,
 * too: "node1" isn't in "node12". Each word of the query must be found. */
static const char script[] =
	"\n"
	"const q = document.getElementById('q');\n"
	"const n = document.getElementById('n');\n"
	"const all = [...document.querySelectorAll('g.i')].map(g =>\n"
	"  [g, g.querySelector('title').textContent]);\n"
	"let hits = [], at = -1;\n"
	"function word(w) {\n"
	"  const text = w.replace(/[^A-Za-z0-9_]/g, '\\\\$&');\n"
	"  const begin = /^\\w/.test(w) ? '\\\\b' : '';\n"
	"  return new RegExp(begin + text + (/\\d$/.test(w) ? '\\\\b' : ''), "
	"'i');\n"
	"}\n"
	"function show() {\n"
	"  const words = (q.value.match(/(rank|ps|worker|dev) \\d+|\\S+/gi) || "
	"[])\n"
	"    .map(word);\n"
	"  hits = [];\n"
	"  at = -1;\n"
	"  for (const [g, text] of all) {\n"
	"    const found = words.length && words.every(w => w.test(text));\n"
	"    g.classList.toggle('hit', Boolean(found));\n"
	"    g.classList.toggle('miss', Boolean(words.length && !found));\n"
	"    if (found) hits.push([g, text]);\n"
	"  }\n"
	"  n.textContent = words.length ? hits.length + ' of ' + all.length :\n"
	"    all.length + ' in all';\n"
	"}\n"
	"function next() {\n"
	"  if (!hits.length) return;\n"
	"  at = (at + 1) % hits.length;\n"
	"  hits[at][0].scrollIntoView({block: 'center', inline: 'center'});\n"
	"  n.textContent = (at + 1) + ' of ' + hits.length + ': ' + "
	"hits[at][1];\n"
	"}\n"
	"q.addEventListener('input', show);\n"
	"q.addEventListener('keydown', e => { if (e.key === 'Enter') next(); "
	"});\n"
	"for (const [g, text] of all)\n"
	"  g.addEventListener('click', () => { n.textContent = text; });\n"
	"show();\n";

/* Of the script above, as `sha256sum` and base64 give it; a test compares. */
#define SCRIPT_HASH "sha256-yecWkDoaqjvUSqY/8X28X5AnGcrMgh5azmDxkqpHXPA="

static const char head[] =
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<style>\n"
	"body{margin:0;background:#fff;color:#1f2328;font:14px system-ui,"
	"\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif}\n"
	"header{position:sticky;top:0;z-index:2;padding:8px "
	"24px;background:#f6f8fa;"
	"border-bottom:1px solid #c4ccd4}\n"
	"input{font:inherit;width:22em;max-width:60%;padding:4px 8px}\n"
	"#n{margin-left:12px}\n"
	"svg{display:block}.axis{position:sticky;top:46px;z-index:1}\n"
	".miss{opacity:.15}.hit{stroke:#b3261e}.hit text{stroke:none}\n"
	"@media (prefers-color-scheme:dark){body{background:#0d1117;"
	"color:#e6edf3}header{background:#161b22;border-color:#3d444d}}\n"
	"</style>\n";

bool picture_ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n > m && !strcmp(path + n - m, end);
}

int picture_write(const char *path, void (*print)(FILE *f, void *arg),
		  void *arg, struct err *err)
{
	cleanup_free char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return err_memory(err);
	print(f, arg);
	if (fclose(f) != 0)
		return err_memory(err);
	if (strcmp(path, "-") != 0)
		return write_file(path, text, size, 0644, err);
	if (fwrite(text, 1, size, stdout) != size)
		return err_printf(err, "can't write the output: %s",
				  strerror(errno));
	return 0;
}

void picture_page_begin(FILE *f, const char *title, const char *hint)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\""
	      "default-src 'none'; style-src 'unsafe-inline'; "
	      "script-src '" SCRIPT_HASH "'\">\n<title>",
	      f);
	svg_escape(f, title);
	fprintf(f,
		"</title>\n%s</head>\n<body>\n<header><input id=\"q\" "
		"type=\"search\" autofocus aria-label=\"Search\" "
		"placeholder=\"",
		head);
	svg_escape(f, hint);
	fputs("\"><span id=\"n\" role=\"status\"></span></header>\n", f);
}

void picture_page_end(FILE *f)
{
	fprintf(f, "<script>%s</script>\n</body>\n</html>\n", script);
}
