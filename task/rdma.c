/* SPDX-License-Identifier: Apache-2.0 */
#include "task/task.h"

#include "core/base/parse.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define CLASS	   "/sys/class/infiniband"
#define DEVICE_MAX 63 /* the kernel's IB_DEVICE_NAME_MAX */

static int is_shown(const struct dirent *e)
{
	return is_word(e->d_name, "-_.", DEVICE_MAX) && e->d_name[0] != '.';
}

static void free_entries(struct dirent **entry, int n)
{
	while (n-- > 0)
		free(entry[n]);
	free(entry);
}

static void put_ports(FILE *f, const char *device)
{
	char path[sizeof(CLASS) + DEVICE_MAX + sizeof("/ports") + 1];
	struct dirent **port = NULL;
	int n;

	snprintf(path, sizeof(path), CLASS "/%.63s/ports", device);
	n = scandir(path, &port, is_shown, alphasort);
	for (int i = 0; i < n; i++)
		fprintf(f, "%s%.63s:%.63s", ftell(f) ? "," : "", device,
			port[i]->d_name);
	free_entries(port, n);
}

int rdma_ports(char **ret, struct err *err)
{
	struct dirent **device = NULL;
	int n = scandir(CLASS, &device, is_shown, alphasort);
	char *text = NULL;
	size_t size;
	FILE *f;

	if (n <= 0) {
		free(device);
		return 0;
	}
	f = open_memstream(&text, &size);
	for (int i = 0; f && i < n; i++)
		put_ports(f, device[i]->d_name);
	free_entries(device, n);
	if (!f || fclose(f) != 0) {
		free(text);
		return err_memory(err);
	}
	if (*text)
		*ret = text;
	else
		free(text);
	return 0;
}
