/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/slurm/option_once.h"

#include "registry/registry.h"

#include <stdlib.h>
#include <string.h>

/* One that was wrong isn't kept: who looks ahead doesn't say why, and that of
 * the option itself is parsed once more, for the reason. */
struct parsed {
	struct parsed *next;
	struct request request;
	char text[];
};

static struct parsed *all;

const struct request *option_once(const char *text, const struct config *config,
				  struct err *err)
{
	struct parsed *p = all;

	while (p && strcmp(p->text, text) != 0)
		p = p->next;
	if (p)
		return &p->request;
	p = calloc(1, sizeof(*p) + strlen(text) + 1);
	if (!p)
		return err_memory_null(err);
	if (request_parse(text, config->defaults, config->allow, &p->request,
			  err) < 0) {
		free(p);
		return NULL;
	}
	strcpy(p->text, text);
	p->next = all;
	all = p;
	return &p->request;
}

void option_once_clear(void)
{
	while (all) {
		struct parsed *p = all;

		all = p->next;
		request_clear(&p->request);
		free(p);
	}
}
