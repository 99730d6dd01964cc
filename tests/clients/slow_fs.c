/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shared file system that is far away: a folder seen through FUSE, read-only.
 * Each call about metadata takes so long, so many at a time are served, and all
 * bytes of all clients go through one pipe. Clients, which may be on several
 * nodes, share a state: a file of numbers, which `count` prints.
 *
 *	slow_fs mount SOURCE FOLDER STATE [MS [MB_PER_S [AT_A_TIME]]]
 *	slow_fs count STATE
 *	slow_fs hold STATE BYTES
 *
 * hold: when so many have been read, all wait until it is said again, with 0.
 * It says "mounted", and unmounts at SIGTERM. Needs root, and no library.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define THREADS	  24
#define BUFFER	  ((1U << 20) + 4096)
#define NODES_MAX (1U << 18)
#define BUCKETS	  (1U << 17)
#define TTL_S	  30 /* that clients believe what they were told */
#define NS_PER_S  1000000000ULL

enum { LOOKUPS, GETATTRS, OPENS, READS, READDIRS, READLINKS, BYTES, COUNTS };

static const char *const count_names[COUNTS] = {
	"lookup", "getattr", "open", "read", "readdir", "readlink", "bytes",
};

/* In the state: when the next one may begin, and what there was. */
struct state {
	_Atomic uint64_t meta_ns, pipe_ns;
	_Atomic uint64_t count[COUNTS];
	_Atomic uint64_t hold; /* bytes; 0: no */
};

static struct state *state;
static uint64_t latency_ns, between_ns, ns_per_mb;
static const char *source;
static int fuse;

/* --- the files: a path has a number for good --- */

