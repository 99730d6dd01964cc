/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/gpu/gpu.h"

#include "sys/loop.h"
#include "sys/subprocess.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define OUTPUT_SIZE (32 << 10)
#define WORDS_MAX   8

static const struct gpu unknown_gpu = {
	.uncorrected = -1, .pending = -1, .unrepaired = -1, .persistent = -1};

/* Addresses differ in the length of their domain and in case. */
struct gpu *nvidia_gpu_of(struct gpus *gpus, const char *bus, bool add)
{
	size_t len = strlen(bus), own = strlen("0000:3b:00.0");
	struct gpu *gpu;

	if (len < own)
		return NULL;
	bus += len - own;
	for (unsigned i = 0; i < gpus->n; i++)
		if (!strcasecmp(gpus->gpu[i].bus, bus))
			return &gpus->gpu[i];
	if (!add || gpus->n == GPUS_MAX)
		return NULL;
	gpu = &gpus->gpu[gpus->n++];
	*gpu = unknown_gpu;
	for (size_t i = 0; i <= own; i++)
		gpu->bus[i] = (char)tolower((unsigned char)bus[i]);
	return gpu;
}

/* What it prints in place of a value of a device that has failed. */
static bool is_trouble(const char *word)
{
	static const char *const words[] = {"Unknown Error", "requires reset",
					    "is lost", "ERR!"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(word, words[i]))
			return true;
	return false;
}

/* No value, and no fault: "[N/A]", "[Not Supported]", "N/A",
 * "[Insufficient Permissions]" */
static bool is_absent(const char *word)
{
	return !*word || *word == '[' || !strcmp(word, "N/A") ||
	       !strcmp(word, "Not Supported");
}

static void note_trouble(struct gpu *gpu, const char *word)
{
	bool brackets = *word == '[';
	int len = (int)strcspn(word + brackets, "]");

	if (!*gpu->trouble)
		snprintf(gpu->trouble, sizeof(gpu->trouble), "%.*s", len,
			 word + brackets);
}

static void keep_text(char ret[GPU_TEXT_SIZE], const char *word)
{
	if (!is_absent(word) && !is_trouble(word))
		snprintf(ret, GPU_TEXT_SIZE, "%s", word);
}

/* "Yes", "No", "Enabled", "Disabled", or a number */
static void keep_switch(int *ret, const char *word)
{
	if (!is_absent(word) && !is_trouble(word))
		*ret = strcasecmp(word, "No") != 0 &&
		       strcasecmp(word, "Disabled") != 0 &&
		       strcmp(word, "0") != 0;
}

static void read_device(struct gpus *gpus, struct gpu *gpu, char *word[])
{
	gpu->listed = true;
	keep_text(gpu->model, word[1]);
	if (isdigit((unsigned char)*word[2]) && !*gpus->driver)
		snprintf(gpus->driver, sizeof(gpus->driver), "%s", word[2]);
	keep_switch(&gpu->persistent, word[3]);
	if (isdigit((unsigned char)*word[4]))
		gpu->uncorrected = atol(word[4]);
	keep_switch(&gpu->pending, word[5]);
}

static void read_rows(struct gpus *gpus, struct gpu *gpu, char *word[])
{
	(void)gpus;
	if (gpu->pending != 1)
		keep_switch(&gpu->pending, word[1]);
	keep_switch(&gpu->unrepaired, word[2]);
}

static void read_fabric(struct gpus *gpus, struct gpu *gpu, char *word[])
{
	(void)gpus;
	if (is_absent(word[1]) || is_trouble(word[1]))
		return;
	snprintf(gpu->fabric, sizeof(gpu->fabric), "%.30s%s%.30s", word[1],
		 is_absent(word[2]) ? "" : ", ",
		 is_absent(word[2]) ? "" : word[2]);
}

static void read_recovery(struct gpus *gpus, struct gpu *gpu, char *word[])
{
	read_fabric(gpus, gpu, word);
	if (strcasecmp(word[3], "None") != 0)
		keep_text(gpu->recovery, word[3]);
}

