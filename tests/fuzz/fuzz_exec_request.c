/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launcher is told by the others and by a script's stand-ins, with the
 * NULs that belong there: orders, pieces of the exchange, numbers.
 */
#include "helpers/conn/message.h"
#include "helpers/gather/gather.h"
#include "helpers/shim/exec_request.h"

#include "tests/fuzz/fuzz.h"

static size_t count(char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	return n;
}

/* An order that was read can be written, and is the same then. */
static void check_order(const struct exec_request *order)
{
	static const char *const without[] = {"HOME", NULL};
	const char *dropped[2] = {NULL};
	struct exec_request same;
	struct err err = {""};
	char **changes, *text;
	size_t n;

	text = exec_request_text(order->asked, order->folder, order->argv,
				 order->env, &n);
	RULE(text && exec_request_parse(text, n, &same, &err) == 0);
	RULE(count(same.argv) == count(order->argv));
	RULE(count(same.env) == count(order->env));
	RULE(!strcmp(same.folder, order->folder));
	changes = exec_request_changes(order->env, same.env, "/shims", without,
				       dropped);
	RULE(changes);
	exec_request_free_words(changes);
	exec_request_clear(&same);
}

static void check_gather(const char *text, size_t size)
{
	struct gather_piece piece;
	struct gather *g = gather_new(2);
	char *all;
	size_t n;

	RULE(g);
	if (gather_parse(text, size, &piece) == 0)
		RULE(piece.data + piece.n == text + size);
	if (gather_add(g, 0, text, size) == 0 &&
	    gather_add(g, 1, text, size) == 1) {
		all = gather_join(g, &n);
		RULE(all && n <= 2 * size);
		free(all);
	}
	gather_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	const char *at = text;
	struct exec_request order;
	struct err err = {""};
	long n;

	check_gather(text, size);
	while (message_number(&at, -5, 70000, &n) == 0)
		RULE(n >= -5 && n <= 70000 && at > text && at <= text + size);
	if (exec_request_parse(text, size, &order, &err) == 0) {
		check_order(&order);
		exec_request_clear(&order);
	} else {
		fuzz_check_error(err.text);
	}
	return 0;
}