static struct node {
	const char *path; /* below the source; "" is its root */
	uint32_t next;
} * nodes;
static uint32_t nnodes = 2, bucket[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t bucket_of(const char *path)
{
	uint32_t h = 2166136261U;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 16777619U;
	return h % BUCKETS;
}

static uint64_t node_of(const char *path)
{
	uint32_t b = bucket_of(path), i;

	pthread_mutex_lock(&lock);
	for (i = bucket[b]; i && strcmp(nodes[i].path, path) != 0;)
		i = nodes[i].next;
	if (!i && nnodes < NODES_MAX) {
		i = nnodes++;
		nodes[i] = (struct node){strdup(path), bucket[b]};
		bucket[b] = i;
	}
	pthread_mutex_unlock(&lock);
	return i;
}

static void path_of(uint64_t node, const char *name, char ret[PATH_MAX])
{
	const char *path = node < nnodes ? nodes[node].path : "";

	snprintf(ret, PATH_MAX, "%s%s%s", path, name ? "/" : "",
		 name ? name : "");
}

static void real_path(const char *path, char ret[2 * PATH_MAX])
{
	snprintf(ret, 2 * PATH_MAX, "%s%s", source, path);
}

/* --- time --- */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Take so much of what all share. Returns when that begins. */
static uint64_t take(_Atomic uint64_t *clock, uint64_t ns)
{
	uint64_t now = now_ns(), at = *clock, begin;

	do
		begin = at > now ? at : now;
	while (!__atomic_compare_exchange_n((uint64_t *)clock, &at, begin + ns,
					    0, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST));
	return begin;
}

static void wait_until(uint64_t ns)
{
	const struct timespec t = {(time_t)(ns / NS_PER_S),
				   (long)(ns % NS_PER_S)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

static void call(int what)
{
	state->count[what]++;
	wait_until(take(&state->meta_ns, between_ns) + latency_ns);
}

static void transfer(size_t n)
{
	uint64_t ns = ns_per_mb * n / 1000000;

	state->count[READS]++;
	state->count[BYTES] += n;
	wait_until(take(&state->pipe_ns, ns) + ns);
	while (state->hold && state->count[BYTES] > state->hold)
		wait_until(now_ns() + latency_ns);
}

/* --- answers --- */

static void answer(uint64_t unique, int error, const void *data, size_t n)
{
	char all[sizeof(struct fuse_out_header) +
		 sizeof(struct fuse_entry_out)];
	struct fuse_out_header h = {
		.len = (uint32_t)(sizeof(h) + n),
		.error = error,
		.unique = unique,
	};

	memcpy(all, &h, sizeof(h));
	memcpy(all + sizeof(h), data, n);
	if (write(fuse, all, sizeof(h) + n) < 0)
		return; /* who asked has gone */
}

/* The room for the head is before the data. */
static void answer_long(uint64_t unique, char *data, size_t n)
{
	struct fuse_out_header h = {
		.len = (uint32_t)(sizeof(h) + n),
		.unique = unique,
	};

	memcpy(data - sizeof(h), &h, sizeof(h));
	if (write(fuse, data - sizeof(h), sizeof(h) + n) < 0)
		return;
}

static struct fuse_attr attr_of(uint64_t node, const struct stat *st)
{
	return (struct fuse_attr){
		.ino = node,
		.size = (uint64_t)st->st_size,
		.blocks = (uint64_t)st->st_blocks,
		.atime = (uint64_t)st->st_mtim.tv_sec,
		.mtime = (uint64_t)st->st_mtim.tv_sec,
		.ctime = (uint64_t)st->st_ctim.tv_sec,
		.mtimensec = (uint32_t)st->st_mtim.tv_nsec,
		.mode = st->st_mode,
		.nlink = (uint32_t)st->st_nlink,
		.uid = st->st_uid,
		.gid = st->st_gid,
		.blksize = 1U << 20,
	};
}

/* A name that isn't there is believed as long. */
static int entry_of(const char *path, struct fuse_entry_out *ret)
{
	char real[2 * PATH_MAX];
	struct stat st;

	*ret = (struct fuse_entry_out){.entry_valid = TTL_S};
	real_path(path, real);
	if (lstat(real, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	ret->nodeid = node_of(path);
	ret->attr_valid = TTL_S;
	ret->attr = attr_of(ret->nodeid, &st);
	return 0;
}

/* --- folders: all entries, from where the client is --- */

static size_t put_entry(char *to, size_t room, const char *folder,
			const struct dirent *e, uint64_t next)
{
	size_t n = strlen(e->d_name);
	size_t size = FUSE_DIRENT_ALIGN(sizeof(struct fuse_direntplus) + n);
	struct fuse_direntplus p = {.dirent = {.ino = 0}};
	char path[PATH_MAX];

	if (size > room)
		return 0;
	if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
		snprintf(path, sizeof(path), "%.3800s/%s", folder, e->d_name);
		entry_of(path, &p.entry_out);
	}
	p.dirent = (struct fuse_dirent){
		.ino = e->d_ino,
		.off = next,
		.namelen = (uint32_t)n,
		.type = e->d_type,
	};
	memcpy(to, &p, sizeof(p));
	memcpy(to + sizeof(p), e->d_name, n);
	memset(to + sizeof(p) + n, 0, size - sizeof(p) - n);
	return size;
}

static void read_folder(const struct fuse_in_header *h,
			const struct fuse_read_in *in, char *out)
{
	char path[PATH_MAX], real[2 * PATH_MAX];
	const struct dirent *e;
	size_t used = 0, n;
	uint64_t at = 0;
	DIR *d;

	path_of(h->nodeid, NULL, path);
	real_path(path, real);
	d = opendir(real);
	while (d && (e = readdir(d))) {
		if (at++ < in->offset)
			continue;
		n = put_entry(out + used, in->size - used, path, e, at);
		if (!n)
			break;
		used += n;
	}
	if (d)
		closedir(d);
	answer_long(h->unique, out, used);
}

/* --- calls --- */

static void read_file(const struct fuse_in_header *h,
		      const struct fuse_read_in *in, char *out)
{
	ssize_t n = pread((int)in->fh, out, in->size, (off_t)in->offset);

	transfer(n > 0 ? (size_t)n : 0);
	answer_long(h->unique, out, n > 0 ? (size_t)n : 0);
}

static void open_file(const struct fuse_in_header *h)
{
	char path[PATH_MAX], real[2 * PATH_MAX];
	struct fuse_open_out out = {.open_flags = FOPEN_KEEP_CACHE};
	int fd;

	path_of(h->nodeid, NULL, path);
	real_path(path, real);
	fd = open(real, O_RDONLY | O_CLOEXEC);
	out.fh = (uint64_t)fd;
	if (fd < 0)
		answer(h->unique, -errno, NULL, 0);
	else
		answer(h->unique, 0, &out, sizeof(out));
}

static void look_up(const struct fuse_in_header *h, const char *name)
{
	struct fuse_entry_out entry;
	char path[PATH_MAX];
	int rc;

	path_of(h->nodeid, name, path);
	rc = entry_of(path, &entry);
	answer(h->unique, rc, &entry, rc ? 0 : sizeof(entry));
}

static void get_attr(const struct fuse_in_header *h)
{
	struct fuse_attr_out out = {.attr_valid = TTL_S};
	char path[PATH_MAX], real[2 * PATH_MAX];
	struct stat st;

	path_of(h->nodeid, NULL, path);
	real_path(path, real);
	if (lstat(real, &st) < 0) {
		answer(h->unique, -errno, NULL, 0);
		return;
	}
	out.attr = attr_of(h->nodeid, &st);
	answer(h->unique, 0, &out, sizeof(out));
}

static void read_link(const struct fuse_in_header *h)
{
	char path[PATH_MAX], real[2 * PATH_MAX], target[PATH_MAX + 64];
	ssize_t n;

	path_of(h->nodeid, NULL, path);
	real_path(path, real);
	n = readlink(real, target + 64, PATH_MAX);
	answer_long(h->unique, target + 64, n > 0 ? (size_t)n : 0);
}

static void begin(const struct fuse_in_header *h, const struct fuse_init_in *in)
{
	const struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = in->max_readahead,
		.flags = in->flags & (FUSE_ASYNC_READ | FUSE_DO_READDIRPLUS |
				      FUSE_PARALLEL_DIROPS | FUSE_MAX_PAGES |
				      FUSE_EXPORT_SUPPORT),
		.max_background = 64,
		.congestion_threshold = 48,
		.max_write = 4096,
		.max_pages = 256,
	};
	char all[sizeof(struct fuse_out_header) + sizeof(out)];

	memcpy(all + sizeof(struct fuse_out_header), &out, sizeof(out));
	answer_long(h->unique, all + sizeof(struct fuse_out_header),
		    sizeof(out));
}

static void serve_one(const struct fuse_in_header *h, const char *body,
		      char *out)
{
	switch (h->opcode) {
	case FUSE_INIT:
		begin(h, (const void *)body);
		break;
	case FUSE_LOOKUP:
		call(LOOKUPS);
		look_up(h, body);
		break;
	case FUSE_GETATTR:
		call(GETATTRS);
		get_attr(h);
		break;
	case FUSE_READLINK:
		call(READLINKS);
		read_link(h);
		break;
	case FUSE_OPEN:
		call(OPENS);
		open_file(h);
		break;
	case FUSE_READ:
		read_file(h, (const void *)body, out);
		break;
	case FUSE_READDIRPLUS:
		call(READDIRS);
		read_folder(h, (const void *)body, out);
		break;
	case FUSE_RELEASE:
		close((int)((const struct fuse_release_in *)body)->fh);
		answer(h->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break; /* nobody waits */
	case FUSE_STATFS:
		answer(h->unique, 0, &(struct fuse_statfs_out){{.bsize = 4096}},
		       sizeof(struct fuse_statfs_out));
		break;
	default: /* opendir among them: it isn't asked again */
		answer(h->unique, -ENOSYS, NULL, 0);
	}
}

static void *serve(void *unused)
{
	char *in = malloc(BUFFER), *out = malloc(BUFFER);
	struct fuse_in_header h;
	ssize_t n;

	(void)unused;
	while ((n = read(fuse, in, BUFFER)) > 0 || errno == EINTR ||
	       errno == ENOENT) {
		if (n < (ssize_t)sizeof(h))
			continue;
		memcpy(&h, in, sizeof(h));
		in[n < (ssize_t)BUFFER ? n : (ssize_t)BUFFER - 1] = '\0';
		serve_one(&h, in + sizeof(h), out + 64);
	}
	free(in);
	free(out);
	return NULL;
}

/* --- main --- */

static int open_state(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0 || ftruncate(fd, sizeof(*state)) < 0)
		return -1;
	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED,
		     fd, 0);
	close(fd);
	return state == MAP_FAILED ? -1 : 0;
}

static int count(void)
{
	for (int i = 0; i < COUNTS; i++)
		printf("%s %llu\n", count_names[i],
		       (unsigned long long)state->count[i]);
	return 0;
}

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static double number(int argc, char *argv[], int i, double usual)
{
	return argc > i ? atof(argv[i]) : usual;
}

static int mount_it(const char *folder)
{
	char options[128];

	fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other,"
		 "default_permissions",
		 fuse);
	return fuse < 0 ? -1
			: mount("slow", folder, "fuse.slow",
				MS_RDONLY | MS_NODEV, options);
}

int main(int argc, char *argv[])
{
	pthread_t thread;
	sigset_t end;
	int got;

	if (argc == 3 && !strcmp(argv[1], "count"))
		return open_state(argv[2]) < 0 ? fail(argv[2]) : count();
	if (argc == 4 && !strcmp(argv[1], "hold")) {
		if (open_state(argv[2]) < 0)
			return fail(argv[2]);
		state->hold = strtoull(argv[3], NULL, 10);
		return 0;
	}
	if (argc < 5 || strcmp(argv[1], "mount") != 0)
		return fputs("usage: see the source\n", stderr), 2;
	source = argv[2];
	latency_ns = (uint64_t)(number(argc, argv, 5, 2) * 1e6);
	ns_per_mb = (uint64_t)(1e9 / number(argc, argv, 6, 13));
	between_ns = (uint64_t)((double)latency_ns / number(argc, argv, 7, 10));
	nodes = calloc(NODES_MAX, sizeof(*nodes));
	if (!nodes || open_state(argv[4]) < 0)
		return fail(argv[4]);
	nodes[FUSE_ROOT_ID].path = "";
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	if (mount_it(argv[3]) < 0)
		return fail(argv[3]);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, serve, NULL))
			return fail("thread");
	puts("mounted");
	fflush(stdout);
	sigwait(&end, &got);
	umount2(argv[3], MNT_DETACH);
	return 0;
}
