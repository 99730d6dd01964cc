/* SPDX-License-Identifier: Apache-2.0 */
#include "core/dialect.h"

#include <stdio.h>
#include <string.h>

#define DIALECT(id, name) extern const struct dialect dialect_##id;
#define PLANNED(name)
#include "dialects/dialects.def"
#undef DIALECT
#undef PLANNED

static const struct dialect *const dialects[] = {
#define DIALECT(id, name) &dialect_##id,
#define PLANNED(name)	  NULL,
#include "dialects/dialects.def"
#undef DIALECT
#undef PLANNED
};

size_t dialect_count(void)
{
	return sizeof(dialects) / sizeof(*dialects);
}

const struct dialect *dialect_nth(size_t n)
{
	return n < dialect_count() ? dialects[n] : NULL;
}

const struct dialect_form *dialect_form(const struct dialect *dialect,
					const char *framework, struct err *err)
{
	const struct dialect_form *form = dialect->form;
	char known[256];
	size_t used = 0;

	known[0] = '\0';
	for (; form->framework; form++) {
		if (!strcmp(form->framework, framework))
			return form;
		if (used < sizeof(known))
			used += (size_t)snprintf(known + used,
						 sizeof(known) - used, " %s",
						 form->framework);
	}
	err_printf(err, "dialect=%s has no %s; it has:%s", dialect->name,
		   framework, known);
	return NULL;
}

int dialect_args(const struct plan *plan, const struct process *process,
		 struct argset *args, struct err *err)
{
	const struct dialect_form *form = plan->request->form;

	if (!form || !form->args)
		return 0;
	return form->args(plan, process, args, err);
}

int dialect_choose(struct request *r, struct err *err)
{
	int word = request_word(r, KEY_DIALECT);
	struct option_value *procs = &r->key[KEY_PROCS];

	if (word == DIALECT_NONE)
		return 0;
	r->dialect = dialect_nth((size_t)word - 1);
	if (!r->dialect)
		return err_printf(err, "this dialect isn't in this version "
				       "yet; leave the key out");
	r->form = dialect_form(r->dialect, r->framework->name, err);
	if (!r->form)
		return -1;
	if (r->form->procs != PROCS_AUTO && !procs->given)
		*procs = (struct option_value){.word = r->form->procs};
	if (r->form->first_node && !r->key[KEY_RUN_ON].given)
		r->key[KEY_RUN_ON].word = RUN_ON_FIRST;
	return 0;
}
