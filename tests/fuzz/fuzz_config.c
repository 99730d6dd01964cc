/* SPDX-License-Identifier: Apache-2.0 */
/* One argument of plugstack.conf on each line. */
#include "core/option/option.h"

#include "registry/registry.h"
#include "tests/fuzz/fuzz.h"

#define ARGS_MAX 32

static void check_config(const struct config *c)
{
	struct request r;
	struct err err = {""};

	RULE(*c->option && strlen(c->option) < sizeof(c->option));
	RULE(c->option[0] != '-' && !strpbrk(c->option, " =,\n"));
	RULE(c->port_min >= 1024 && c->port_min <= c->port_max);
	RULE(c->port_max <= 65535);
	RULE(!c->rundir || c->rundir[0] == '/');
	/* Whatever was refused, requests go on working, or aren't allowed. */
	if (request_parse("ddp", c->defaults, c->allow, &r, &err) == 0)
		request_clear(&r);
	else
		RULE(c->allow && strstr(err.text, "isn't allowed"));
	fuzz_check_error(c->allow ? c->allow : "none");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *argv[ARGS_MAX], *rest = text;
	struct config c;
	struct err err = {""};
	int argc = 0;

	while (rest && argc < ARGS_MAX)
		argv[argc++] = strsep(&rest, "\n");
	if (config_parse(argc, argv, &c, &err) < 0)
		fuzz_check_error(err.text);
	check_config(&c);
	config_clear(&c);
	free(text);
	return 0;
}
