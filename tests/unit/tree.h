/* SPDX-License-Identifier: Apache-2.0 */
/* A made-up /sys and /proc below a temporary folder. */
#ifndef DT_TESTS_TREE_H
#define DT_TESTS_TREE_H

#include "tests/unit/unit.h"

#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
	char root[32];
};

static inline void tree_open(struct tree *t)
{
	static const char start[] = "/tmp/dist-train-";

	memset(t, 0, sizeof(*t));
	strcpy(t->root, start);
	memset(t->root + strlen(start), 'X', 6); /* for mkdtemp() */
	assert_non_null(mkdtemp(t->root));
}

/* Make all folders on the way to `path`. */
static inline void tree_folders(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
}

/* Write a file; its path is printf-like. */
__attribute__((format(printf, 3, 4))) static inline void
tree_file(const struct tree *t, const char *text, const char *fmt, ...)
{
	char path[PATH_MAX];
	size_t n = (size_t)snprintf(path, sizeof(path), "%s", t->root);
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	vsnprintf(path + n, sizeof(path) - n, fmt, ap);
	va_end(ap);
	tree_folders(path);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static inline void tree_close(const struct tree *t)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", t->root);
	assert_int_equal(system(command), 0);
}

/* One NUMA node of a machine with SMT: `first` to `first + n - 1`, and their
 * siblings `away` further on. */
static inline void tree_node(const struct tree *t, unsigned node,
			     unsigned package, unsigned first, unsigned n,
			     unsigned away)
{
	char text[128];

	snprintf(text, sizeof(text), "%u-%u,%u-%u\n", first, first + n - 1,
		 first + away, first + away + n - 1);
	tree_file(t, text, "/sys/devices/system/node/node%u/cpulist", node);
	for (unsigned i = 0; i < 2 * n; i++) {
		unsigned core = first + i % n;
		unsigned cpu = i < n ? core : core + away;
		static const char dir[] = "/sys/devices/system/cpu";

		snprintf(text, sizeof(text), "%u,%u\n", core, core + away);
		tree_file(t, text, "%s/cpu%u/topology/thread_siblings_list",
			  dir, cpu);
		snprintf(text, sizeof(text), "%u\n", package);
		tree_file(t, text, "%s/cpu%u/topology/physical_package_id", dir,
			  cpu);
	}
}

/* An NVIDIA device as its driver and the PCI bus show it. */
static inline void tree_nvidia(const struct tree *t, unsigned minor,
			       const char *pci, int node)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "Model: \t\t Tesla\nIRQ:   \t\t 42\nGPU UUID: \t GPU-0\n"
		 "Bus Location: \t %s\nDevice Minor: \t %u\n"
		 "GPU Excluded:\t No\n",
		 pci, minor);
	tree_file(t, text, "/proc/driver/nvidia/gpus/%s/information", pci);
	snprintf(text, sizeof(text), "%d\n", node);
	tree_file(t, text, "/sys/bus/pci/devices/%s/numa_node", pci);
}

#endif
