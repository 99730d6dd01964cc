/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/component_options.h"

#include "core/base/text.h"
#include "registry/registry.h"

#include <stdlib.h>
#include <string.h>

/* What a component may have for itself: how its own tasks become processes. */
static const enum key_id own_keys[] = {KEY_PROCS, KEY_VISIBLE, KEY_LOCAL_RANK,
				       KEY_BIND};

/* --- the text --- */

char *components_text(const char *const *text, unsigned n)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	unsigned same = 1;

	while (same < n && !strcmp(text[same], text[0]))
		same++;
	for (unsigned i = 0; f && i < (same == n ? 1 : n); i++) {
		if (i)
			fputc('\n', f);
		for (const char *at = text[i]; *at; at++)
			fputc(*at == '\n' ? ' ' : *at, f);
	}
	return text_stream_take(&stream);
}

bool components_differ(const char *texts)
{
	return strchr(texts, '\n');
}

/* The line of that number, for the caller to free; NULL: there is none, or out
 * of memory. */
static char *line_of(const char *texts, unsigned number)
{
	for (; number && texts; number--) {
		texts = strchr(texts, '\n');
		texts = texts ? texts + 1 : NULL;
	}
	return texts ? strndup(texts, strcspn(texts, "\n")) : NULL;
}

/* --- what may differ --- */

static bool is_own(enum key_id id)
{
	for (size_t i = 0; i < sizeof(own_keys) / sizeof(*own_keys); i++)
		if (own_keys[i] == id)
			return true;
	return false;
}

static bool is_same(const struct request *a, const struct request *b,
		    enum key_id id)
{
	const char *x = request_text(a, id), *y = request_text(b, id);

	return request_word(a, id) == request_word(b, id) &&
	       request_number(a, id) == request_number(b, id) &&
	       (x == y || (x && y && !strcmp(x, y)));
}

static int compare(const struct request *a, unsigned na,
		   const struct request *b, unsigned nb, struct err *err)
{
	if (a->framework != b->framework)
		return err_printf(
			err,
			"component %u asks for %s, but component %u "
			"for %s: the components of a step are one "
			"world; give all the same framework, or "
			"start them by an srun each",
			nb, b->framework ? b->framework->name : "none", na,
			a->framework ? a->framework->name : "none");
	for (enum key_id id = 0; a->framework && id < KEY_COUNT; id++)
		if (!is_own(id) && !is_same(a, b, id))
			return err_printf(
				err,
				"components %u and %u differ in the key %s, "
				"which holds for the whole step; only procs, "
				"visible, local-rank and bind may differ. Give "
				"%s to both or to neither",
				na, nb, option_keys[id].name,
				option_keys[id].name);
	return 0;
}

static int read_text(const char *text, const struct config *c,
		     struct request *ret, struct err *err)
{
	return request_parse(text, c->defaults, c->allow, ret, err);
}

int components_agree(const char *a, unsigned number_of_a, const char *b,
		     unsigned number_of_b, const struct config *config,
		     struct err *err)
{
	struct request ra = {0}, rb = {0};
	int rc = read_text(a, config, &ra, err);

	if (rc == 0)
		rc = read_text(b, config, &rb, err);
	if (rc == 0)
		rc = compare(&ra, number_of_a, &rb, number_of_b, err);
	request_clear(&ra);
	request_clear(&rb);
	return rc;
}

/* --- where they are used --- */

int components_request(const char *texts, unsigned number,
		       const struct config *config, struct request *ret,
		       struct err *err)
{
	cleanup_free char *text = line_of(texts, number);

	if (!text)
		return err_printf(
			err, "srun has told no option of component %u", number);
	return read_text(text, config, ret, err);
}

int components_wishes(const char *texts, const struct config *config,
		      struct component_wish *ret, unsigned *ret_n,
		      struct err *err)
{
	unsigned n = 0;

	for (const char *at = texts; at && n < COMPONENTS_MAX; n++) {
		struct request r = {0};

		if (components_request(texts, n, config, &r, err) < 0)
			return -1;
		ret[n].word = request_word(&r, KEY_PROCS);
		ret[n].n = (unsigned)request_number(&r, KEY_PROCS);
		request_clear(&r);
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	*ret_n = n;
	return 0;
}

/* Slurm has told all nodes the last component's. */
static int take_request(const char *texts, const struct config *config,
			const struct job *job, struct request *request,
			struct err *err)
{
	struct request own = {0};
	unsigned number, n;

	if (!components_differ(texts))
		return 0;
	if (component_of(job, job->procid, &number, &n, err) < 0 ||
	    components_request(texts, number, config, &own, err) < 0)
		return -1;
	request_clear(request);
	*request = own;
	return 0;
}

int components_take(const char *texts, const struct config *config,
		    struct job *job, struct request *request,
		    char remark[COMPONENTS_REMARK_SIZE], struct err *err)
{
	struct component_wish wish[COMPONENTS_MAX];
	unsigned n;

	*remark = '\0';
	if (!job->firsts || job->dealt)
		return 0;
	if (components_wishes(texts, config, wish, &n, err) < 0 ||
	    components_deal(job, wish, n, remark, err) < 0)
		return -1;
	if (job->gres && request->framework->npu)
		*remark = '\0'; /* it can't be */
	return take_request(texts, config, job, request, err);
}
