/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/terminal.h"

#include "sys/text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The other screen, no cursor, no wrapping of long lines */
static const char enter[] = "\033[?1049h\033[?25l\033[?7l\033[2J";
static const char leave[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

bool terminal_is_there(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

int terminal_open(struct terminal *t, struct err *err)
{
	struct termios now;

	if (tcgetattr(STDIN_FILENO, &t->was) < 0)
		return err_printf(err, "the terminal can't be read: %s",
				  strerror(errno));
	now = t->was;
	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	now.c_cc[VMIN] = 1;
	now.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &now) < 0)
		return err_printf(err, "the terminal can't be set: %s",
				  strerror(errno));
	t->open = true;
	write_full(STDOUT_FILENO, enter, sizeof(enter) - 1);
	return 0;
}

void terminal_close(struct terminal *t)
{
	if (!t->open)
		return;
	t->open = false;
	write_full(STDOUT_FILENO, leave, sizeof(leave) - 1);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &t->was);
}

void terminal_size(unsigned *ret_rows, unsigned *ret_columns)
{
	struct winsize size = {0};

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*ret_rows = size.ws_row ? size.ws_row : 24;
	*ret_columns = size.ws_col ? size.ws_col : 80;
}

static const struct {
	const char *text;
	int key;
} sequences[] = {
	{"\033[A", KEY_UP},	  {"\033OA", KEY_UP},
	{"\033[B", KEY_DOWN},	  {"\033OB", KEY_DOWN},
	{"\033[C", KEY_RIGHT},	  {"\033OC", KEY_RIGHT},
	{"\033[D", KEY_LEFT},	  {"\033OD", KEY_LEFT},
	{"\033[5~", KEY_PAGE_UP}, {"\033[6~", KEY_PAGE_DOWN},
};

/* A sequence of which nothing is known: to its last byte. */
static size_t sequence_length(const char *text, size_t n)
{
	size_t i = 2;

	if (n < 2 || (text[1] != '[' && text[1] != 'O'))
		return 1;
	while (i < n && (text[i] < '@' || text[i] > '~'))
		i++;
	return i < n ? i + 1 : n;
}

int terminal_key(const char *text, size_t n, size_t *ret_n)
{
	*ret_n = 1;
	if (*text != '\033')
		return (unsigned char)*text;
	*ret_n = sequence_length(text, n);
	for (size_t i = 0; i < sizeof(sequences) / sizeof(*sequences); i++)
		if (strlen(sequences[i].text) == *ret_n &&
		    !memcmp(sequences[i].text, text, *ret_n))
			return sequences[i].key;
	return KEY_NONE;
}
