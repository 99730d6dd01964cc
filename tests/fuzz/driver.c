/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target without libFuzzer: every file of its corpus, and then
 * mutations of them, always the same ones.
 *
 *	fuzz_NAME [-n MUTATIONS] [-s SEED] [FILE|DIR]...
 *
 * The corpus is $srcdir/tests/fuzz/corpus/NAME by default. What broke a rule
 * is left in ./fuzz_NAME.input.
 */
#include "tests/fuzz/fuzz.h"

#ifndef FUZZ_LIBFUZZER /* which has a main() of its own */

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#define INPUTS_MAX 4096
#define SIZE_MAX_  4096

struct input {
	size_t size;
	uint8_t data[SIZE_MAX_];
};

static struct input corpus[INPUTS_MAX], current;
static unsigned ninputs;
static uint64_t random_state;
static char input_name[256];

static unsigned random_below(size_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return n ? (unsigned)((random_state >> 11) % n) : 0;
}

static void save_input(int sig)
{
	FILE *f = fopen(input_name, "w");

	if (f) {
		fwrite(current.data, 1, current.size, f);
		fclose(f);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

/* An input of at most 4 KiB costs some ms of processor time, with sanitizers
 * too, as long as the work is linear. Limited is the processor's time, not the
 * clock's: other programs may have the processor. */
#define BUDGET_S 5

static volatile sig_atomic_t nruns;

/* Each second of processor time. */
static void watch_budget(int sig)
{
	static sig_atomic_t seen;
	static int seconds;

	seconds = nruns == seen ? seconds + 1 : 0;
	seen = nruns;
	if (seconds < BUDGET_S)
		return;
	fprintf(stderr,
		"%s: broken: one input of %zu bytes needs more than "
		"%d s of the processor\n",
		input_name, current.size, BUDGET_S);
	save_input(sig);
	abort();
}

static void start_watch(void)
{
	struct itimerval second = {.it_interval = {.tv_sec = 1},
				   .it_value = {.tv_sec = 1}};

	signal(SIGVTALRM, watch_budget);
	setitimer(ITIMER_VIRTUAL, &second, NULL);
}

static void run(void)
{
	nruns++;
	LLVMFuzzerTestOneInput(current.data, current.size);
}

static void read_corpus(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char name[1024];
	FILE *f;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			snprintf(name, sizeof(name), "%s/%s", path,
				 entry->d_name);
			read_corpus(name);
		}
	if (dir) {
		closedir(dir);
		return;
	}
	f = fopen(path, "r");
	if (!f || ninputs == INPUTS_MAX) {
		fprintf(stderr, "%s: %s\n", path,
			f ? "too many inputs" : strerror(errno));
		exit(1);
	}
	corpus[ninputs].size = fread(corpus[ninputs].data, 1, SIZE_MAX_, f);
	ninputs++;
	fclose(f);
}

/* Replace `old` bytes at `at` by those of `from`. */
static void splice(size_t at, size_t old, const uint8_t *from, size_t size)
{
	size_t rest = current.size - at - old;

	if (at + size + rest > SIZE_MAX_)
		return;
	memmove(current.data + at + size, current.data + at + old, rest);
	memmove(current.data + at, from, size);
	current.size = at + size + rest;
}

static void mutate_once(void)
{
	static const char *const tokens[] = {
		",",	 "=",	 "[",	       "]",	"-",	  "(x",
		")",	 "\n",	 "0",	       "9",	"65536",  "999999",
		"none",	 "auto", "4294967296", "nic:",	"grace=", "ddp",
		"port=", "\xff", "\x01",       "(IDX:",
	};
	const struct input *other = &corpus[random_below(ninputs)];
	size_t at = random_below(current.size + 1);
	size_t some = random_below(current.size - at + 1);
	size_t from = random_below(other->size + 1);
	const char *token =
		tokens[random_below(sizeof(tokens) / sizeof(*tokens))];
	uint8_t byte = (uint8_t)random_below(256);

	switch (random_below(6)) {
	case 0:
		splice(at, at < current.size, &byte, 1);
		break;
	case 1:
		splice(at, 0, (const uint8_t *)token, strlen(token));
		break;
	case 2:
		splice(at, some, &byte, 0);
		break;
	case 3:
		splice(at, some, other->data + from,
		       random_below(other->size - from + 1));
		break;
	case 4:
		splice(at, 0, other->data + from,
		       random_below(other->size - from + 1));
		break;
	default:
		if (at < current.size)
			current.data[at] ^= (uint8_t)(1U << random_below(8));
	}
}

static void run_mutations(long n)
{
	while (n-- > 0) {
		current = corpus[random_below(ninputs)];
		for (unsigned k = 1 + random_below(8); k; k--)
			mutate_once();
		run();
	}
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/'), *srcdir = getenv("srcdir");
	long mutations = 20000, seed = 1;
	char path[512];
	int opt;

	while ((opt = getopt(argc, argv, "n:s:")) != -1) {
		if (opt == '?')
			return 2;
		*(opt == 'n' ? &mutations : &seed) = strtol(optarg, NULL, 10);
	}
	name = name ? name + 1 : argv[0];
	name += strncmp(name, "lt-", 3) ? 0 : 3;
	snprintf(input_name, sizeof(input_name), "%s.input", name);
	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/%s",
		 srcdir ? srcdir : ".", name + strlen("fuzz_"));
	for (int i = optind; i < argc; i++)
		read_corpus(argv[i]);
	if (optind == argc)
		read_corpus(path);
	if (!ninputs) {
		fprintf(stderr, "%s: no corpus\n", path);
		return 1;
	}
	signal(SIGABRT, save_input);
	signal(SIGSEGV, save_input);
	signal(SIGFPE, save_input);
	start_watch();
	random_state = 0x9e3779b97f4a7c15 ^ (uint64_t)seed;
	for (unsigned i = 0; i < ninputs; i++) {
		current = corpus[i];
		run();
	}
	run_mutations(mutations);
	printf("%s: %u inputs, %ld mutations\n", name, ninputs, mutations);
	return 0;
}

#endif
