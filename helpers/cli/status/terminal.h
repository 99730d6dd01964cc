/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal of a program that draws all of it: standard input and output.
 * Control sequences are those of ECMA-48 and xterm, which every terminal of
 * today and tmux, screen and the Linux console know; a terminfo database isn't
 * needed (doc/design/helpers-cli-status.md).
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#define TERMINAL_REVERSE "\033[7m"
#define TERMINAL_BOLD	 "\033[1m"
#define TERMINAL_RED	 "\033[31m"
#define TERMINAL_YELLOW	 "\033[33m"
#define TERMINAL_PLAIN	 "\033[0m"

/* Keys that are no character; all others are theirs. */
enum terminal_key {
	KEY_NONE,
	KEY_UP = 256,
	KEY_DOWN,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
};

struct terminal {
	struct termios was;
	bool open;
};

/* Whether there is one that can be drawn on, and a keyboard. */
bool terminal_is_there(void);

/* Another screen, without cursor and echo; what was there is seen again after
 * terminal_close(), which may be called twice. Returns 0 or -1. */
int terminal_open(struct terminal *terminal, struct err *err);
void terminal_close(struct terminal *terminal);

/* 24 and 80 where it doesn't tell. */
void terminal_size(unsigned *ret_rows, unsigned *ret_columns);

/* The first key of what was read; *ret_n bytes of it are that key's. */
int terminal_key(const char *text, size_t n, size_t *ret_n);
