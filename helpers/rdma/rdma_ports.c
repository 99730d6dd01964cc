/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/rdma/rdma_ports.h"

#include "core/base/text.h"
#include "sys/proc_file.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLASS	 "/sys/class/infiniband"
#define GIDS_MAX 256

/* A file of the port, without its newline; "" when it can't be read. */
static void read_word(char *ret, size_t size, const char *root,
		      const struct rdma_port *p, const char *file)
{
	if (sysfs_read(ret, size, root, CLASS "/%s/ports/%u/%s", p->device,
		       p->port, file) < 0)
		*ret = '\0';
	ret[strcspn(ret, "\n")] = '\0';
}

/* "4: ACTIVE" */
static void read_state(char *ret, size_t size, const char *root,
		       const struct rdma_port *p, const char *file)
{
	char text[64];
	const char *word;

	read_word(text, sizeof(text), root, p, file);
	word = strstr(text, ": ");
	snprintf(ret, size, "%.*s", (int)size - 1, word ? word + 2 : text);
	for (char *c = ret; *c; c++)
		if (*c == ' ')
			*c = '_';
}

/* The first index with type RoCE v2 whose GID is an IPv4 address: NCCL and
 * others want it where a router stands between the nodes. */
static int find_gid(const char *root, const struct rdma_port *p)
{
	static const char mapped[] = "0000:0000:0000:0000:0000:ffff:";
	char file[48], text[64];

	for (int i = 0; i < GIDS_MAX; i++) {
		snprintf(file, sizeof(file), "gids/%d", i);
		read_word(text, sizeof(text), root, p, file);
		if (!*text)
			return -1;
		if (strncmp(text, mapped, strlen(mapped)) != 0)
			continue;
		snprintf(file, sizeof(file), "gid_attrs/types/%d", i);
		read_word(text, sizeof(text), root, p, file);
		if (!strcmp(text, "RoCE v2"))
			return i;
	}
	return -1;
}

static void read_errors(const char *root, struct rdma_port *p)
{
	static const char *const counters[] = {
		"symbol_error", "link_error_recovery",
		"local_link_integrity_errors", "port_rcv_errors"};
	char file[64], text[32];

	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		snprintf(file, sizeof(file), "counters/%s", counters[i]);
		read_word(text, sizeof(text), root, p, file);
		if (*text && strcmp(text, "0") != 0)
			text_add(p->errors, sizeof(p->errors), " ", "%s=%s",
				 counters[i], text);
	}
}

static void read_port(const char *root, const char *device, unsigned port,
		      struct rdma_ports *ports)
{
	struct rdma_port *p = &ports->port[ports->n];
	char text[64];

	if (ports->n == RDMA_PORTS_MAX)
		return;
	ports->n++;
	*p = (struct rdma_port){.port = port, .gid_index = -1};
	snprintf(p->device, sizeof(p->device), "%.23s", device);
	read_state(p->state, sizeof(p->state), root, p, "state");
	read_state(p->physical, sizeof(p->physical), root, p, "phys_state");
	read_word(text, sizeof(text), root, p, "rate");
	p->rate_gbps = (unsigned)strtoul(text, NULL, 10);
	read_word(text, sizeof(text), root, p, "link_layer");
	p->infiniband = strcmp(text, "Ethernet") != 0;
	if (!p->infiniband)
		p->gid_index = find_gid(root, p);
	read_errors(root, p);
}

static int not_dots(const struct dirent *e)
{
	return *e->d_name != '.';
}

/* Call `visit` with each name of the folder, in the order of people. */
static void each_name(const char *root, const char *folder,
		      void (*visit)(const char *root, const char *name,
				    struct rdma_ports *ports),
		      struct rdma_ports *ports)
{
	struct dirent **names;
	char path[PATH_MAX];
	int n;

	snprintf(path, sizeof(path), "%s%s", root, folder);
	n = scandir(path, &names, not_dots, versionsort);
	if (n < 0)
		return;
	for (int i = 0; i < n; i++) {
		visit(root, names[i]->d_name, ports);
		free(names[i]);
	}
	free(names);
}

/* The ports of a device are numbered from 1 on. */
static void visit_device(const char *root, const char *name,
			 struct rdma_ports *ports)
{
	char state[16];

	for (unsigned port = 1;; port++) {
		if (sysfs_read(state, sizeof(state), root,
			       CLASS "/%.23s/ports/%u/state", name, port) < 0)
			return;
		read_port(root, name, port, ports);
	}
}

static void visit_verbs(const char *root, const char *name,
			struct rdma_ports *ports)
{
	char path[PATH_MAX];

	if (strncmp(name, "uverbs", 6) != 0 || *ports->denied)
		return;
	snprintf(path, sizeof(path), "%s/dev/infiniband/%s", root, name);
	if (access(path, R_OK | W_OK) < 0)
		snprintf(ports->denied, sizeof(ports->denied), "%.31s", name);
}

void rdma_look(const char *root, struct rdma_ports *ret)
{
	char path[PATH_MAX];

	memset(ret, 0, sizeof(*ret));
	each_name(root, CLASS, visit_device, ret);
	if (!ret->n)
		return;
	each_name(root, "/sys/class/infiniband_verbs", visit_verbs, ret);
	snprintf(path, sizeof(path), "%s/sys/module/nvidia_peermem", root);
	ret->peermem = access(path, F_OK) == 0;
	snprintf(path, sizeof(path), "%s/sys/module/nv_peer_mem", root);
	ret->peermem |= access(path, F_OK) == 0;
}
