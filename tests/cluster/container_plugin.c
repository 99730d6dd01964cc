/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A SPANK plugin for the suite, in the place of pyxis with enroot: a node's
 * tasks are put into one container of the user's, which the first of them
 * starts in its task_init. It is a user and a mount namespace with another root
 * directory, and its environment is that of the first task with the image's
 * over it; each task takes it over before it enters.
 *
 *	container.so ROOT [noproc|nonet]
 *
 * noproc: nothing is on /proc; nonet: a network namespace, with loopback alone.
 * ROOT/bin/sh is a shell, ROOT/etc/environment has lines of NAME=VALUE. An
 * image with PYTORCH_VERSION gets what enroot's hook 50-slurm-pytorch.sh adds
 * for the node, and what pyxis adds for each task.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* As pyxis, which doesn't export SPANK_PLUGIN's spank_plugin_version. */
extern const char plugin_name[], plugin_type[];
extern const unsigned int plugin_version;
const char plugin_name[] = "container", plugin_type[] = "spank";
const unsigned int plugin_version = SLURM_VERSION_NUMBER;

int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv);
int slurm_spank_task_init(spank_t sp, int argc, char **argv);

#define ENV_SIZE (1 << 20)

static int no_proc, no_net;

/* What a node's tasks share. */
static struct {
	pthread_mutex_t lock;
	unsigned inside;
	pid_t pid;
} * shared;

static int failed(const char *what)
{
	fprintf(stderr, "container: %s: %s\n", what, strerror(errno));
	return -1;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc = -1;

	if (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text))
		rc = 0;
	if (fd >= 0)
		close(fd);
	return rc;
}

/* --- the container ----------------------------------------------------------
 */

static int map_self(uid_t uid, gid_t gid)
{
	char users[64], groups[64];

	snprintf(users, sizeof(users), "%u %u 1", uid, uid);
	snprintf(groups, sizeof(groups), "%u %u 1", gid, gid);
	return write_file("/proc/self/setgroups", "deny") < 0 ||
			       write_file("/proc/self/uid_map", users) < 0 ||
			       write_file("/proc/self/gid_map", groups) < 0
		       ? -1
		       : 0;
}

static int bind_into(const char *root, const char *dir)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s%s", root, dir);
	return mount(dir, path, NULL, MS_BIND | MS_REC, NULL);
}

/* enroot does so, too */
static int start_loopback(void)
{
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc = -1;

	if (fd >= 0) {
		rc = ioctl(fd, SIOCSIFFLAGS, &lo);
		close(fd);
	}
	return rc;
}

static int change_root(const char *root)
{
	char tmp[4096];

	snprintf(tmp, sizeof(tmp), "%s/tmp", root);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(root, root, NULL, MS_BIND | MS_REC, NULL) < 0 ||
	    bind_into(root, "/dev") < 0 ||
	    (!no_proc && bind_into(root, "/proc") < 0) ||
	    mount("tmpfs", tmp, "tmpfs", 0, "mode=1777") < 0 ||
	    chdir(root) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
	    umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return -1;
	return 0;
}

/* What pyxis doesn't tell the container of the first task. */
static int is_kept_back(const char *pair)
{
	static const char *const names[] = {
		"PATH=",	 "LD_LIBRARY_PATH=", "LD_PRELOAD=",
		"SLURM_PROCID=", "SLURM_LOCALID=",   "SLURM_TASK_PID=",
		"PMIX_RANK=",	 "PMI_FD=",	     NULL,
	};

	for (int i = 0; names[i]; i++)
		if (!strncmp(pair, names[i], strlen(names[i])))
			return 1;
	return 0;
}

static void set_from(const char *name, const char *from)
{
	const char *value = getenv(from);

	if (value)
		setenv(name, value, 1);
}

/* enroot's hook. The cluster's nodes are node1, node[1-2] and so on. */
static void run_pytorch_hook(void)
{
	const char *nodes = getenv("SLURM_STEP_NODELIST");
	char text[64];

	if (!getenv("PYTORCH_VERSION"))
		return;
	snprintf(text, sizeof(text), "node%d",
		 nodes ? atoi(nodes + strcspn(nodes, "0123456789")) : 0);
	setenv("MASTER_ADDR", text, 1);
	snprintf(text, sizeof(text), "%d",
		 atoi(getenv("SLURM_JOB_ID")) % 4536 + 61000);
	setenv("MASTER_PORT", text, 1);
	set_from("WORLD_SIZE", "SLURM_NTASKS");
}

/* The first task's environment, and the image's over it. */
static void take_environment(char **env)
{
	char line[4096], *end;
	FILE *f = fopen("/etc/environment", "re");

	clearenv();
	for (; *env; env++)
		if (!is_kept_back(*env))
			putenv(*env);
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		end = strchr(line, '=');
		if (!end)
			continue;
		*end = '\0';
		setenv(line, end + 1, 1);
	}
	if (f)
		fclose(f);
	run_pytorch_hook();
}

