/* SPDX-License-Identifier: Apache-2.0 */
#include "task/task.h"

#include "core/base/hostlist.h"
#include "core/base/idset.h"
#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/plan/framework.h"
#include "sys/log.h"
#include "sys/socket.h"
#include "sys/text_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Documentation/ABI/testing/sysfs-devices-system-cpu: 0 or 1, since 4.19 */
bool cores_are_single(void)
{
	cleanup_close int fd = open("/sys/devices/system/cpu/smt/active",
				    O_RDONLY | O_CLOEXEC);
	char active;

	return fd >= 0 && read(fd, &active, 1) == 1 && active == '0';
}

/* How many of the CPUs are threads of the first one's core. One file is read
 * and not one for each core, because every task pays for it. Not inlined: most
 * nodes' tasks needn't touch the stack for its text. */
__attribute__((noinline)) static unsigned
threads_per_core(const struct idset *cpus)
{
	cleanup_close int fd = -1;
	struct idset siblings;
	char text[4096];
	unsigned n;
	ssize_t len;

	snprintf(text, sizeof(text),
		 "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
		 idset_next(cpus, 0));
	fd = open(text, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len < 0)
		return 1;
	text[len] = '\0';
	if (idset_parse(text, &siblings) < 0)
		return 1;
	idset_intersect(&siblings, cpus);
	n = idset_count(&siblings);
	return n ? n : 1;
}

unsigned cores_of_self(bool single)
{
	struct idset cpus = {{0}};
	unsigned n, threads;

	if (sched_getaffinity(0, sizeof(cpus), (cpu_set_t *)&cpus) < 0)
		return 0;
	n = idset_count(&cpus);
	threads = single ? 1 : threads_per_core(&cpus);
	return n < threads ? 1 : n / threads;
}

#define RESOLVE_S 30

/* With addr=nic: look up the interface's address, on rank 0's node only. */
static int complete_nic_address(struct job *job, const struct request *r,
				struct err *err)
{
	const char *nic = request_text(r, KEY_ADDR);
	char addr[NI_MAXHOST];

	if (!nic || (job->nnodes > 1 && job->procid != 0))
		return 0;
	if (route_address_of(nic, addr, sizeof(addr)) < 0)
		return err_printf(err,
				  "addr=nic:%s: node %s has no address on "
				  "such an interface",
				  nic, job->node_name);
	job->nic_addr = strdup(addr);
	return job->nic_addr ? 0 : err_memory(err);
}

/* --- rank 0's address --- */

/*
 * A limit on what waits in task_init, in the task's own process before its
 * program starts. Nobody else ends such a wait: with proctrack/linuxproc Slurm
 * sends no SIGKILL to what is still called slurmstepd, and drains a node where
 * that lasts for longer than UnkillableStepTimeout (60 s).
 */

static struct {
	char line[256];
	struct sigaction action;
	sigset_t mask;
} before;

static void on_alarm(int sig)
{
	(void)sig;
	log_text(STDERR_FILENO, before.line);
	_exit(EXIT_FAILURE);
}

/* End this process in so many seconds, with that line on standard error. */
static void time_limit_begin(unsigned seconds, const char *line)
{
	const struct sigaction action = {.sa_handler = on_alarm};
	sigset_t alone;

	snprintf(before.line, sizeof(before.line), "%s", line);
	sigemptyset(&alone);
	sigaddset(&alone, SIGALRM);
	sigaction(SIGALRM, &action, &before.action);
	sigprocmask(SIG_UNBLOCK, &alone, &before.mask);
	alarm(seconds);
}

/* It was in time: nothing is left for the program. */
static void time_limit_end(void)
{
	alarm(0);
	sigaction(SIGALRM, &before.action, NULL);
	sigprocmask(SIG_SETMASK, &before.mask, NULL);
}

/* In this task's own process, so that a slow resolver delays only this task. */
static int resolve_rank0(const struct task *task, const struct job *job,
			 const char *nodes, char *ret, unsigned size)
{
	char line[256];
	int rc;

	snprintf(
		line, sizeof(line),
		"dist-train: %s: no name server has answered within %d s where "
		"%.64s is; put it into /etc/hosts, or write addr=name\n",
		job->node_name, RESOLVE_S, job->rank0_node);
	time_limit_begin(RESOLVE_S, line);
	rc = rank0_address(job->rank0_node, nodes, task->ask_node, ret, size);
	time_limit_end();
	return rc;
}

