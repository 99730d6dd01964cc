/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/sample/group.h"

#include <string.h>

/* --- collectives --- */

/* Where Python waits for peers. `file` is part of the file's path. */
static const struct place {
	const char *file;
	const char *functions; /* blank-separated; NULL: all but helpers */
	bool innermost;	       /* only as the innermost frame: it calls the
				  user's code, too */
} places[] = {
	{"torch/distributed/distributed_c10d.py", NULL, false},
	{"torch/distributed/rendezvous.py", NULL, false},
	{"torch/distributed/", NULL, true},
	{"torch/nn/parallel/distributed.py", NULL, true},
	/* Gradients are reduced inside of it */
	{"torch/autograd/", "backward _engine_run_backward", true},
	{"torch/_tensor.py", "backward", true},
	{"torch/cuda/", "synchronize", true},
	{"torch_npu/npu/", "synchronize", true},
	{"deepspeed/comm/", NULL, false},
	{"jax/experimental/multihost_utils.py", NULL, false},
	{"jax/_src/distributed.py", NULL, false},
	{"jax/_src/array.py", NULL, true},
	{"jax/_src/api.py", "block_until_ready", true},
	{"jax/_src/interpreters/pxla.py", NULL, true},
	{"horovod/",
	 "allreduce allgather broadcast alltoall reducescatter barrier join "
	 "synchronize allreduce_ allgather_object broadcast_object "
	 "grouped_allreduce",
	 false},
	{"mindspore/communication/", NULL, false},
	{"paddle/distributed/communication/", NULL, false},
};

/* The same of native frames: part of the symbol, also as C++ mangles it. */
static const char *const symbols[] = {
	"MPI_",	    "ncclAll",	   "ncclReduce",    "ncclBroadcast",
	"ncclSend", "ncclRecv",	   "ncclGroupEnd",  "ncclCommInit",
	"HcclAll",  "HcclReduce",  "HcclBroadcast", "HcclSend",
	"HcclRecv", "HcclBarrier", "gloo::",	    "4gloo",
	"c10d::",   "4c10d",	   "shmem_barrier", "PMIx_Fence",
};

/* Names around the collective itself. */
static bool is_wrapper(const char *function)
{
	return !strcmp(function, "wrapper") || !strcmp(function, "decorate") ||
	       strstr(function, "__enter__") || strstr(function, "__exit__");
}

const char *frame_name(const struct stack_frame *f)
{
	const char *dot = strrchr(f->function, '.');

	return dot && dot[1] && dot[1] != '<' ? dot + 1 : f->function;
}

static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = words; n && (at = strstr(at, word)); at += n)
		if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

static bool is_place(const struct place *p, const struct stack_frame *f,
		     bool innermost)
{
	if ((p->innermost && !innermost) || !strstr(f->file, p->file))
		return false;
	return p->functions ? has_word(p->functions, frame_name(f))
			    : !is_wrapper(f->function);
}

static bool is_collective(const struct stack_frame *f, bool innermost)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (*f->file && is_place(&places[i], f, innermost))
			return true;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		if (strstr(f->function, symbols[i]))
			return true;
	return false;
}

/* The outermost one: it is what the user has called. */
const struct stack_frame *frames_collective(const struct stack_thread *t)
{
	const struct stack_frame *found = NULL;

	for (unsigned i = 0; i < t->nframes; i++)
		if (is_collective(&t->frame[i], i == 0))
			found = &t->frame[i];
	return found;
}

/* --- the user's own --- */

static bool has_any(const char *file, const char *const part[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(file, part[i]))
			return true;
	return false;
}

static bool is_packaged(const struct stack_frame *f)
{
	static const char *const part[] = {"/site-packages/",
					   "/dist-packages/"};

	return has_any(f->file, part, sizeof(part) / sizeof(*part));
}

/* Of Python, libc and other libraries. */
static bool is_standard(const struct stack_frame *f)
{
	static const char *const part[] = {
		"/lib/python", "/lib64/python", "/nptl/",
		"/sysdeps/",   "/csu/",		"/bin/python",
		".so",	       "internals>",	"<frozen"};
	static const char *const begins[] = {
		"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "./", "../"};

	if (!*f->file)
		return true;
	if (is_packaged(f) && f->line)
		return false;
	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(f->file, begins[i], strlen(begins[i])))
			return true;
	return has_any(f->file, part, sizeof(part) / sizeof(*part));
}

bool frame_is_own(const struct stack_frame *f)
{
	return !is_standard(f) && !is_packaged(f);
}

static bool is_named(const struct stack_frame *f)
{
	return strncmp(f->function, "??", 2) != 0 && *f->function;
}

const struct stack_frame *frames_telling(const struct stack_thread *t)
{
	const struct stack_frame *named = NULL;
	const struct stack_frame *collective = frames_collective(t);

	for (unsigned i = 0; i < t->nframes && !collective; i++) {
		const struct stack_frame *f = &t->frame[i];

		if (!is_standard(f))
			return f;
		if (!named && is_named(f))
			named = f;
	}
	return collective ? collective : named;
}
