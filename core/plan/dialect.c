/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/dialect.h"

#include <stdio.h>
#include <string.h>

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
	err_printf(err, "dialect=%s doesn't support %s; it supports:%s",
		   dialect->name, framework, known);
	return NULL;
}
