/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/inventory_domains.h"

#include "core/base/hostlist.h"

#include <stdlib.h>
#include <string.h>

struct finder {
	struct hostindex nodes;
	char **name; /* of the kind that is looked for */
};

const char *inventory_domain_word(enum inventory_domain kind)
{
	return kind == INVENTORY_POD ? "super pod" : "NVLink domain";
}

static int take_domain(void *arg, const char *node, const char *domain)
{
	struct finder *f = arg;
	unsigned at;

	if (hostindex_find(&f->nodes, node, &at) < 0 || f->name[at])
		return 0;
	f->name[at] = strdup(domain);
	return f->name[at] ? 0 : -1;
}

static int find_domains(const struct inventory *v, struct finder *f,
			struct inventory_domains *ret, struct err *err)
{
	ret->n = f->nodes.n;
	for (int k = 0; k < INVENTORY_DOMAINS; k++) {
		ret->name[k] = calloc(ret->n + 1UL, sizeof(*ret->name[k]));
		if (!ret->name[k])
			return err_memory(err);
		f->name = ret->name[k];
		if (inventory_each_domain(v, (enum inventory_domain)k,
					  take_domain, f, err) < 0)
			return -1;
	}
	return 0;
}

int inventory_domains_read(const char *text, const char *file,
			   const char *nodes, struct inventory_domains *ret,
			   struct err *err)
{
	struct inventory_domains domains = {.n = 0};
	struct finder f;
	struct inventory v;
	int rc;

	if (hostindex_make(nodes, &f.nodes, err) < 0)
		return -1;
	rc = inventory_read(text, file, &v, err);
	if (rc == 0) {
		rc = find_domains(&v, &f, &domains, err);
		inventory_clear(&v);
	}
	hostindex_clear(&f.nodes);
	if (rc == 0)
		*ret = domains;
	else
		inventory_domains_clear(&domains);
	return rc;
}

void inventory_domains_clear(struct inventory_domains *domains)
{
	for (int k = 0; k < INVENTORY_DOMAINS; k++) {
		for (unsigned i = 0; domains->name[k] && i < domains->n; i++)
			free(domains->name[k][i]);
		free(domains->name[k]);
	}
	*domains = (struct inventory_domains){0};
}
