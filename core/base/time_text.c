/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include <stdbool.h>
#include <stdio.h>

#define LONGEST_S 1000000000000UL /* longer: from a broken file */

const char *time_text(double ms, char buf[32])
{
	double s = ms / 1000;
	unsigned long n, part;
	bool hours;

	if (s < 59.95) {
		snprintf(buf, 32, s < 9.995 ? "%.2f s" : "%.1f s", s);
		return buf;
	}
	n = s < LONGEST_S ? (unsigned long)(s + 0.5) : LONGEST_S;
	hours = n >= 3600;
	if (hours)
		n = (n + 30) / 60; /* minutes from here on */
	part = n % 60;
	if (part)
		snprintf(buf, 32, hours ? "%lu h %lu min" : "%lu min %lu s",
			 n / 60, part);
	else
		snprintf(buf, 32, hours ? "%lu h" : "%lu min", n / 60);
	return buf;
}
