/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/visit.h"

#include "core/base/text.h"
#include "helpers/conn/message.h"

#include <string.h>

/* Where each task has a launcher, a node has many, which have less to tell. */
#define OF_ALL_MAX (64UL << 20)

void words_heard_begin(struct words_heard *h, unsigned nnodes)
{
	memset(h, 0, sizeof(*h));
	h->max = OF_ALL_MAX + (size_t)nnodes * SHOW_MAX;
}

/* MEMBER ...: whether that is the first that is heard of it. */
static bool is_first(struct words_heard *h, const char *text)
{
	unsigned char *byte, bit;
	long member;

	if (message_number(&text, 0, WORDS_MEMBERS_MAX - 1, &member) < 0)
		return false;
	byte = &h->member[member / 8];
	bit = (unsigned char)(1U << member % 8);
	if (*byte & bit)
		return false;
	*byte |= bit;
	return true;
}

/* MEMBER NODE\nROWS */
static void make_plain(char type, char *text)
{
	char *rows = type == MSG_SHOW ? strchr(text, '\n') : NULL;

	if (rows)
		*rows = '\0';
	plain_text(text, "");
	if (!rows)
		return;
	*rows = '\n';
	plain_text(rows, "\t\n");
}

int words_heard_take(struct words_heard *h, char type, const char *text,
		     size_t n, char **ret, struct err *err)
{
	*ret = NULL;
	h->bytes += n;
	if (h->bytes > h->max)
		return err_printf(err,
				  "what answers tells more than %zu MiB: no "
				  "launchers of dist-train's do",
				  h->max >> 20);
	if ((type == MSG_SHOW || type == MSG_SILENT) && !is_first(h, text))
		return 0;
	*ret = strdup(text);
	if (!*ret)
		return err_memory(err);
	make_plain(type, *ret);
	return 0;
}
