/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in a dump: torch/csrc/distributed/c10d/FlightRecorder*.hpp, and
 * TraceUtils.h of torch_npu, which writes the same.
 */
#include "helpers/recorders/fr_read.h"

#include "core/base/text.h"
#include "core/facts/rows.h"
#include "helpers/recorders/fr_pickle.h"

#include <stdbool.h>
#include <string.h>

#define WAITING_MAX 4 /* ops that haven't ended, told of a group */
#define FRAMES_MAX  128
#define TEXT_SIZE   256

typedef const struct pickle_value *value;

struct group {
	value name, desc;
	int64_t done, entered;
	value last; /* the entry of `entered` */
	value waiting[WAITING_MAX];
	unsigned nwaiting;
};

struct dump {
	value root;
	unsigned rank;
	struct group group[FR_GROUPS_MAX];
	unsigned ngroups;
	FILE *f;
};

static bool same_text(value a, value b)
{
	return a && b && a->kind == PICKLE_TEXT && b->kind == PICKLE_TEXT &&
	       a->n == b->n && (a->n == 0 || !memcmp(a->text, b->text, a->n));
}

static bool is_text(value v, const char *text)
{
	return v && v->kind == PICKLE_TEXT && v->n == strlen(text) &&
	       !memcmp(v->text, text, v->n);
}

static bool begins(value v, const char *text)
{
	size_t n = strlen(text);

	return v && v->kind == PICKLE_TEXT && v->n >= n &&
	       !memcmp(v->text, text, n);
}

static void tell(FILE *f, value v)
{
	char text[TEXT_SIZE];

	row_text(f, pickle_text(v, text, sizeof(text)));
}

/* --- groups --- */

/* Of the entry; NULL: it names none, or there are too many. */
static struct group *group_of(struct dump *d, value entry)
{
	value both = pickle_get(entry, "process_group");
	value name = pickle_at(both, 0);

	if (!name || name->kind != PICKLE_TEXT)
		return NULL;
	for (unsigned i = 0; i < d->ngroups; i++)
		if (same_text(d->group[i].name, name))
			return &d->group[i];
	if (d->ngroups == FR_GROUPS_MAX)
		return NULL;
	d->group[d->ngroups] = (struct group){
		.name = name,
		.desc = pickle_at(both, 1),
	};
	return &d->group[d->ngroups++];
}

/* NCCL's and HCCL's entries are completed when an event says so; what is only
 * `retired` there has timed out. Gloo has no events, and retires what is done.
 */
static bool has_ended(value entry)
{
	if (is_text(pickle_get(entry, "state"), "completed"))
		return true;
	return begins(pickle_get(entry, "profiling_name"), "gloo:") &&
	       pickle_number(pickle_get(entry, "retired"), 0);
}

static bool is_p2p(value entry)
{
	return pickle_number(pickle_get(entry, "is_p2p"), 0);
}

static int64_t number_of(value entry)
{
	const char *key = is_p2p(entry) ? "p2p_seq_id" : "collective_seq_id";

	return pickle_number(pickle_get(entry, key), 0);
}

static void note(struct dump *d, value entry)
{
	struct group *g = group_of(d, entry);
	bool ended = has_ended(entry);
	int64_t number = number_of(entry);

	if (!g)
		return;
	if (!ended && g->nwaiting < WAITING_MAX)
		g->waiting[g->nwaiting++] = entry;
	if (is_p2p(entry))
		return;
	if (ended && number > g->done)
		g->done = number;
	if (number >= g->entered) {
		g->entered = number;
		g->last = entry;
	}
}

/* --- rows --- */

/* Frames of PyTorch and its relatives; the program's own may be in a package,
 * too. */
static bool is_torchs(value file)
{
	static const char *const parts[] = {
		"/torch/",	"/torch_npu/", "/torchcomms/",	  "/deepspeed/",
		"/accelerate/", "<frozen",     "<eval_with_key>", "<string>",
	};
	char text[1024];

	pickle_text(file, text, sizeof(text));
	if (!*text)
		return true;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(text, parts[i]))
			return true;
	return false;
}

/* NULL where the dump has no frames. */
static value frame_of(value entry)
{
	value frames = pickle_get(entry, "frames");

	for (size_t i = 0; i < FRAMES_MAX && pickle_at(frames, i); i++)
		if (!is_torchs(pickle_get(pickle_at(frames, i), "filename")))
			return pickle_at(frames, i);
	return pickle_at(frames, 0);
}

