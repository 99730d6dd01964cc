/* SPDX-License-Identifier: Apache-2.0 */
/* What all of an agent may say, to the user and to agent.c. */
#include "helpers/roles/agent.h"

#include <stdarg.h>
#include <stdio.h>

void agent_say(const char *line)
{
	fprintf(stderr, "dist-train: %s\n", line);
}

void agent_tell(struct agent *a, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	a->calls->tell(a, text);
}

void agent_fault(struct agent *a, const char *fmt, ...)
{
	char line[900];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	agent_tell(a, AGENT_FAULT " %s", line);
}

void agent_message(struct agent *a, char *text)
{
	a->calls->message(a, text);
}

void agent_give_up(struct agent *a)
{
	a->calls->give_up(a);
}

void agent_lose(struct agent *a, int why)
{
	a->calls->lose(a, why);
}

void agent_ended(struct agent *a)
{
	a->calls->ended(a);
}
