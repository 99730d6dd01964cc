/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/step_find.h"

#include "core/base/text.h"
#include "registry/registry.h"
#include "sys/text_file.h"

#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX  (256U << 10)
#define DEPTH_MAX 4 /* of files that include others */
#define WORDS_MAX 64
#define BLANKS	  " \t\r"
#define PLUGIN	  "dist_train"

/* Where slurm.conf and plugstack.conf of a cluster lie that gives them out
 * itself (configless), and elsewhere. */
static const char *const usual_files[] = {
	"/run/slurm/conf/plugstack.conf",
	"/etc/slurm/plugstack.conf",
};

static int read_file(const char *path, unsigned depth, struct site_ports *ret);

static int include(const char *pattern, unsigned depth, struct site_ports *ret)
{
	glob_t found;
	int rc = -1;

	if (depth == DEPTH_MAX || glob(pattern, 0, NULL, &found) != 0)
		return -1;
	for (size_t i = 0; i < found.gl_pathc && rc < 0; i++)
		rc = read_file(found.gl_pathv[i], depth + 1, ret);
	globfree(&found);
	return rc;
}

static int take_arguments(const char *plugin, int argc, char *argv[],
			  const char *path, struct site_ports *ret)
{
	struct config config;
	struct err unused;

	config_parse(argc, argv, &config, &unused);
	ret->min = config.port_min;
	ret->max = config.port_max;
	snprintf(ret->option, sizeof(ret->option), "%s", config.option);
	snprintf(ret->plugin, sizeof(ret->plugin), "%s", plugin);
	snprintf(ret->file, sizeof(ret->file), "%s", path);
	snprintf(ret->stagedir, sizeof(ret->stagedir), "%s",
		 config.stagedir ? config.stagedir : "");
	ret->stage = config.stage;
	config_clear(&config);
	return 0;
}

static bool is_ours(const char *file)
{
	const char *slash = strrchr(file, '/');

	return !strncmp(slash ? slash + 1 : file, PLUGIN, strlen(PLUGIN));
}

/* "required|optional FILE ARGUMENT...", or "include PATTERN". */
static int read_line(char *line, const char *path, unsigned depth,
		     struct site_ports *ret)
{
	char *word[WORDS_MAX], *rest = NULL;
	int n = 0;

	line[strcspn(line, "#")] = '\0';
	for (char *w = strtok_r(line, BLANKS, &rest); w && n < WORDS_MAX;
	     w = strtok_r(NULL, BLANKS, &rest))
		word[n++] = w;
	if (n < 2)
		return -1;
	if (!strcmp(word[0], "include"))
		return include(word[1], depth, ret);
	if ((strcmp(word[0], "required") && strcmp(word[0], "optional")) ||
	    !is_ours(word[1]))
		return -1;
	return take_arguments(word[1], n - 2, word + 2, path, ret);
}

static int read_file(const char *path, unsigned depth, struct site_ports *ret)
{
	struct err unused;
	cleanup_free char *text = text_file_read(path, FILE_MAX, &unused);
	char *rest = NULL;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		if (read_line(line, path, depth, ret) == 0)
			return 0;
	return -1;
}

int site_ports_read(const char *path, struct site_ports *ret)
{
	*ret = (struct site_ports){.min = 0};
	return read_file(path, 0, ret);
}

/* --- which file --- */

static int read_beside(const char *slurm_conf, struct site_ports *ret)
{
	char path[PATH_MAX];
	const char *slash = slurm_conf ? strrchr(slurm_conf, '/') : NULL;

	if (!slash || snprintf(path, sizeof(path), "%.*s/plugstack.conf",
			       (int)(slash - slurm_conf),
			       slurm_conf) >= (int)sizeof(path))
		return -1;
	return site_ports_read(path, ret);
}

/* The controller's paths need not be this host's. */
static int read_as_slurm_says(const char *text, struct site_ports *ret)
{
	char path[PATH_MAX];

	if (text_setting(text, "PlugStackConfig", path, sizeof(path)) &&
	    site_ports_read(path, ret) == 0)
		return 0;
	return text_setting(text, "SLURM_CONF", path, sizeof(path))
		       ? read_beside(path, ret)
		       : -1;
}

static void read_anywhere(const char *text, struct site_ports *ret)
{
	if (read_as_slurm_says(text, ret) == 0 ||
	    read_beside(getenv("SLURM_CONF"), ret) == 0)
		return;
	for (size_t i = 0; i < sizeof(usual_files) / sizeof(*usual_files); i++)
		if (site_ports_read(usual_files[i], ret) == 0)
			return;
}

void site_ports_srun(const char *config, struct site_ports *ret)
{
	char range[PATH_MAX];

	*ret->mpi_params = '\0';
	text_setting(config, "MpiParams", ret->mpi_params,
		     sizeof(ret->mpi_params));
	if (!text_setting(config, "SrunPortRange", range, sizeof(range)) ||
	    sscanf(range, "%u-%u", &ret->srun_min, &ret->srun_max) != 2 ||
	    ret->srun_max < ret->srun_min || ret->srun_max > UINT16_MAX)
		ret->srun_min = ret->srun_max = 0;
}

void site_ports_find(struct site_ports *ret, struct auth *ret_auth)
{
	struct err unused;
	cleanup_free char *text = scontrol_show("config", NULL, &unused);

	read_anywhere(text ? text : "", ret);
	site_ports_srun(text ? text : "", ret);
	auth_of_config(text ? text : "", ret_auth);
}
