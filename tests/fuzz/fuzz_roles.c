/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of roles, which anybody may hand over to a node: read whole, placed on
 * three nodes, and each world's command and variables.
 */
#include "core/roles/role_names.h"
#include "registry/role_options.h"

#include "tests/fuzz/fuzz.h"

static const char *variable(void *arg, const char *name)
{
	(void)arg;
	return strlen(name) % 2 ? "a  b" : NULL;
}

static void check_world(const struct role_plan *p, unsigned i)
{
	const struct role_world *w = &p->world[i];
	char name[ROLE_WORLD_NAME_SIZE];

	RULE(w->role < p->file->n && w->index < p->count[w->role]);
	RULE(p->first[w->role] + w->index == i);
	RULE(w->nnodes && w->node + w->nnodes <= p->nnodes);
	for (unsigned n = 0; n < w->nnodes; n++) {
		RULE(w->device + role_world_devices(p, w, n) <=
		     p->devices[w->node + n] + w->device);
		RULE(role_world_procs(p, w, n));
	}
	RULE(strlen(role_world_name(p, w, name)) < sizeof(name));
}

static void check_commands(const struct role_plan *p)
{
	static const unsigned port[ROLE_PORTS_MAX];
	static struct role_address address[ROLE_WORLDS_MAX];
	struct role_names names = {
		.plan = p, .address = address, .lookup = variable};
	struct err err = {""};

	for (unsigned i = 0; i < p->n; i++)
		address[i] = (struct role_address){"n", port};
	for (; names.world < p->n && names.world < 64; names.world++) {
		struct envset set = {0};
		char **argv = role_command(&names, &err);

		RULE(argv ? *argv != NULL : *err.text);
		if (role_env(&names, &set, &err) < 0)
			fuzz_check_error(err.text);
		envset_clear(&set);
		role_command_free(argv);
	}
}

static void check_file(const struct role_file *f)
{
	static const unsigned devices[] = {8, 3, 0};
	unsigned char order[ROLES_MAX];
	struct role_plan p;
	struct err err = {""};

	RULE(f->n && f->n <= ROLES_MAX);
	role_order(f, order);
	for (unsigned i = 0; i < f->n; i++)
		RULE(memchr(order, (int)i, f->n));
	if (role_plan_make(f, 3, devices, &p, &err) < 0) {
		fuzz_check_error(err.text);
		return;
	}
	for (unsigned i = 0; i < p.n; i++)
		check_world(&p, i);
	check_commands(&p);
	role_plan_clear(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	const struct config config = {.port_min = 20000, .port_max = 28999};
	struct err err = {""};
	struct role_file f;

	if (role_file_read(text, "F", variable, NULL, &config, &f, &err) < 0) {
		fuzz_check_error(err.text);
	} else {
		check_file(&f);
		role_file_clear(&f);
	}
	free(text);
	return 0;
}
