/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plugin's arguments in plugstack.conf: the table of their names and
 * meanings, and config_parse(), which srun, slurmstepd, the launcher and
 * `dist-train explain --conf` call. Bad arguments are refused, with what
 * would be right.
 */
#include "registry/registry.h"

#include "core/base/parse.h"
#include "core/option/option.h"

#include <string.h>

#define PORT_FIRST 20000
#define PORT_LAST  28999

/* clang-format off */
const struct config_arg config_args[CONFIG_COUNT] = {
	[CONFIG_OPTION] = {"option", "NAME", CONFIG_OPTION_NAME,
		"name of the command-line option"},
	[CONFIG_ALLOW] = {"allow", "FRAMEWORK[,...]", "all",
		"frameworks that users may ask for"},
	[CONFIG_DEFAULT] = {"default", "KEY=VALUE[,...]", "none",
		"keys that apply when a user gives the option without them; "
		"they never turn the option on"},
	[CONFIG_PORTS] = {"ports", "MIN-MAX", "20000-28999",
		"ports for the coordinator where Slurm reserves none "
		"(MpiParams); they must be outside of the kernel's ephemeral "
		"range"},
	[CONFIG_ADDR] = {"addr", "VALUE", "auto",
		"default of the key addr"},
	[CONFIG_NIC] = {"nic", "VALUE", "auto",
		"default of the key nic"},
	[CONFIG_GRACE] = {"grace", "SECONDS", "30",
		"default of the key grace"},
	[CONFIG_RUNDIR] = {"rundir", "DIR", "none",
		"folder for the files of a step, such as rank tables: on "
		"each node, or shared by all nodes; its mode must be 1777, as "
		"that of /tmp, which is the default"},
	[CONFIG_PROFILEDIR] = {"profiledir", "DIR", "the installed ones",
		"folder with the profiles (NAME.conf) on each node; root "
		"must own it"},
	[CONFIG_PROFILE] = {"profile", "NAME[@PARTITION|@FEATURE]", "none",
		"default profile: everywhere, in one partition, or on nodes "
		"with a feature; may be given several times"},
	[CONFIG_INVENTORY] = {"inventory", "FILE", "none",
		"file with the devices of the cluster: addresses, super "
		"pods, NVLink domains; it is read as the user"},
	[CONFIG_MPI] = {"mpi", "auto|off", "auto",
		"auto turns PMIx on (srun's --mpi=pmix) for frameworks that "
		"need it and for exchange=pmix"},
	[CONFIG_STAGE] = {"stage", "userns|path|off", "userns",
		"how processes see what the key stage has brought to a node. "
		"userns: a private read-only mount in a user namespace, or "
		"path where the kernel doesn't allow that; path: PATH and "
		"Python's search path point to the copy; off: nothing is "
		"brought"},
	[CONFIG_STAGEDIR] = {"stagedir", "DIR", "/tmp or /dev/shm",
		"folder of each node's own for the copies of the key stage, "
		"below which each user has one; its mode must be 1777. "
		"SLURM_TMPDIR goes before it"},
	[CONFIG_STAGEKEEP] = {"stagekeep", "SIZE", "all",
		"how much of a user's copies of the key stage stays on a node "
		"when a step of his ends, as 20G; 0: nothing. A user's own "
		"stage-keep may be less"},
};
/* clang-format on */

static int parse_ports(const char *value, struct config *c, struct err *err)
{
	char first[8], shown[SHOW_SIZE];
	const char *dash = strchr(value, '-');
	long min, max;

	if (!dash || dash - value >= (long)sizeof(first))
		return err_printf(err, "ports=%s: must be MIN-MAX",
				  show(shown, value));
	snprintf(first, sizeof(first), "%.*s", (int)(dash - value), value);
	if (parse_number(first, 1024, 65535, &min) < 0 ||
	    parse_number(dash + 1, 1024, 65535, &max) < 0 || max < min)
		return err_printf(err,
				  "ports=%s: must be MIN-MAX within 1024-65535",
				  show(shown, value));
	c->port_min = (unsigned)min;
	c->port_max = (unsigned)max;
	return 0;
}

