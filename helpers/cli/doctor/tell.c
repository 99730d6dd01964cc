/* SPDX-License-Identifier: Apache-2.0 */
/* On a node: the lines in which it tells its facts. */
#include "helpers/cli/doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *doctor_here(void)
{
	static char name[256];
	const char *slurm = getenv("SLURMD_NODENAME");

	if (slurm && *slurm)
		return slurm;
	if (gethostname(name, sizeof(name) - 1) < 0)
		return "localhost";
	return name;
}

void doctor_tell(const char *key, const char *fmt, ...)
{
	char text[DOCTOR_FACT_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text[strcspn(text, "\r\n")] = '\0';
	printf("%s %s %s %s\n", DOCTOR_MARK, doctor_here(), key, text);
	fflush(stdout);
}
