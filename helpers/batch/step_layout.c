/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/batch/srun_line.h"

#include "core/base/hostlist.h"
#include "core/base/parse.h"
#include "core/base/runlength.h"

#include <stdlib.h>
#include <string.h>

#define MANY 10000000L

/* What the options come to. 0: not said. */
struct sum {
	long nnodes, ntasks, node_tasks;
	long gpus, node_devices, task_devices, device_tasks;
	long plane;
	bool npu, tasks_given;
};

/* A whole number in `len` bytes. */
static int read_count(const char *text, size_t len, long *ret)
{
	cleanup_free char *copy = strndup(text, len);

	return copy ? parse_number(copy, 0, MANY, ret) : -1;
}

static int refuse(const char *name, const char *text, const char *what,
		  struct err *err)
{
	char shown[SHOW_SIZE];

	return err_printf(err, "--%s=%s: must be %s", name, show(shown, text),
			  what);
}

static int read_number(const struct step_ask *ask, enum ask_id id, long *ret,
		       struct err *err)
{
	const char *text = ask->value[id];

	if (!text || read_count(text, strlen(text), ret) == 0)
		return 0;
	return refuse(ask_names[id], text, "a number", err);
}

/* "4", "2-4" */
static int read_nodes(const struct step_ask *ask, FILE *notes, struct sum *s,
		      struct err *err)
{
	const char *text = ask->value[ASK_NODES];
	size_t len = text ? strcspn(text, "-") : 0;

	if (!text)
		return 0;
	if (read_count(text, len, &s->nnodes) < 0 || !s->nnodes)
		return refuse("nodes", text,
			      "a number of nodes, or MIN-MAX; --nodelist takes "
			      "names",
			      err);
	if (text[len])
		fprintf(notes,
			"--nodes=%s: shown with %ld; Slurm may give more\n",
			text, s->nnodes);
	return 0;
}

/* The number behind one of gpu's forms: "8", "a100:8", "a100:8(S:0-1)", "a100"
 * (1); npu's too, and "gpu=8". */
static int read_devices(const char *text, size_t len, long *ret)
{
	size_t end = strcspn(text, "(");
	const char *number, *colon, *equals;

	len = end < len ? end : len;
	colon = memrchr(text, ':', len);
	equals = memrchr(text, '=', len);
	number = colon > equals ? colon : equals;
	number = number ? number + 1 : text;
	if (read_count(number, len - (size_t)(number - text), ret) == 0)
		return 0;
	*ret = 1;
	if (number == text + len)
		return -1;
	return colon || (len && strspn(text, "0123456789") < len) ? 0 : -1;
}

/* --gres=gpu:8, --gres=npu:8, with others in the list, which are skipped. */
static int read_gres(const struct step_ask *ask, struct sum *s, struct err *err)
{
	const char *text = ask->value[ASK_GRES];

	if (!text || !strcmp(text, "none"))
		return 0;
	for (const char *at = text; *at; at += *at == ',') {
		size_t len = strcspn(at, ","), skip = 0;

		if (!strncmp(at, "gres/", 5) || !strncmp(at, "gres:", 5))
			skip = 5;
		if (!strncmp(at + skip, "gpu", 3) ||
		    !strncmp(at + skip, "npu", 3)) {
			s->npu = at[skip] == 'n';
			if (read_devices(at + skip, len - skip,
					 &s->node_devices) < 0)
				return refuse("gres", text, "gpu:N or npu:N",
					      err);
		}
		at += len;
	}
	return 0;
}

static int read_gpus(const struct step_ask *ask, enum ask_id id, long *ret,
		     struct err *err)
{
	const char *text = ask->value[id];
	long n;

	for (const char *at = text; at && *at; at += *at == ',') {
		size_t len = strcspn(at, ",");

		if (read_devices(at, len, &n) < 0)
			return refuse(ask_names[id], text, "N or TYPE:N", err);
		*ret += n;
		at += len;
	}
	return 0;
}