/* The error of an argument's value that says itself what is wrong. */
static int bad_arg(const char *name, const char *value, const struct err *why,
		   struct err *err)
{
	char shown[SHOW_SIZE];

	return err_printf(err, "%s=%s: %.700s", name, show(shown, value),
			  why->text);
}

/* `with` is taken over; NULL: out of memory. */
static int replace(char **text, char *with, struct err *err)
{
	if (!with)
		return err_memory(err);
	free(*text);
	*text = with;
	return 0;
}

/* A new text: `more` behind the other one, which may be NULL. */
static char *joined(const char *text, char between, const char *more)
{
	char *all;

	if (!text)
		return strdup(more);
	return asprintf(&all, "%s%c%s", text, between, more) < 0 ? NULL : all;
}

static int add_defaults(const char *pairs, struct config *c, struct err *err)
{
	char *all = joined(c->defaults, ',', pairs);

	if (all && request_check_defaults(all, err) < 0) {
		free(all);
		return -1;
	}
	return replace(&c->defaults, all, err);
}

static int parse_path(const char *name, const char *value, char **ret,
		      struct err *err)
{
	char shown[SHOW_SIZE];

	if (*value != '/')
		return err_printf(err, "%s=%s: must be an absolute path", name,
				  show(shown, value));
	return replace(ret, strdup(value), err);
}

static int add_allowed(const char *name, char **allow, struct err *err)
{
	const struct framework *fw = framework_find(name, err);

	return fw ? replace(allow, joined(*allow, ',', fw->name), err) : -1;
}

/* The names of allow= as frameworks call themselves. */
static int parse_allow(const char *value, char **ret, struct err *err)
{
	cleanup_free char *allow = NULL;

	for (const char *p = value;; p++) {
		size_t len = strcspn(p, ",");
		cleanup_free char *name = strndup(p, len);

		if (!name)
			return err_memory(err);
		if (add_allowed(name, &allow, err) < 0)
			return -1;
		p += len;
		if (!*p)
			break;
	}
	free(*ret);
	*ret = allow;
	allow = NULL;
	return 0;
}

static int add_profile(const char *value, struct config *c, struct err *err)
{
	char shown[SHOW_SIZE];

	if (!is_word(value, "._-@", 255) || *value == '.' || *value == '@' ||
	    strchr(value, '@') != strrchr(value, '@') ||
	    value[strlen(value) - 1] == '@')
		return err_printf(
			err, "profile=%s: must be NAME[@PARTITION|@FEATURE]",
			show(shown, value));
	return replace(&c->profiles, joined(c->profiles, ' ', value), err);
}

static int set_option(const char *value, struct config *c, struct err *err)
{
	char shown[SHOW_SIZE];

	if (!is_word(value, "-_", sizeof(c->option) - 1) || *value == '-')
		return err_printf(
			err,
			"option=%s: must be a name of letters, digits and '-'",
			show(shown, value));
	strcpy(c->option, value);
	return 0;
}

/* The number of the word in `words` to *ret. */
static int read_word(const char *name, const char *words, const char *value,
		     int *ret, struct err *err)
{
	const struct option_key key = {.name = name, .words = words};
	struct option_value v;

	if (value_parse(&key, value, &v, err) < 0)
		return -1;
	*ret = v.word;
	return 0;
}

static int parse_mpi(const char *value, struct config *c, struct err *err)
{
	int off;

	if (read_word("mpi", "auto off", value, &off, err) < 0)
		return -1;
	c->choose_pmix = !off;
	return 0;
}

/* The plugin itself mounts nothing: doc/design/helpers-stage-view.md. */
static int parse_stage(const char *value, struct config *c, struct err *err)
{
	return read_word("stage", "userns path off", value, &c->stage, err);
}

static int parse_stagekeep(const char *value, struct config *c, struct err *err)
{
	static const struct option_key keep = {.name = "stagekeep",
					       .words = "all",
					       .value = "SIZE",
					       .kind = KIND_SIZE,
					       .max = SIZE_MAX_BYTES};
	struct option_value v;

	if (value_parse(&keep, value, &v, err) < 0)
		return -1;
	c->stagekeep = v.number;
	return 0;
}

