/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/registry.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <stdint.h>
#include <string.h>

#define BLANKS	   " \t"
#define SEPARATORS ";:+|&/ \t"

static const struct other_word table[] = {
	{OTHER_FRAMEWORK, "pytorch-lightning lightning-fabric pl ptl",
	 "lightning", NULL},
	{OTHER_FRAMEWORK,
	 "mpirun mpiexec orterun prterun openmpi open-mpi mpich intel-mpi impi "
	 "mpi4py pmi pmi2 pmix",
	 "mpi", "write mpi; or mpi,run-on=first where the program is mpirun"},
	{OTHER_FRAMEWORK, "hvd horovodrun", "horovod", NULL},
	{OTHER_FRAMEWORK, "verl openrlhf rllib ray-train ray-tune", "ray",
	 NULL},
	{OTHER_FRAMEWORK,
	 "llama-factory llamafactory llamafactory-cli ms-swift swift axolotl "
	 "torchtune torchtitan xtuner torchx torchelastic elastic "
	 "torch.distributed.run torch.distributed.launch",
	 "torchrun", NULL},
	{OTHER_FRAMEWORK,
	 "nccl rccl gloo torch.distributed distributed-data-parallel "
	 "distributeddataparallel dp nemo trl unsloth colossalai colossal-ai "
	 "submitit python python3",
	 "ddp", NULL},
	{OTHER_FRAMEWORK, "zero deepspeed-zero", "deepspeed", NULL},
	{OTHER_FRAMEWORK, "hccl npu cann torch-npu", "ascend", NULL},
	{OTHER_FRAMEWORK, "msrun", "mindspore", NULL},
	{OTHER_FRAMEWORK, "keras tf2 tf-config multiworkermirroredstrategy",
	 "tf", NULL},
	{OTHER_FRAMEWORK, "ps parameter-server tensorflow-ps", "tf-ps", NULL},
	{OTHER_FRAMEWORK, "flax maxtext jax.distributed", "jax", NULL},
	{OTHER_FRAMEWORK, "paddlepaddle fleet paddle.distributed.launch",
	 "paddle", NULL},
	{OTHER_FRAMEWORK, "xgb", "xgboost", NULL},
	{OTHER_FRAMEWORK, "lgbm lgb", "lightgbm", NULL},
	{OTHER_FRAMEWORK, "dask-distributed dask-mpi", "dask", NULL},

	{OTHER_KEY, "max-restarts max-retries retries", "restarts",
	 "write restarts=N"},
	{OTHER_KEY,
	 "nproc-per-node nproc nprocs ppn num-gpus ngpus slots "
	 "local-world-size",
	 "procs", "write procs=N"},
	{OTHER_KEY, "nnodes nodes num-nodes num-machines n", NULL,
	 "it is srun's: srun -N NODES"},
	{OTHER_KEY, "np ntasks num-processes world-size", NULL,
	 "it follows from the step: srun -N NODES, and procs=N on each"},
	{OTHER_KEY,
	 "ntasks-per-node cpus-per-task gpus-per-node gres mem time "
	 "partition account job-name nodelist gpu-bind cpu-bind",
	 NULL, "it is an option of srun's own: write it before --dist-train"},
	{OTHER_KEY, "gpus gpus-per-task devices", NULL,
	 "ask srun for them: srun --gpus-per-node=N"},
	{OTHER_KEY,
	 "master-addr main-process-ip coordinator-address rdzv-endpoint",
	 "addr",
	 "it is found without you; addr=name|ip|nic:IFACE says which address "
	 "is used"},
	{OTHER_KEY, "master-port main-process-port rdzv-port", "port",
	 "write port=N"},
	{OTHER_KEY,
	 "rdzv-backend rdzv-id rdzv-conf standalone node-rank machine-rank "
	 "hostfile machinefile hosts host launcher",
	 NULL, "leave it out: it follows from the step"},
	{OTHER_KEY, "backend dist-backend", NULL,
	 "leave it out: the program chooses it (init_process_group)"},
	{OTHER_KEY, "tee local-ranks-filter", "log-tee",
	 "write log-tee=RANK[,RANK]"},
	{OTHER_KEY, "redirects output output-filename logs log", "log-dir",
	 "write log-dir=PATTERN"},
	{OTHER_KEY, "tag-output prefix", "label", "write label=yes"},
	{OTHER_KEY,
	 "network-interface network-interfaces interface iface ifname", "nic",
	 "write nic=IFACE"},
	{OTHER_KEY, "exit-timeout kill-wait", "grace", "write grace=SECONDS"},
	{OTHER_KEY, "join-timeout start-timeout", "timeout",
	 "write timeout=SECONDS"},
	{OTHER_KEY, "node-timeout heartbeat-timeout", "lease",
	 "write lease=SECONDS"},
	{OTHER_KEY, "flight-recorder recorders", "hang",
	 "write hang=SECONDS: PyTorch's, HCCL's and NCCL's recorders follow"},
	{OTHER_KEY, "signal", "end-signal", "write end-signal=[SIG@]SECONDS"},
	{OTHER_KEY, "min-nodes elastic", "on-node-loss",
	 "write on-node-loss=shrink:MIN"},
	{OTHER_KEY, "verbose debug", "explain", "write explain=yes"},
	{OTHER_KEY, "dry-run dryrun", "explain", "write explain=only"},
	{OTHER_KEY, "env export x genv", NULL,
	 "set variables before srun, or with its --export"},
	{OTHER_KEY, "framework", NULL,
	 "the framework stands first, without a key: ddp,KEY=VALUE"},
};