/* Find rank 0's address where srun couldn't pass it on (a component of a
 * heterogeneous step, srun --async). */
static int complete_address(const struct task *task, struct job *job,
			    const struct request *r, struct err *err)
{
	const char *nodes;
	char addr[NI_MAXHOST];

	if (job->rank0_addr || !job->rank0_node || job->nnodes == 1 ||
	    request_word(r, KEY_ADDR) == ADDR_NAME)
		return 0;
	nodes = task->env.get(task->env.arg, "SLURM_STEP_NODELIST");
	if (resolve_rank0(task, job, nodes, addr, sizeof(addr)) < 0)
		return 0;
	job->rank0_addr = strdup(addr);
	return job->rank0_addr ? 0 : err_memory(err);
}

/* The one node of a step: the processes meet at its loopback, but a rank table
 * has its address. */
static int complete_only_address(struct job *job, const struct task *task,
				 struct err *err)
{
	char addr[NI_MAXHOST];

	if (job->nnodes > 1 || job->rank0_addr || !task->resolved->table ||
	    rank0_address(job->node_name, NULL, NULL, addr, sizeof(addr)) < 0)
		return 0;
	job->rank0_addr = strdup(addr);
	return job->rank0_addr ? 0 : err_memory(err);
}

/* The interface of the key addr=nic, if this node has it too. Else the
 * interface that routes to rank 0: slurmstepd has found it already if the
 * address was the same. */
static int complete_nic(struct job *job, const struct task *task,
			struct err *err)
{
	const struct request *r = task->request;
	const char *ip = job->nnodes == 1 ? ROUTE_LOOPBACK : job->rank0_addr;
	const char *nic = request_text(r, KEY_ADDR);
	struct route route = task->route;
	char addr[NI_MAXHOST];

	if (!ip || !task->resolved->find_nic)
		return 0;
	if (nic && job->nnodes > 1 &&
	    route_address_of(nic, addr, sizeof(addr)) == 0)
		snprintf(route.interface, sizeof(route.interface), "%s", nic);
	else if (strcmp(route.ip, ip) != 0)
		route_find(ip, &route);
	free(job->nic);
	job->nic = *route.interface ? strdup(route.interface) : NULL;
	return *route.interface && !job->nic ? err_memory(err) : 0;
}

/* --- interfaces, and the files in which NCCL finds some: environment
 * variables, as ours, would be stronger than they are --- */

#define SIZE_MAX_CONF (64 * 1024)

/* NCCL takes NAME=value only at the beginning of a line. */
static bool sets_interfaces(const char *path)
{
	static const char name[] = "NCCL_SOCKET_IFNAME=";
	cleanup_free char *text = NULL;
	struct err why;

	if (access(path, R_OK) < 0)
		return false; /* as on most nodes: no error need be worded */
	text = text_file_read(path, SIZE_MAX_CONF, &why);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, sizeof(name) - 1))
			return true;
	}
	return false;
}

/* NCCL_CONF_FILE, else that of the user's home; NULL with an error when out of
 * memory, an empty path when he has neither. */
static char *users_file(const struct task_env *env, struct err *err)
{
	const char *file = env->get(env->arg, "NCCL_CONF_FILE");
	const char *home = env->get(env->arg, "HOME");
	const char *name = "";
	char *path;

	if (!file || !*file) {
		file = home ? home : "";
		name = home ? "/.nccl.conf" : "";
	}
	if (asprintf(&path, "%s%s", file, name) >= 0)
		return path;
	return err_memory_null(err);
}

/* The first of NCCL_CONF_FILE or ~/.nccl.conf, and /etc/nccl.conf, that sets
 * NCCL_SOCKET_IFNAME; the caller frees it. *ret is NULL when none does or can
 * be read: NCCL passes over such a file, too. Fails only when out of memory. */
static int nccl_conf_find(const struct task_env *env, char **ret,
			  struct err *err)
{
	static const char sites[] = "/etc/nccl.conf";
	cleanup_free char *users = users_file(env, err);

	*ret = NULL;
	if (!users)
		return -1;
	if (sets_interfaces(users))
		*ret = strdup(users);
	else if (sets_interfaces(sites))
		*ret = strdup(sites);
	else
		return 0;
	return *ret ? 0 : err_memory(err);
}

/* The node's interfaces, and whether the user's or the site's file chooses
 * among them for NCCL. The files are read only where we would choose. */
