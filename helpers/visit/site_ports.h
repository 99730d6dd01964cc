/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The administrator's ports, at which launchers meet: the argument ports= of
 * our plugin's line in plugstack.conf, which users may read. Where that file
 * isn't on this host, the usual ones.
 */
#ifndef DT_HELPERS_VISIT_SITE_PORTS_H
#define DT_HELPERS_VISIT_SITE_PORTS_H

#include "core/base/err.h"

#include <limits.h>

struct site_ports {
	unsigned min, max;     /* 0: no line of ours was found */
	char option[64];       /* the name of the plugin's option */
	char plugin[PATH_MAX]; /* as the line names it */
	char file[PATH_MAX];   /* in which the line stands */
};

/* Ask Slurm for its files, and read them. Blocks, 20 s at most. */
void site_ports_find(struct site_ports *ret);

/* The line of our plugin in a plugstack.conf, and in what it includes. Returns
 * 0, or -1: there is none, or it can't be read. */
int site_ports_read(const char *path, struct site_ports *ret);

#endif
