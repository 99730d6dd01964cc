/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/registry.h"

#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/option/option.h"

#include <string.h>

#define TOKEN_MAX 8192
#define BLANKS	  " \t"

/* What to say of what follows the path of a key. */
#define PATH_GOES_ON                                                           \
	"if it belongs to the path of %s, write two commas before it"

static const char *everyday_name_nth(size_t n)
{
	const struct option_key *key;

	for (size_t i = 0; (key = key_nth(i)); i++)
		if (key->everyday && n-- == 0)
			return key->name;
	return NULL;
}

/* These first: of two that are as near one of them was meant. */
static const char *key_name_nth(size_t n)
{
	const struct option_key *key;

	for (size_t i = 0; (key = key_nth(i)); i++)
		if (key->everyday && n-- == 0)
			return key->name;
	key = key_nth(n);
	return key ? key->name : NULL;
}

/* One pass over KEY=VALUE[,...]. */
struct pass {
	enum value_source source;
	struct request *r;
	bool seen[KEY_COUNT];
	const struct option_key *path; /* before the pair: it may go on there;
					  NULL: there is none */
	bool in_doubt;		       /* its last part has a '=' */
	bool quoted;		       /* it has a comma: who wrote it knows */
};

/* Whether the pair looks like the rest of the path before it. */
static bool continues_path(const struct pass *p, const char *pair)
{
	return p->path &&
	       (p->in_doubt || strchr(pair, '/') || !strchr(pair, '='));
}

static int unknown_key(const char *name, bool rest, struct err *err)
{
	char shown[SHOW_SIZE], cure[OTHER_CURE_SIZE];

	if (rest)
		return err_printf(err, "unknown key %s", show(shown, name));
	if (other_word_cure(OTHER_KEY, name, cure))
		return err_printf(err, "unknown key %s; %s", show(shown, name),
				  cure);
	unknown_word_of(err, "key", name, key_name_nth, everyday_name_nth);
	text_add(err->text, sizeof(err->text), "; ", "%s",
		 "more: --dist-train=help");
	return -1;
}

/* Remember what may be a mistake of one who meant a longer path. */
static void note_path(struct pass *p, const struct option_key *key,
		      const char *value)
{
	if (p->in_doubt && !p->quoted && p->source >= VALUE_DEFAULTS) {
		p->r->path = p->path;
		p->r->after_path = key;
	}
	if (key->kind == KIND_PATH) {
		p->path = key;
		p->in_doubt = strchr(base_name(value), '=');
		p->quoted = strchr(value, ',');
	} else if (!p->in_doubt) {
		p->path = NULL;
	}
}

static int refuse_key(const struct framework *fw, const struct option_key *key,
		      struct err *err)
{
	char others[256];
	size_t n = frameworks_with_key(key, others, sizeof(others));

	return err_printf(err, "%s has no key '%s'; %s ha%s it%s", fw->name,
			  key->name, others, n == 1 ? "s" : "ve",
			  fw->program_is_file ? ", in the line of a role" : "");
}

/* The key's value into the request. A default has no effect with a framework
 * that doesn't have the key. */
static int take_value(struct pass *p, const struct option_key *key, int id,
		      const char *text, struct err *err)
{
	struct option_value value;

	if (value_parse(key, text, &value, err) < 0)
		return -1;
	value.source = p->source;
	if (id >= 0)
		request_set(p->r, (enum key_id)id, &value);
	else
		free(value.text);
	return 0;
}