/* `arg` is the whole NAME=VALUE, which for addr, nic and grace is at once the
 * key of that name. */
static int apply_arg(enum config_id id, const char *arg, struct config *c,
		     struct err *err)
{
	const char *value = strchr(arg, '=') + 1;
	struct err why;

	switch (id) {
	case CONFIG_OPTION:
		return set_option(value, c, err);
	case CONFIG_ALLOW:
		if (parse_allow(value, &c->allow, &why) == 0)
			return 0;
		return bad_arg("allow", value, &why, err);
	case CONFIG_DEFAULT:
		if (add_defaults(value, c, &why) == 0)
			return 0;
		return bad_arg("default", value, &why, err);
	case CONFIG_PORTS:
		return parse_ports(value, c, err);
	case CONFIG_ADDR:
	case CONFIG_NIC:
	case CONFIG_GRACE:
		return add_defaults(arg, c, err);
	case CONFIG_RUNDIR:
		return parse_path("rundir", value, &c->rundir, err);
	case CONFIG_INVENTORY:
		return parse_path("inventory", value, &c->inventory, err);
	case CONFIG_PROFILEDIR:
		return parse_path("profiledir", value, &c->profiledir, err);
	case CONFIG_PROFILE:
		return add_profile(value, c, err);
	case CONFIG_MPI:
		return parse_mpi(value, c, err);
	case CONFIG_STAGE:
		return parse_stage(value, c, err);
	case CONFIG_STAGEKEEP:
		return parse_stagekeep(value, c, err);
	case CONFIG_STAGEDIR:
		return parse_path("stagedir", value, &c->stagedir, err);
	default:
		return err_printf(err, "this version doesn't support it yet");
	}
}

static const char *arg_name_nth(size_t n)
{
	return n < CONFIG_COUNT ? config_args[n].name : NULL;
}

static int parse_arg(const char *arg, struct config *c, struct err *err)
{
	size_t len = strcspn(arg, "=");

	for (int i = 0; i < CONFIG_COUNT; i++) {
		const struct config_arg *a = &config_args[i];

		if (strlen(a->name) != len || memcmp(a->name, arg, len) != 0)
			continue;
		if (!arg[len] || !arg[len + 1])
			return err_printf(err, "%s has no value; write %s=%s",
					  a->name, a->name, a->value);
		if (!strcmp(arg + len + 1, a->initial))
			return 0; /* the default */
		return apply_arg((enum config_id)i, arg, c, err);
	}
	return unknown_word(err, "argument", arg, arg_name_nth);
}

int config_own_defaults(const char *text, struct config *config,
			struct err *err)
{
	struct err why;

	if (!text || !*text)
		return 0;
	if (request_check_defaults(text, &why) < 0)
		return err_printf(err, CONFIG_OWN_DEFAULTS ": %.900s",
				  why.text);
	if (replace(&config->own_defaults, strdup(text), err) < 0)
		return -1;
	return replace(
		&config->defaults,
		joined(config->defaults ? config->defaults : "", '\n', text),
		err);
}

int config_parse(int argc, char *const argv[], struct config *ret,
		 struct err *err)
{
	int rc = 0;

	*ret = (struct config){
		.option = CONFIG_OPTION_NAME,
		.port_min = PORT_FIRST,
		.port_max = PORT_LAST,
		.choose_pmix = true,
		.stagekeep = -1,
	};
	for (int i = 0; i < argc; i++) {
		struct err first;

		if (parse_arg(argv[i], ret, &first) < 0 && rc == 0) {
			*err = first;
			rc = -1;
		}
	}
	return rc;
}

void config_clear(struct config *config)
{
	free(config->allow);
	free(config->defaults);
	free(config->own_defaults);
	free(config->rundir);
	free(config->stagedir);
	free(config->inventory);
	free(config->profiledir);
	free(config->profiles);
	*config = (struct config){0};
}
