/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/interface.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

/* One letter for each flag, in the order of the enumeration. */
static const char letters[] = "raklb";

static const struct interface *find(const struct interfaces *list,
				    const char *name)
{
	for (unsigned i = 0; i < list->n; i++)
		if (!strcmp(list->at[i].name, name))
			return &list->at[i];
	return NULL;
}

struct interface *interfaces_add(struct interfaces *list, const char *name)
{
	struct interface *found = (struct interface *)find(list, name);

	if (found)
		return found;
	if (list->n == INTERFACES_MAX ||
	    !is_word(name, "._-@:", INTERFACE_NAME_SIZE - 1))
		return NULL;
	found = &list->at[list->n++];
	*found = (struct interface){.flags = 0};
	strcpy(found->name, name);
	return found;
}

char *interfaces_text(const struct interfaces *list)
{
	/* name, '=', letters, comma */
	size_t each = INTERFACE_NAME_SIZE + sizeof(letters) + 1;
	char *text = malloc(list->n * each + 1), *at = text;

	if (!text)
		return NULL;
	*at = '\0';
	for (unsigned i = 0; i < list->n; i++) {
		at = stpcpy(at, i ? "," : "");
		at = stpcpy(stpcpy(at, list->at[i].name), "=");
		for (unsigned bit = 0; letters[bit]; bit++)
			if (list->at[i].flags & 1U << bit)
				*at++ = letters[bit];
		*at = '\0';
	}
	return text;
}

/* One NAME=LETTERS of `len` bytes. */
static int parse_one(const char *text, size_t len, struct interfaces *list)
{
	const char *eq = memchr(text, '=', len), *letter;
	char name[INTERFACE_NAME_SIZE];
	struct interface *found;

	if (!eq || (size_t)(eq - text) >= sizeof(name))
		return -1;
	memcpy(name, text, (size_t)(eq - text));
	name[eq - text] = '\0';
	found = interfaces_add(list, name);
	if (!found)
		return -1;
	while (++eq < text + len) {
		letter = strchr(letters, *eq);
		if (!letter)
			return -1;
		found->flags |= 1U << (letter - letters);
	}
	return 0;
}

int interfaces_parse(const char *text, struct interfaces *ret)
{
	ret->n = 0;
	while (*text) {
		size_t len = strcspn(text, ",");

		if (parse_one(text, len, ret) < 0) {
			ret->n = 0;
			return -1;
		}
		text += len + (text[len] == ',');
	}
	return 0;
}

/* Whether the name is docker's or libvirt's, whatever kind of device it is. */
static bool is_hosts_own(const char *name)
{
	return !strncmp(name, "docker", 6) || !strncmp(name, "virbr", 5);
}

bool interface_leads(const struct interface *i, const char *route)
{
	if (route && !strcmp(i->name, route))
		return true;
	return i->flags & INTERFACE_ROUTABLE && !is_hosts_own(i->name) &&
	       !(i->flags & (INTERFACE_LOOPBACK | INTERFACE_BRIDGE));
}

bool interfaces_all_lead(const struct interfaces *list, const char *route)
{
	for (unsigned i = 0; i < list->n; i++)
		if (!(list->at[i].flags & INTERFACE_LOOPBACK) &&
		    !interface_leads(&list->at[i], route))
			return false;
	return true;
}

static void copy_name(const char *names, char ret[INTERFACE_NAME_SIZE])
{
	snprintf(ret, INTERFACE_NAME_SIZE, "%.*s", (int)strcspn(names, ","),
		 names);
}

void interfaces_first(const char *names, const struct interfaces *list,
		      char ret[INTERFACE_NAME_SIZE])
{
	for (const char *at = names; list && *at;) {
		copy_name(at, ret);
		if (find(list, ret))
			return;
		at += strcspn(at, ",");
		at += *at == ',';
	}
	copy_name(names, ret);
}

int interfaces_check(const char *names, const struct interfaces *list,
		     const char *node, struct err *err)
{
	char first[INTERFACE_NAME_SIZE], all[512] = "";

	interfaces_first(names, list, first);
	if (!list->n || list->n == INTERFACES_MAX || find(list, first))
		return 0;
	for (unsigned i = 0; i < list->n; i++)
		text_add(all, sizeof(all), ", ", "%s", list->at[i].name);
	return err_printf(err,
			  "nic=%s: node %s has no such interface with an "
			  "address; it has %s",
			  names, node, all);
}
