/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/svg.h"

#include "core/base/time_text.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#define TICK_W 70.0 /* pixels between two times, at least */

static const double steps_ms[] = {
	1,	2,	5,	 10,	  20,	   50,	    100,
	200,	500,	1000,	 2000,	  5000,	   10000,   15000,
	30000,	60000,	120000,	 300000,  600000,  900000,  1800000,
	3600e3, 7200e3, 10800e3, 21600e3, 43200e3, 86400e3, 172800e3,
	432e6,	864e6,	1728e6,	 4320e6,  8640e6,
};

#define NSTEPS (sizeof(steps_ms) / sizeof(steps_ms[0]))

double time_axis_step(double to_ms, double width)
{
	double most = floor(width / TICK_W);
	size_t i = 0;

	while (i + 1 < NSTEPS && to_ms / steps_ms[i] > most)
		i++;
	return fmax(steps_ms[i], to_ms / most);
}

const char *time_axis_text(double ms, double step, char buf[32])
{
	if (ms <= 0)
		snprintf(buf, 32, "0");
	else if (ms < 60000)
		snprintf(buf, 32, "%.*f s",
			 step < 10     ? 3
			 : step < 100  ? 2
			 : step < 1000 ? 1
				       : 0,
			 ms / 1000);
	else
		time_text(ms, buf);
	return buf;
}
