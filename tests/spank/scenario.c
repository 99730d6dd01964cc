/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <err.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const head_words[] = {
	"args",	      "option",	 "job",	      "layout",	   "nodes",
	"ntasks",     "env",	 "export",    "conf",	   "node",
	"resolve",    "route",	 "gres",      "tres",	   "fail",
	"grestypes",  "helper",	 "argv",      "release",   "hccn",
	"hccn-odd",   "feature", "mpiparams", "inherited", "life",
	"jobrequeue", "smt",	 "jobsubmit", "topology",  "inventory",
	"taskprolog", "munge",	 "first",     "authtype",  NULL,
};

static const char *const section_words[] = {
	"srun", "sbatch", "salloc", "slurmd", "script", "task", NULL,
};

static const char *const section_lines[] = {
	"env",		"taskenv",     "components", "exit",	  "quits",
	"err",		"out",	       "has",	     "lacks",	  "marked",
	"exact",	"argv",	       "rpcs",	     "kill",	  "wrap",
	"enters",	"option",      "registers",  "export",	  "cmdline",
	"abbreviation", "abbreviates", "handed",     "command",	  "ends",
	"requeues",	"setenvs",     "maps",	     "component", "keeps",
	"later",	"company",     "told",	     "file",	  NULL,
};

static bool is_one_of(const char *const *words, const char *word)
{
	while (*words && strcmp(*words, word) != 0)
		words++;
	return *words != NULL;
}

/* A port that is taken as long as this process has the socket. */
static void take_port(struct scenario *s)
{
	struct sockaddr_in6 any = {.sin6_family = AF_INET6};
	struct sockaddr_in any4 = {.sin_family = AF_INET};
	struct sockaddr *sa = (struct sockaddr *)&any;
	socklen_t len = sizeof(any);

	s->busy_fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->busy_fd < 0) {
		sa = (struct sockaddr *)&any4;
		len = sizeof(any4);
		s->busy_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	}
	if (bind(s->busy_fd, sa, len) < 0 || listen(s->busy_fd, 1) < 0 ||
	    getsockname(s->busy_fd, sa, &len) < 0)
		err(1, "no port to listen on");
	s->busy_port =
		ntohs(len == sizeof(any) ? any.sin6_port : any4.sin_port);
}

/* \n \t \\ \xHH, \{N*C} for N times C, @PORT@ for a port that is taken. */
static char *expand(struct scenario *s, const char *p)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	unsigned n;
	int used;
	char c;

	for (; *p; p++) {
		if (!strncmp(p, "@PORT@", 6)) {
			if (!s->busy_port)
				take_port(s);
			fprintf(f, "%d", s->busy_port);
			p += 5;
		} else if (*p != '\\') {
			fputc(*p, f);
		} else if (sscanf(p, "\\{%u*%c}%n", &n, &c, &used) == 2) {
			while (n--)
				fputc(c, f);
			p += used - 1;
		} else if (sscanf(p, "\\x%2x", &n) == 1) {
			fputc((int)n, f);
			p += 3;
		} else {
			p++;
			fputc(*p == 'n' ? '\n' : *p == 't' ? '\t' : *p, f);
		}
	}
	fclose(f);
	return text;
}

static void add_line(struct scenario *s, char *p, unsigned number, bool head)
{
	size_t len = strcspn(p, " ");
	struct line *l;

	s->line = realloc(s->line, (s->nlines + 1) * sizeof(*s->line));
	l = &s->line[s->nlines++];
	l->word = strndup(p, len);
	l->text = expand(s, p + len + (p[len] == ' '));
	l->number = number;
	if (!is_one_of(section_words, l->word) &&
	    !is_one_of(head ? head_words : section_lines, l->word))
		errx(1, "%s:%u: '%s' has no meaning here", s->file, number,
		     l->word);
}

void scenario_read(const char *file, struct scenario *ret)
{
	struct scenario s = {.file = file, .busy_fd = -1};
	FILE *f = fopen(file, "r");
	char *text = NULL;
	size_t size = 0;
	bool head = true;

	if (!f)
		err(1, "%s", file);
	for (unsigned number = 1; getline(&text, &size, f) >= 0; number++) {
		char *p = text + strspn(text, " \t");

		p[strcspn(p, "\n")] = '\0';
		if (!*p || *p == '#')
			continue;
		add_line(&s, p, number, head);
		if (is_one_of(section_words, s.line[s.nlines - 1].word))
			head = false;
	}
	if (head)
		errx(1, "%s: no section", file);
	free(text);
	fclose(f);
	*ret = s;
}

void scenario_free(struct scenario *s)
{
	for (unsigned i = 0; i < s->nlines; i++) {
		free(s->line[i].word);
		free(s->line[i].text);
	}
	free(s->line);
	if (s->busy_fd >= 0)
		close(s->busy_fd);
}

static unsigned section_at(const struct scenario *s, unsigned from)
{
	while (from < s->nlines &&
	       !is_one_of(section_words, s->line[from].word))
		from++;
	return from;
}

struct range scenario_head(const struct scenario *s)
{
	return (struct range){s->line, 0, section_at(s, 0)};
}

bool scenario_section(const struct scenario *s, unsigned *at, struct range *ret)
{
	unsigned from = section_at(s, *at);

	if (from == s->nlines)
		return false;
	*at = section_at(s, from + 1);
	*ret = (struct range){s->line, from, *at};
	return true;
}

const char *range_next(struct range r, const char *word, unsigned *at)
{
	for (unsigned i = r.from + *at; i < r.to; i++)
		if (!strcmp(r.line[i].word, word)) {
			*at = i + 1 - r.from;
			return r.line[i].text;
		}
	return NULL;
}

const char *range_get(struct range r, const char *word)
{
	const char *found = NULL, *text;

	for (unsigned at = 0; (text = range_next(r, word, &at));)
		found = text;
	return found;
}
