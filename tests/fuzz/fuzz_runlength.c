/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's lists of numbers: counts, indices, ports, generic resources. */
#include "core/base/idlist.h"
#include "core/base/runlength.h"
#include "core/facts/device.h"
#include "core/facts/port.h"

#include "tests/fuzz/fuzz.h"

#define LOOK_MAX 300

static void check_counts(const char *text)
{
	struct runlength c = {.n = 77};
	unsigned long before, sum = 0;
	unsigned count, max = 0;

	if (runlength_read(text, &c) < 0) {
		RULE(c.n == 77);
		return;
	}
	RULE(c.n > 0 && c.total <= (unsigned long)c.max * c.n);
	RULE(c.uniform == (c.total == (unsigned long)c.max * c.n));
	RULE(runlength_at(text, c.n, &count, &before) < 0);
	RULE(runlength_at(text, c.n - 1, &count, &before) == 0);
	RULE(before + count == c.total);
	for (unsigned i = 0; i < c.n && i < LOOK_MAX; i++) {
		RULE(runlength_at(text, i, &count, &before) == 0);
		RULE(before == sum);
		sum += count;
		max = count > max ? count : max;
	}
	RULE(max <= c.max && sum <= c.total);
	if (c.n <= LOOK_MAX)
		RULE(max == c.max && sum == c.total);
}

static void check_ids(const struct idlist *list)
{
	struct idlist again;
	char buf[IDLIST_MAX * 6];

	RULE(list->n <= IDLIST_MAX);
	RULE(idlist_format(list, buf, sizeof(buf)) == 0);
	RULE(idlist_parse(buf, &again) == 0 && again.n == list->n);
	RULE(!memcmp(again.id, list->id, list->n * sizeof(*list->id)));
}

static void check_port(const char *text)
{
	unsigned port = 77;

	for (unsigned i = 0; i < 4; i++)
		if (port_reserved(text, i, &port) == 0)
			RULE(port >= 1 && port <= 65535);
		else
			RULE(port == 77 || i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct idlist list = {.n = 77};
	unsigned long asked = 77;

	check_counts(text);
	check_port(text);
	if (idlist_parse(text, &list) == 0)
		check_ids(&list);
	else
		RULE(list.n == 77);
	if (gres_detail(text, "gpu", &list) == 0)
		check_ids(&list);
	if (!gres_asked(text, "gpu", &asked))
		RULE(asked == 77);
	free(text);
	return 0;
}