/* One KEY=VALUE. */
static int parse_pair(struct pass *p, char *pair, bool rest, struct err *err)
{
	const struct framework *fw = p->r->framework;
	const struct option_key *key;
	char *eq = strchr(pair, '=');
	char shown[SHOW_SIZE];
	size_t len;
	int id;

	if (!*pair || pair == eq)
		return err_printf(err, "an empty key (two commas, one at the "
				       "end, or a blank after one that isn't "
				       "quoted); a key is KEY=VALUE");
	len = eq ? (size_t)(eq - pair) : strlen(pair);
	key = key_find(pair, len);
	id = request_key_find(p->r, pair, len);
	if (!key) {
		if (eq)
			*eq = '\0';
		return unknown_key(pair, rest, err);
	}
	if (!eq)
		return err_printf(err, "key %s has no value; write %s=VALUE",
				  show(shown, pair), key->name);
	if (id >= 0 && p->seen[id])
		return err_printf(err, "key '%s' is given twice", key->name);
	if (fw && p->source == VALUE_OPTION && !framework_has_key(fw, key))
		return refuse_key(fw, key, err);
	if (take_value(p, key, id, eq + 1, err) < 0)
		return -1;
	if (id >= 0)
		p->seen[id] = true;
	note_path(p, key, eq + 1);
	return 0;
}

/* Whether what follows a comma is one more item of the list, and not the next
 * key. */
static bool is_item(const struct option_key *key, const char *text)
{
	size_t len;

	text += strspn(text, BLANKS);
	len = strcspn(text, ",");
	if (key->kind == KIND_IFACES)
		return !memchr(text, '=', len) && !key_find(text, len);
	return key->kind == KIND_LIST && *text >= '0' && *text <= '9';
}

/* The length of the pair at `text`: up to the next comma, but a list takes
 * the items that follow it, and a path has two for one of its own. */
static size_t pair_length(const char *text, bool *ret_path)
{
	const char *eq = strchr(text, '=');
	size_t len = strcspn(text, ",");
	const struct option_key *key;

	key = eq ? key_find(text, (size_t)(eq - text)) : NULL;
	*ret_path = key && key->kind == KIND_PATH;
	while (*ret_path && text[len] == ',' && text[len + 1] == ',')
		len += 2 + strcspn(text + len + 2, ",");
	while (key && text[len] == ',' && is_item(key, text + len + 1))
		len += 1 + strcspn(text + len + 1, ",");
	return len;
}

/* Take out the blanks after the commas of a list, the second one of a path's
 * two. */
static void clean(char *text, bool path)
{
	char *to = text;

	while (*text) {
		bool comma = *text == ',';

		*to++ = *text++;
		if (comma)
			text += path ? 1 : strspn(text, BLANKS);
	}
	*to = '\0';
}

/* The pair at `text`, of `len` bytes. */
static int read_pair(struct pass *p, const char *text, size_t len, bool path,
		     struct err *err)
{
	cleanup_free char *pair = NULL;
	char shown[SHOW_SIZE];
	bool rest;

	if (len > TOKEN_MAX)
		return err_printf(err, "a key of %zu bytes (%s); at most %d",
				  len, show(shown, text), TOKEN_MAX);
	pair = strndup(text, len);
	if (!pair)
		return err_memory(err);
	clean(pair, path);
	rest = *pair && continues_path(p, pair);
	if (parse_pair(p, pair, rest, err) == 0)
		return 0;
	if (rest)
		text_add(err->text, sizeof(err->text), "; ", PATH_GOES_ON,
			 p->path->name);
	return -1;
}

int request_pairs(const char *text, enum value_source source, struct request *r,
		  struct err *err)
{
	struct pass pass = {.source = source, .r = r};

	for (;;) {
		size_t len;
		bool path;

		text += strspn(text, BLANKS);
		len = pair_length(text, &path);
		if (read_pair(&pass, text, len, path, err) < 0)
			return -1;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

bool option_path_remark(const struct request *r, char *buf, size_t size)
{
	if (!r->after_path)
		return false;
	snprintf(buf, size, "%s is read as a key; " PATH_GOES_ON,
		 r->after_path->name, r->path->name);
	return true;
}

/* Each key is somebody's: as each framework reads it. */
int request_check_defaults(const char *defaults, struct err *err)
{
	const struct framework *fw;
	struct request r;
	int rc = 0;

	for (size_t i = 0; rc == 0 && (fw = framework_nth(i)); i++) {
		request_init(&r, fw->keys);
		rc = request_pairs(defaults, VALUE_SITE, &r, err);
		request_clear(&r);
	}
	return rc;
}
