/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files of /sys and /proc, each below a root folder that is "" but in
 * tests.
 */
#ifndef DT_SYS_SYSFS_H
#define DT_SYS_SYSFS_H

#include "core/base/idset.h"

#include <stddef.h>

/* Read a file whole, as far as it fits, and end it with a NUL. Returns 0, or
 * -1 when it can't be read. */
int sysfs_read(char *buf, size_t size, const char *root, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* A file that holds one number; -1 when there is none. */
int sysfs_number(const char *root, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A file that holds a list such as "0-3,8"; returns 0 or -1. */
int sysfs_set(struct idset *ret, const char *root, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Call `visit` with each name of a folder below `root`, in no order. */
void sysfs_each(const char *root, const char *folder,
		void (*visit)(void *arg, const char *root, const char *name),
		void *arg);

/* The CPUs of this process. */

/* How many it may use; 0 where these are all of the machine's. Reads a file of
 * sysfs. */
unsigned cpus_if_bound(void);

#endif