/* "[4, 4] [2]"; what is too long is cut */
static void tell_sizes(FILE *f, value sizes)
{
	char text[TEXT_SIZE] = "";
	int rc = 0;

	for (size_t i = 0; rc == 0 && pickle_at(sizes, i); i++) {
		value dims = pickle_at(sizes, i);

		rc = text_add(text, sizeof(text), " ", "[");
		for (size_t k = 0; rc == 0 && pickle_at(dims, k); k++)
			rc = text_add(text, sizeof(text), k ? ", " : "", "%lld",
				      (long long)pickle_number(
					      pickle_at(dims, k), 0));
		if (rc == 0)
			rc = text_add(text, sizeof(text), "", "]");
	}
	row_text(f, text);
}

static const char *state_of(value entry)
{
	if (has_ended(entry))
		return "done";
	return is_text(pickle_get(entry, "state"), "started") ? "started"
							      : "scheduled";
}

/* "nccl:all_reduce" without the library; "nccl:send 0->1" as it is */
static const char *op_name(value entry, char text[TEXT_SIZE])
{
	const char *colon;

	pickle_text(pickle_get(entry, "profiling_name"), text, TEXT_SIZE);
	colon = strchr(text, ':');
	return colon ? colon + 1 : text;
}

static void tell_op(struct dump *d, const struct group *g, value entry)
{
	value frame = frame_of(entry);
	char name[TEXT_SIZE];

	row_begin(d->f, "op");
	row_number(d->f, d->rank);
	tell(d->f, g->name);
	row_text(d->f, is_p2p(entry) ? "p2p" : "collective");
	row_number(d->f, number_of(entry));
	row_text(d->f, op_name(entry, name));
	tell_sizes(d->f, pickle_get(entry, "input_sizes"));
	row_text(d->f, state_of(entry));
	tell(d->f, pickle_get(frame, "name"));
	tell(d->f, pickle_get(frame, "filename"));
	row_number(d->f, pickle_number(pickle_get(frame, "line"), 0));
	row_end(d->f);
}

/* Of pg_config, by the group's name. */
static value ranks_of(const struct dump *d, const struct group *g)
{
	value groups = pickle_get(d->root, "pg_config");

	if (!groups || groups->kind != PICKLE_DICT)
		return NULL;
	for (size_t i = 0; i + 1 < groups->n; i += 2)
		if (same_text(groups->item[i], g->name))
			return pickle_get(groups->item[i + 1], "ranks");
	return NULL;
}

static void tell_group(struct dump *d, const struct group *g)
{
	bool told = !g->last;
	value ranks = ranks_of(d, g);

	row_begin(d->f, "group");
	row_number(d->f, d->rank);
	tell(d->f, g->name);
	tell(d->f, g->desc);
	/* a list of all ranks may be long */
	if (ranks && ranks->n < TEXT_SIZE)
		tell(d->f, ranks);
	else
		row_text(d->f, "");
	row_number(d->f, g->done);
	row_number(d->f, g->entered);
	row_end(d->f);
	for (unsigned i = 0; i < g->nwaiting; i++) {
		tell_op(d, g, g->waiting[i]);
		told = told || g->waiting[i] == g->last;
	}
	if (!told)
		tell_op(d, g, g->last);
}

static void note_all(struct dump *d)
{
	value entries = pickle_get(d->root, "entries");
	size_t n = entries && entries->kind == PICKLE_LIST ? entries->n : 0;
	size_t i = n > FR_ENTRIES_MAX ? n - FR_ENTRIES_MAX : 0;
	value first = pickle_at(entries, i);

	row_begin(d->f, "dump");
	row_number(d->f, d->rank);
	row_number(d->f, (long long)n);
	row_number(d->f, pickle_number(pickle_get(first, "record_id"), 0));
	row_end(d->f);
	for (; i < n; i++)
		note(d, pickle_at(entries, i));
}

int fr_read(const void *data, size_t size, unsigned rank, FILE *rows,
	    struct err *err)
{
	struct pickle *p = pickle_read(data, size, err);
	struct dump d = {.rank = rank, .f = rows};
	int rc = 0;

	if (!p)
		return -1;
	d.root = pickle_root(p);
	if (pickle_get(d.root, "version")) {
		note_all(&d);
		for (unsigned i = 0; i < d.ngroups; i++)
			tell_group(&d, &d.group[i]);
	} else {
		rc = err_printf(err, "it is no dump of a Flight Recorder");
	}
	pickle_free(p);
	return rc;
}
