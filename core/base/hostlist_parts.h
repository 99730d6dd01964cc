/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a host list is read: for hostlist.c and hostlist_find.c alone. A list is
 * items with commas between, and an item is bytes and bracket groups of ranges:
 * "r[1-2]n[001-120,130],login". Each function returns -1 when the text isn't a
 * host list; *text has moved then, or hasn't.
 */
#ifndef DT_CORE_BASE_HOSTLIST_PARTS_H
#define DT_CORE_BASE_HOSTLIST_PARTS_H

#define HOSTLIST_DIGITS_MAX 10

/* One range of a group: "001-120" is first 1, last 120, width 3. */
struct hostlist_range {
	unsigned long first, last;
	int width;
};

/* Read "N" or "N-M" and skip the comma after it; stop at ']'. */
int hostlist_next_range(const char **text, struct hostlist_range *ret);

/* How many numbers a group has; *text starts after '[' and ends after ']'. */
int hostlist_group_count(const char **text, unsigned long *ret);

/* One item, up to its comma: how many names it stands for. */
int hostlist_item_count(const char **text, unsigned long *ret);

/* Skip the comma between items; none may be at the end. */
int hostlist_next_item(const char **text);

#endif