/* "block", "cyclic:block", "plane=4", "*", ",Pack" */
static int read_distribution(const struct step_ask *ask, FILE *notes,
			     struct sum *s, struct step_layout *ret,
			     struct err *err)
{
	const char *text = ask->value[ASK_DISTRIBUTION];
	size_t len = text ? strcspn(text, ":,") : 0;

	if (!text)
		return 0;
	if (!strncmp(text, "plane=", 6)) {
		if (read_count(text + 6, len - 6, &s->plane) < 0 || !s->plane)
			return refuse("distribution", text, "plane=SIZE", err);
	} else if (!strncmp(text, "cyclic", len) && len) {
		ret->cyclic = true;
	} else if (!strncmp(text, "arbitrary", len) && len) {
		fputs("--distribution=arbitrary: shown as block; the order of "
		      "--nodelist decides\n",
		      notes);
	} else if (strncmp(text, "block", len) != 0 &&
		   strncmp(text, "*", len) != 0) {
		return refuse("distribution", text, "block, cyclic or plane=N",
			      err);
	}
	if (strcasestr(text, ",pack"))
		fprintf(notes,
			"--distribution=%s: shown without Pack, which fills "
			"nodes by their processors\n",
			text);
	return 0;
}

static int read_all(const struct step_ask *ask, FILE *notes, struct sum *s,
		    struct step_layout *ret, struct err *err)
{
	if (read_nodes(ask, notes, s, err) < 0 ||
	    read_number(ask, ASK_NTASKS, &s->ntasks, err) < 0 ||
	    read_number(ask, ASK_TASKS_PER_NODE, &s->node_tasks, err) < 0 ||
	    read_number(ask, ASK_TASKS_PER_GPU, &s->device_tasks, err) < 0 ||
	    read_gres(ask, s, err) < 0)
		return -1;
	if (ask->value[ASK_GPUS_PER_NODE])
		s->node_devices = 0;
	if (read_gpus(ask, ASK_GPUS, &s->gpus, err) < 0 ||
	    read_gpus(ask, ASK_GPUS_PER_NODE, &s->node_devices, err) < 0 ||
	    read_gpus(ask, ASK_GPUS_PER_TASK, &s->task_devices, err) < 0)
		return -1;
	return read_distribution(ask, notes, s, ret, err);
}

static long divide_up(long a, long b)
{
	return (a + b - 1) / b;
}

/* How many tasks there are where no option says it itself. */
static void find_ntasks(struct sum *s)
{
	if (s->ntasks)
		return;
	if (s->node_tasks && s->nnodes)
		s->ntasks = s->nnodes * s->node_tasks;
	else if (s->gpus && s->task_devices)
		s->ntasks = s->gpus / s->task_devices;
	else if (s->gpus && s->device_tasks)
		s->ntasks = s->gpus * s->device_tasks;
}

/* On nodes that jobs share, Slurm may give most tasks to the first node and one
 * to each of the others (-N2 -n8: 7 and 1); on whole nodes as many to each. */
static void note_shares(const struct sum *s, FILE *notes)
{
	if (s->nnodes > 1 && s->ntasks > s->nnodes && s->tasks_given &&
	    !s->node_tasks)
		fputs("shown with tasks spread evenly, as on nodes that the "
		      "job has for itself; Slurm may fill the first nodes of "
		      "others: --ntasks-per-node says it\n",
		      notes);
}

static void find_nodes(FILE *notes, struct sum *s)
{
	find_ntasks(s);
	if (!s->nnodes && s->gpus && s->node_devices)
		s->nnodes = divide_up(s->gpus, s->node_devices);
	else if (!s->nnodes && s->ntasks && s->node_tasks)
		s->nnodes = divide_up(s->ntasks, s->node_tasks);
	if (!s->nnodes) {
		s->nnodes = 1;
		if (s->ntasks > 1 || s->gpus > 1)
			fputs("without --nodes the cluster decides on how many "
			      "nodes the step runs: shown on 1\n",
			      notes);
	}
	find_ntasks(s);
	if (!s->ntasks && s->device_tasks && s->node_devices)
		s->ntasks = s->nnodes * s->node_devices * s->device_tasks;
	if (!s->ntasks)
		s->ntasks = s->nnodes;
	if (s->ntasks < s->nnodes) {
		fprintf(notes, "%ld task%s can't use %ld nodes: shown on %ld\n",
			s->ntasks, s->ntasks == 1 ? "" : "s", s->nnodes,
			s->ntasks);
		s->nnodes = s->ntasks;
	}
}

