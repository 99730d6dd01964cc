/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions does a test reach? tests/mutants builds a tree with
 * -finstrument-functions and links this into each program and into the plugin;
 * no other build has it. The compiler calls __cyg_profile_func_enter() at each
 * function's begin. It sets one byte in a file that all processes of a test
 * map: what ends by a signal, by _exit() or in exec has written it all the
 * same, and gcov would have lost it.
 *
 * The file is REACH_DIR/current/BUILD-ID: `current' is a link to the folder of
 * the test that runs now, BUILD-ID names the program or the plugin. On a test
 * cluster the link is /etc/slurm/reach, which each cluster has for itself. Byte
 * N is for the 16 bytes of code at address 16 * N (functions are aligned to
 * 16). Without such a link nothing is written.
 *
 * It is called in slurmstepd, in signal handlers, between fork and exec, with
 * several threads: system calls and stores only, errno stays, nothing is
 * allocated, no descriptor stays open.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define QUIET	__attribute__((no_instrument_function))
#define HIDDEN	__attribute__((visibility("hidden")))
#define MAP_LEN ((size_t)1 << 18)
#define NO_MAP	((unsigned char *)-1)

/* Of the linker: where the program, or the plugin, begins in memory. */
extern const char __ehdr_start[] HIDDEN;

void __cyg_profile_func_enter(void *function, void *caller) QUIET HIDDEN;
void __cyg_profile_func_exit(void *function, void *caller) QUIET HIDDEN;

/* NULL: not tried yet. */
static unsigned char *map;

/* The bytes of the build ID, or NULL. */
QUIET static const unsigned char *build_id(size_t *ret_len)
{
	const ElfW(Ehdr) *head = (const void *)__ehdr_start;
	const ElfW(Phdr) *part = (const void *)(__ehdr_start + head->e_phoff);

	for (int i = 0; i < head->e_phnum; i++) {
		const char *at = __ehdr_start + part[i].p_vaddr;
		const char *end = at + part[i].p_memsz;

		/* Without a PIE addresses are whole. */
		if (head->e_type == ET_EXEC)
			at = (const char *)(uintptr_t)part[i].p_vaddr;
		if (part[i].p_type != PT_NOTE || part[i].p_align > 4)
			continue;
		while (at < end) {
			const ElfW(Nhdr) *note = (const void *)at;
			size_t name = (note->n_namesz + 3) & ~3u;

			at += sizeof(*note);
			if (note->n_type == NT_GNU_BUILD_ID &&
			    note->n_namesz == 4) {
				*ret_len = note->n_descsz;
				return (const unsigned char *)at + name;
			}
			at += name + ((note->n_descsz + 3) & ~3u);
		}
	}
	return NULL;
}

/* Whoever comes first makes the file, for all users. System calls without
 * libc's functions: a test may have its own open(). */
QUIET static int open_file(const char *path)
{
	int flags = O_RDWR | O_CLOEXEC;
	long fd = syscall(SYS_openat, AT_FDCWD, path, flags);

	if (fd >= 0)
		return (int)fd;
	fd = syscall(SYS_openat, AT_FDCWD, path, flags | O_CREAT | O_EXCL,
		     0666);
	if (fd < 0)
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags);
	syscall(SYS_fchmod, fd, 0666);
	return (int)fd;
}

/* The map in that folder, or NO_MAP. */
QUIET static unsigned char *open_map(const char *folder, const char *name)
{
	char path[sizeof(REACH_DIR) + 80];
	long found = -1;
	int fd;

	strcpy(path, folder);
	strcat(path, name);
	fd = open_file(path);
	if (fd < 0)
		return NO_MAP;
	if (syscall(SYS_lseek, fd, 0, SEEK_END) >= (long)MAP_LEN ||
	    syscall(SYS_ftruncate, fd, MAP_LEN) == 0)
		found = syscall(SYS_mmap, NULL, MAP_LEN, PROT_READ | PROT_WRITE,
				MAP_SHARED, fd, 0);
	syscall(SYS_close, fd);
	return (unsigned char *)found;
}

QUIET static unsigned char *find_map(void)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *id;
	unsigned char *found;
	char name[41] = "";
	size_t len = 0;

	id = build_id(&len);
	if (!id || len > 20)
		return NO_MAP;
	for (size_t i = 0; i < len; i++) {
		name[2 * i] = digits[id[i] >> 4];
		name[2 * i + 1] = digits[id[i] & 15];
	}
	found = open_map("/etc/slurm/reach/", name);
	return found != NO_MAP ? found : open_map(REACH_DIR "/current/", name);
}

void __cyg_profile_func_enter(void *function, void *caller)
{
	unsigned char *now = __atomic_load_n(&map, __ATOMIC_ACQUIRE);
	size_t at = (size_t)((const char *)function - __ehdr_start) / 16;

	(void)caller;
	if (!now) {
		int saved = errno;

		__atomic_store_n(&map, NO_MAP, __ATOMIC_RELEASE);
		now = find_map();
		__atomic_store_n(&map, now, __ATOMIC_RELEASE);
		errno = saved;
	}
	if (now != NO_MAP && at < MAP_LEN)
		now[at] = 1;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)function;
	(void)caller;
}