#define NWORDS (sizeof(table) / sizeof(*table))

const struct other_word *other_word_nth(size_t n)
{
	return n < NWORDS ? &table[n] : NULL;
}

/* As the table has it. */
static void plain_name(const char *word, char *buf, size_t size)
{
	size_t n = 0;

	word += strspn(word, "-");
	for (; word[n] && n + 1 < size; n++)
		buf[n] = word[n] == '_' ? '-' : word[n];
	buf[n] = '\0';
}

/* NCCL_DEBUG, but no key of ours in capitals. */
static bool is_variable(const char *word, const char *plain)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	return strchr(word, '_') && !word[strspn(word, letters)] &&
	       !key_find(plain, strlen(plain));
}

bool other_word_cure(enum other_kind kind, const char *word,
		     char buf[OTHER_CURE_SIZE])
{
	char plain[64];

	plain_name(word, plain, sizeof(plain));
	for (size_t i = 0; i < NWORDS; i++) {
		const struct other_word *w = &table[i];

		if (w->kind != kind ||
		    !word_find_any_case(w->words, plain, strlen(plain), NULL))
			continue;
		snprintf(buf, OTHER_CURE_SIZE, "%s%s",
			 w->cure ? w->cure : "write ", w->cure ? "" : w->ours);
		return true;
	}
	if (kind != OTHER_KEY || !is_variable(word, plain))
		return false;
	snprintf(buf, OTHER_CURE_SIZE,
		 "set it before srun: %.60s=VALUE srun ...", word);
	return true;
}

/* --- punctuation --- */

/* The character of that many bytes as one of ASCII; '\0': it is left out; -1:
 * it stays. */
static int ascii_of(const char *text, size_t n)
{
	static const struct {
		uint32_t first, last;
		int ascii;
	} others[] = {
		{'"', '"', 0},	       {'\'', '\'', 0},
		{0xa0, 0xa0, ' '},     {0xab, 0xab, 0},
		{0xbb, 0xbb, 0},       {0x2000, 0x200a, ' '},
		{0x200b, 0x200f, 0},   {0x2010, 0x2015, '-'},
		{0x2018, 0x201f, 0},   {0x202f, 0x202f, ' '},
		{0x2212, 0x2212, '-'}, {0x3000, 0x3000, ' '},
		{0x3001, 0x3001, ','}, {0x300c, 0x300f, 0},
		{0xfe50, 0xfe51, ','}, {0xfeff, 0xfeff, 0},
		{0xff1b, 0xff1b, ','}, /* ';' */
	};
	static const unsigned char lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t c = (unsigned char)*text & lead[n];

	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)text[i] & 0x3f);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (c >= others[i].first && c <= others[i].last)
			return others[i].ascii;
	if (c >= 0xff01 && c <= 0xff5e) /* full-width forms of '!' to '~' */
		return (int)(c - 0xff01 + '!');
	return -1;
}

/* False: it doesn't fit. */
static bool to_ascii(const char *text, char *buf, size_t size, bool *ret_wide)
{
	size_t at = 0;

	*ret_wide = false;
	while (*text) {
		size_t n = utf8_char(text, SIZE_MAX), bytes = n ? n : 1;
		int ascii = n ? ascii_of(text, n) : -1;

		if (at + bytes >= size)
			return false;
		*ret_wide |= n > 1 && ascii >= 0;
		/* two commas would be one of a path */
		if (ascii == ',' &&
		    ((at && buf[at - 1] == ',') || text[bytes] == ','))
			ascii = 0;
		if (ascii > 0)
			buf[at++] = (char)ascii;
		else if (ascii < 0) {
			memcpy(buf + at, text, bytes);
			at += bytes;
		}
		text += bytes;
	}
	buf[at] = '\0';
	return true;
}

/* Whether a key and its '=' stand here, or the last word "help". */
static bool is_pair(const char *text)
{
	size_t len = strcspn(text, "=" SEPARATORS ",");

	return !strcmp(text, "help") ||
	       (text[len] == '=' && key_find(text, len));
}

/* Put a comma for separators before a key; it never grows. */
static void put_commas(char *text)
{
	char *to = text, *begin = text;

	text += strspn(text, BLANKS);
	while (*text) {
		size_t n = strspn(text, SEPARATORS);

		if (n && is_pair(text + n)) {
			if (to > begin && to[-1] != ',')
				*to++ = ',';
			text += n;
		} else if (n && strspn(text, BLANKS) == n &&
			   (text[n] == ',' || !text[n])) {
			text += n;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

bool option_meant(const char *text, char *buf, size_t size, bool *ret_wide)
{
	if (!to_ascii(text, buf, size, ret_wide))
		return false;
	put_commas(buf);
	return strcmp(buf, text) != 0;
}
