/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/hccn.h"

#include "core/base/parse.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The first line that begins with `key`; its number in *ret_line. Comments,
 * lines without '=' and lines that the driver's buffer can't hold match no
 * key. */
static const char *find_key(const char *text, const char *key,
			    unsigned *ret_line)
{
	size_t len = strlen(key);

	for (unsigned line = 1; *text; line++) {
		size_t n = strcspn(text, "\n");

		if (n < HCCN_LINE_MAX && !strncmp(text, key, len)) {
			*ret_line = line;
			return text + len;
		}
		text += n + (text[n] == '\n');
	}
	return NULL;
}

static int read_value(const char *value, const char *key, const char *file,
		      unsigned line, struct npu *npu, struct err *err)
{
	size_t len = strcspn(value, "\n");
	struct err why;

	if (npu_add_addr(npu, value, len, &why) == 0) {
		npu->addr_from = NPU_FROM_HCCN_CONF;
		return 0;
	}
	if (len && value[len - 1] == '\r')
		err_printf(&why, "ends in a carriage return, which the driver "
				 "reads as part of the address");
	return err_printf(err,
			  "%s:%u: %s %.400s; write the device's address, as "
			  "hccn_tool -i %u -ip -g shows it",
			  file, line, key, why.text, npu->phy_id);
}

int hccn_conf_find(const char *text, const char *file, unsigned phy_id,
		   struct npu *npu, struct err *err)
{
	static const char *const names[] = {"address", "IPv6address"};
	struct npu found = {.phy_id = phy_id};

	for (int i = 0; i < 2; i++) {
		char key[32];
		unsigned line;
		const char *value;

		snprintf(key, sizeof(key), "%s_%u=", names[i], phy_id);
		value = find_key(text, key, &line);
		if (!value)
			continue;
		if (read_value(value, key, file, line, &found, err) < 0)
			return -1;
		npu_complete(npu, &found);
		return 0;
	}
	return 0;
}

void hccn_conf_ids(const char *text, struct idlist *ret)
{
	ret->n = 0;
	while (*text && ret->n < IDLIST_MAX) {
		size_t n = strcspn(text, "\n");
		unsigned id;
		int used = 0;

		if (sscanf(text, "address_%3u=%n", &id, &used) == 1 && used)
			ret->id[ret->n++] = (unsigned short)id;
		text += n + (text[n] == '\n');
	}
}

void hccn_conf_keep_addresses(char *text)
{
	char *to = text;

	while (*text) {
		size_t n = strcspn(text, "\n");
		bool is_address = !strncmp(text, "address_", 8) ||
				  !strncmp(text, "IPv6address_", 12);
		size_t kept = is_address ? n : 0;

		memmove(to, text, kept);
		to += kept;
		text += n;
		if (*text)
			*to++ = *text++;
	}
	*to = '\0';
}

static const char *text_after(const char *line, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(line, prefix, len) != 0 ? NULL : line + len;
}

/* hccn_tool printed no address: report its first line instead. */
static enum hccn_answer no_address(const char *output, struct err *err)
{
	char line[SHOW_SIZE], shown[SHOW_SIZE];

	if (strstr(output, "hccn_tool is busy"))
		return HCCN_BUSY;
	if (strstr(output, "no ip was preset") ||
	    strstr(output, "does not support IPV6"))
		return HCCN_NONE;
	output += strspn(output, "\n");
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(output, "\n"),
		 output);
	err_printf(err, "hccn_tool says %s",
		   *line ? show(shown, line) : "nothing");
	return HCCN_FAILED;
}

enum hccn_answer hccn_tool_answer(const char *output, struct npu *npu,
				  struct err *err)
{
	struct npu found = {.addr_from = NPU_FROM_HCCN_TOOL};
	struct err why;

	for (const char *line = output; *line;) {
		size_t n = strcspn(line, "\n");
		const char *value = text_after(line, "ipaddr:");

		if (!value)
			value = text_after(line, "ipv6_address:");
		if (value &&
		    npu_add_addr(&found, value, (size_t)(line + n - value),
				 &why) < 0) {
			err_printf(err, "hccn_tool says %.500s", why.text);
			return HCCN_FAILED;
		}
		line += n + (line[n] == '\n');
	}
	if (!found.naddrs)
		return no_address(output, err);
	npu_complete(npu, &found);
	return HCCN_ADDRESS;
}
