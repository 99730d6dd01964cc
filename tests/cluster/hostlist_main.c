/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostlist_main < LISTS: each line is a host list; its names are printed one
 * a line, then "= COUNT", or "= refused". What `scontrol show hostnames` says
 * about the same line is compared with it.
 */
#include "core/base/hostlist.h"

#include <stdio.h>
#include <string.h>

static int show(const char *list)
{
	char name[HOSTLIST_NAME_MAX];
	unsigned n, at;

	if (hostlist_count(list, &n) < 0) {
		puts("= refused");
		return 0;
	}
	for (unsigned i = 0; i < n; i++) {
		if (hostlist_nth(list, i, name) < 0)
			return fprintf(stderr, "%s: no name %u\n", list, i);
		if (hostlist_find(list, name, &at) < 0 || at > i)
			return fprintf(stderr, "%s: %s not found\n", list,
				       name);
		puts(name);
	}
	printf("= %u\n", n);
	return 0;
}

int main(void)
{
	char list[65536];

	while (fgets(list, sizeof(list), stdin)) {
		list[strcspn(list, "\n")] = '\0';
		if (show(list) != 0)
			return 1;
	}
	return 0;
}