static const struct {
	const char *query;
	unsigned words;
	void (*read)(struct gpus *gpus, struct gpu *gpu, char *word[]);
} tables[] = {
	{"--query-gpu=pci.bus_id,name,driver_version,persistence_mode,"
	 "ecc.errors.uncorrected.volatile.total,retired_pages.pending",
	 6, read_device},
	{"--query-remapped-rows=gpu_bus_id,remapped_rows.pending,"
	 "remapped_rows.failure",
	 3, read_rows},
	{"--query-gpu=pci.bus_id,fabric.state,fabric.status,"
	 "gpu_recovery_action",
	 4, read_recovery},
	{"--query-gpu=pci.bus_id,fabric.state,fabric.status", 3, read_fabric},
};

/* "Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost." A
 * blank may stand before the address. */
static bool read_lost(struct gpus *gpus, const char *line)
{
	static const char words[] = "device handle for GPU";
	const char *bus = strstr(line, words), *why;
	struct gpu *gpu;
	char addr[32];

	if (!bus)
		return false;
	bus += strlen(words);
	bus += *bus == ' ';
	why = strstr(bus, ": ");
	if (!why || why - bus >= (int)sizeof(addr))
		return false;
	snprintf(addr, sizeof(addr), "%.*s", (int)(why - bus), bus);
	gpu = nvidia_gpu_of(gpus, addr, true);
	if (gpu)
		note_trouble(gpu, why + 2);
	return gpu != NULL;
}

/* Cut "A, B, C" into n words; false when there are others. */
static bool split(char *line, unsigned n, char *word[WORDS_MAX])
{
	unsigned found = 0;

	for (char *at = line; at && found < WORDS_MAX; found++) {
		word[found] = at;
		at = strstr(at, ", ");
		if (at) {
			*at = '\0';
			at += 2;
		}
	}
	return found == n && strchr(word[0], ':') != NULL;
}

bool nvidia_smi_read(unsigned table, char *text, struct gpus *gpus)
{
	char *save = NULL, *word[WORDS_MAX];
	bool any = false;

	for (char *line = strtok_r(text, "\r\n", &save); line;
	     line = strtok_r(NULL, "\r\n", &save)) {
		char kept[sizeof(gpus->note)];
		struct gpu *gpu;

		snprintf(kept, sizeof(kept), "%s", line);
		if (read_lost(gpus, line)) {
			any = true;
		} else if (!split(line, tables[table].words, word)) {
			if (!any && !*gpus->note)
				snprintf(gpus->note, sizeof(gpus->note),
					 "nvidia-smi: %.200s", kept);
		} else {
			gpu = nvidia_gpu_of(gpus, word[0], table == 0);
			any = true;
			for (unsigned i = 0; gpu && i < tables[table].words;
			     i++)
				if (is_trouble(word[i]))
					note_trouble(gpu, word[i]);
			if (gpu)
				tables[table].read(gpus, gpu, word);
		}
	}
	return any;
}

/* Ask for one table. Returns whether the next may be asked for. */
static bool ask(const char *path, unsigned table, uint64_t deadline_ms,
		struct gpus *gpus, bool *ret_known)
{
	const char *argv[] = {path, tables[table].query,
			      "--format=csv,noheader,nounits", NULL};
	uint64_t now = loop_now_ms();
	char said[OUTPUT_SIZE], note[sizeof(gpus->note)];
	struct err err;

	*ret_known = false;
	snprintf(note, sizeof(note), "%s", gpus->note);
	if (now >= deadline_ms ||
	    subprocess_ask_program(argv, (int)(deadline_ms - now), said,
				   sizeof(said), &err) < 0) {
		snprintf(gpus->note, sizeof(gpus->note),
			 "nvidia-smi doesn't answer in time: the driver "
			 "hangs, or takes long without persistence mode");
		return false;
	}
	*ret_known = nvidia_smi_read(table, said, gpus);
	/* An older one doesn't know all: no fault of the devices */
	if (table > 0 && !*ret_known)
		memcpy(gpus->note, note, sizeof(note));
	return true;
}

void nvidia_smi_ask(const char *path, int limit_ms, struct gpus *gpus)
{
	uint64_t deadline_ms = loop_now_ms() + (uint64_t)limit_ms;
	bool known;

	if (!ask(path, 0, deadline_ms, gpus, &known) || !known)
		return;
	gpus->asked = true;
	if (ask(path, 1, deadline_ms, gpus, &known) &&
	    ask(path, 2, deadline_ms, gpus, &known) && !known)
		ask(path, 3, deadline_ms, gpus, &known);
}
