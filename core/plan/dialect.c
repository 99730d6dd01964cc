/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/dialect.h"

#include "core/base/text.h"

#include <string.h>

const struct dialect_form *dialect_form(const struct dialect *dialect,
					const char *framework, struct err *err)
{
	const struct dialect_form *form;

	for (form = dialect->form; form->framework; form++)
		if (!strcmp(form->framework, framework))
			return form;
	err_printf(err,
		   "dialect=%s doesn't support %s; it supports:", dialect->name,
		   framework);
	for (form = dialect->form; form->framework; form++)
		text_add(err->text, sizeof(err->text), " ", "%s",
			 form->framework);
	return NULL;
}