/* Slurm deals tasks out over the nodes in turn, plane by plane, also for block
 * (src/common/slurm_step_layout.c). */
static void deal(const struct sum *s, unsigned *tasks)
{
	long left = s->ntasks, plane = s->plane ? s->plane : 1;

	while (left > 0)
		for (long i = 0; i < s->nnodes && left > 0; i++) {
			long n = left < plane ? left : plane;

			tasks[i] += (unsigned)n;
			left -= n;
		}
}

static unsigned devices_of(const struct sum *s, long node, unsigned tasks)
{
	long share = s->gpus / s->nnodes;

	if (s->node_devices)
		return (unsigned)s->node_devices;
	if (s->task_devices)
		return (unsigned)s->task_devices * tasks;
	if (s->device_tasks && !s->gpus)
		return (unsigned)divide_up(tasks, s->device_tasks);
	return (unsigned)(share + (node < s->gpus % s->nnodes));
}

/* Tasks and devices by node. */
static int make_texts(const struct sum *s, struct step_layout *ret,
		      struct err *err)
{
	size_t n = (size_t)s->nnodes;
	cleanup_free unsigned *tasks = calloc(n, sizeof(*tasks));
	cleanup_free unsigned *devices = calloc(n, sizeof(*devices));

	if (!tasks || !devices)
		return err_memory(err);
	deal(s, tasks);
	for (long i = 0; i < s->nnodes; i++)
		devices[i] = devices_of(s, i, tasks[i]);
	ret->tasks = runlength_text(tasks, (unsigned)n);
	ret->devices = runlength_text(devices, (unsigned)n);
	if (!ret->tasks || !ret->devices)
		return err_memory(err);
	return 0;
}

/* The names of --nodelist, as many as there are nodes. */
static int name_nodes(const char *list, const struct sum *s,
		      struct step_layout *ret, struct err *err)
{
	unsigned n;

	if (!list) {
		if (asprintf(&ret->nodes, "%ld", s->nnodes) < 0) {
			ret->nodes = NULL;
			return err_memory(err);
		}
	} else if (hostlist_count(list, &n) < 0 || (long)n != s->nnodes) {
		return err_printf(err,
				  "--nodelist=%s: must name as many nodes as "
				  "the step has, %ld",
				  list, s->nnodes);
	} else {
		ret->nodes = strdup(list);
		if (!ret->nodes)
			return err_memory(err);
	}
	return 0;
}

int step_layout_make(const struct step_ask *ask, FILE *notes,
		     struct step_layout *ret, struct err *err)
{
	const char *list = ask->value[ASK_NODELIST];
	struct sum s = {0};
	unsigned n;

	if (read_all(ask, notes, &s, ret, err) < 0)
		return -1;
	if (list && !s.nnodes && hostlist_count(list, &n) == 0)
		s.nnodes = n;
	s.tasks_given = s.ntasks != 0;
	find_nodes(notes, &s);
	note_shares(&s, notes);
	if (s.nnodes > (long)HOSTLIST_MAX || s.ntasks > MANY)
		return err_printf(err, "%ld tasks on %ld nodes: too many",
				  s.ntasks, s.nnodes);
	ret->npu = s.npu;
	ret->plane = (unsigned)s.plane;
	ret->task_devices = s.node_devices ? 0 : (unsigned)s.task_devices;
	if (make_texts(&s, ret, err) < 0)
		return -1;
	return name_nodes(list, &s, ret, err);
}

void step_layout_clear(struct step_layout *layout)
{
	free(layout->nodes);
	free(layout->tasks);
	free(layout->devices);
}