/* The first process in it, which only keeps it until all tasks are inside.
 * Says so on `fd`. */
static void be_container(const char *root, char **env, int fd)
{
	static char *const argv[] = {"/bin/sh", "-c", "echo; read -r line",
				     NULL};
	uid_t uid = geteuid();
	gid_t gid = getegid();

	prctl(PR_SET_DUMPABLE, 1);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | no_net) < 0 ||
	    map_self(uid, gid) < 0 || (no_net && start_loopback() < 0) ||
	    change_root(root) < 0) {
		failed("start");
		_exit(1);
	}
	take_environment(env);
	dup2(fd, STDOUT_FILENO);
	execv(argv[0], argv);
	failed("execute");
	_exit(1);
}

/* It isn't a child of the task, whose program would meet it. */
static pid_t start(const char *root, char **env)
{
	int said[2], hold[2], ready[2];
	pid_t pid = -1;
	char word;

	if (pipe2(said, O_CLOEXEC) < 0 || pipe2(hold, O_CLOEXEC) < 0 ||
	    pipe2(ready, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		pid = fork();
		if (pid == 0) {
			setsid();
			dup2(hold[0], STDIN_FILENO);
			fcntl(hold[1], F_SETFD, 0); /* never ends by itself */
			be_container(root, env, ready[1]);
		}
		dprintf(said[1], "%d\n", pid);
		_exit(0);
	}
	close(said[1]);
	close(ready[1]);
	close(hold[0]);
	close(hold[1]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	pid = 0;
	while (read(said[0], &word, 1) == 1 && word != '\n')
		pid = pid * 10 + word - '0';
	if (read(ready[0], &word, 1) != 1)
		pid = -1;
	close(said[0]);
	close(ready[0]);
	return pid;
}

/* --- a task
 * ------------------------------------------------------------------- */

static void copy_env(spank_t sp, const char *from, const char *to)
{
	char value[256];

	if (spank_getenv(sp, from, value, sizeof(value)) == ESPANK_SUCCESS)
		spank_setenv(sp, to, value, 1);
}

/* pyxis, for each task of an image with PyTorch */
static void set_ranks(spank_t sp)
{
	char value[256];

	if (spank_getenv(sp, "PYTORCH_VERSION", value, sizeof(value)) !=
	    ESPANK_SUCCESS)
		return;
	copy_env(sp, "SLURM_PROCID", "RANK");
	copy_env(sp, "SLURM_LOCALID", "LOCAL_RANK");
}

static int take_over(spank_t sp, pid_t pid)
{
	static char all[ENV_SIZE];
	char path[64];
	ssize_t n, size = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return failed(path);
	while ((n = read(fd, all + size, sizeof(all) - 1 - (size_t)size)) > 0)
		size += n;
	close(fd);
	spank_unsetenv(sp, "LANG");
	spank_unsetenv(sp, "LANGUAGE");
	spank_unsetenv(sp, "LC_ALL");
	for (char *p = all; p < all + size; p += strlen(p) + 1) {
		char *value = strchr(p, '=');

		if (!value)
			continue;
		*value = '\0';
		spank_setenv(sp, p, value + 1, 1);
		p = value + 1;
	}
	set_ranks(sp);
	return 0;
}

static int join(pid_t pid, const char *name, int type)
{
	char path[64];
	int fd, rc;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return failed(path);
	rc = setns(fd, type);
	close(fd);
	return rc < 0 ? failed("setns") : 0;
}

int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv)
{
	pthread_mutexattr_t attr;

	(void)sp;
	(void)argc;
	(void)argv;
	if (spank_context() != S_CTX_REMOTE)
		return 0;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -1;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &attr);
	return 0;
}

int slurm_spank_task_init(spank_t sp, int argc, char **argv)
{
	unsigned ntasks = 0;
	uint32_t step = 0;
	char **env;
	int rc = 0;

	spank_get_item(sp, S_JOB_STEPID, &step);
	if (argc < 1 || step >= 0xfffffff0)
		return 0;
	spank_get_item(sp, S_JOB_LOCAL_TASK_COUNT, &ntasks);
	spank_get_item(sp, S_JOB_ENV, &env);
	no_proc = argc > 1 && !strcmp(argv[1], "noproc");
	no_net = argc > 1 && !strcmp(argv[1], "nonet") ? CLONE_NEWNET : 0;
	pthread_mutex_lock(&shared->lock);
	if (!shared->inside)
		shared->pid = start(argv[0], env);
	if (shared->pid <= 0 || take_over(sp, shared->pid) < 0 ||
	    join(shared->pid, "user", CLONE_NEWUSER) < 0 ||
	    join(shared->pid, "mnt", CLONE_NEWNS) < 0 ||
	    (no_net && join(shared->pid, "net", no_net) < 0) || chdir("/") < 0)
		rc = -1;
	if (++shared->inside == ntasks && shared->pid > 0)
		kill(shared->pid, SIGKILL);
	pthread_mutex_unlock(&shared->lock);
	return rc;
}
