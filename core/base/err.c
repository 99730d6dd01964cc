/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/err.h"

#include "core/base/text.h"

#include <stdarg.h>

int err_printf(struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	/* names and values in it may be a user's */
	for (char *p = err->text; *p;) {
		size_t n = utf8_visible(p);

		if (!n)
			*p = '?';
		p += n ? n : 1;
	}
	return -1;
}

int err_memory(struct err *err)
{
	return err_printf(err, "out of memory");
}

void *err_memory_null(struct err *err)
{
	err_memory(err);
	return NULL;
}