static int complete_interfaces(const struct task *task, struct job *job,
			       struct err *err)
{
	const char *names = request_text(task->request, KEY_NIC);
	const struct interfaces *found = task->interfaces;

	free(job->interfaces);
	free(job->nccl_conf);
	job->interfaces = job->nccl_conf = NULL;
	if (!found->n)
		return 0;
	job->interfaces = interfaces_text(found);
	if (!job->interfaces)
		return err_memory(err);
	if (names && interfaces_check(names, found, job->node_name, err) < 0)
		return -1;
	if (request_word(task->request, KEY_NIC) != NIC_AUTO || !job->nic ||
	    job->nnodes == 1 || interfaces_all_lead(found, job->nic))
		return 0;
	return nccl_conf_find(&task->env, &job->nccl_conf, err);
}

/* slurmstepd has asked already where the interface is the same. */
static int address_of(const struct route *route, const char *nic, char *ret,
		      unsigned size)
{
	if (!*route->own || strcmp(route->interface, nic) != 0)
		return route_address_of(nic, ret, size);
	snprintf(ret, size, "%s", route->own);
	return 0;
}

/* The address by which other nodes reach this one, for libraries that need
 * it. */
static int complete_own_address(struct job *job, const struct task *task,
				struct err *err)
{
	const char *names = request_text(task->request, KEY_NIC);
	char first[INTERFACE_NAME_SIZE], addr[NI_MAXHOST];
	const char *nic = names ? first : job->nic;

	if (names)
		interfaces_first(names, task->interfaces, first);
	if (!task->resolved->own_address || !nic || job->nnodes == 1 ||
	    address_of(&task->route, nic, addr, sizeof(addr)) < 0)
		return 0;
	free(job->own_addr);
	job->own_addr = strdup(addr);
	return job->own_addr ? 0 : err_memory(err);
}

/* --- RDMA --- */

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

/* In a task: the RDMA ports of this node as UCX names them, "mlx5_0:1,..." in
 * the order of their names, to be freed; NULL when the kernel shows none. Fails
 * when memory is short. */
static int rdma_ports(char **ret, struct err *err)
{
	struct dirent **device = NULL;
	int n = scandir(CLASS, &device, is_shown, alphasort);
	struct text_stream stream;
	FILE *f;

	if (n <= 0) {
		free(device);
		return 0;
	}
	f = text_stream_open(&stream);
	for (int i = 0; f && i < n; i++)
		put_ports(f, device[i]->d_name);
	free_entries(device, n);
	*ret = text_stream_take(&stream);
	return *ret ? 0 : err_memory(err);
}

/* The RDMA ports, which UCX's list of allowed devices must include. */
static int complete_rdma(struct job *job, const struct request *r,
			 struct err *err)
{
	free(job->rdma);
	job->rdma = NULL;
	if (!(r->framework->needs & NEEDS_PMI) || job->nnodes == 1)
		return 0;
	return rdma_ports(&job->rdma, err);
}

int task_facts_complete(const struct task *task, struct job *job,
			struct err *err)
{
	const struct request *r = task->request;

	if (complete_nic_address(job, r, err) < 0 ||
	    complete_address(task, job, r, err) < 0 ||
	    complete_only_address(job, task, err) < 0 ||
	    complete_nic(job, task, err) < 0 ||
	    complete_interfaces(task, job, err) < 0 ||
	    complete_own_address(job, task, err) < 0)
		return -1;
	return complete_rdma(job, r, err);
}

static int towards_another(const char *node, const char *nodes, char *ret,
			   unsigned size)
{
	char other[HOSTLIST_NAME_MAX];
	struct sockaddr_storage addr;

	for (unsigned i = 0; nodes && i < 2; i++)
		if (hostlist_nth(nodes, i, other) == 0 &&
		    strcmp(other, node) != 0 &&
		    host_address(other, &addr) == 0 &&
		    host_address_towards(&addr, ret, size) == 0)
			return 0;
	return -1;
}

int rank0_address(const char *node, const char *nodes, task_ask_node_fn ask,
		  char *ret, unsigned size)
{
	struct sockaddr_storage addr;

	if (host_address(node, &addr) == 0) {
		if (!host_address_is_loopback(&addr))
			return host_address_text(&addr, ret, size);
		if (towards_another(node, nodes, ret, size) == 0)
			return 0;
	}
	if (!ask || ask(node, &addr) < 0 || host_address_is_loopback(&addr))
		return -1;
	return host_address_text(&addr, ret, size);
}
