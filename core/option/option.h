/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THE option: FRAMEWORK[,KEY=VALUE]... and the table of its keys.
 *
 * core/option holds the words that people write, and what they come to:
 * option.h	the keys that a user writes after --dist-train=, and a request
 * config.h	what the administrator has written in plugstack.conf
 * profile.h	an administrator's set of variables, profile_default.c which
 *		of them a node has by default
 * key_forms.h	the keys hang, end-signal, requeue and restart-on
 * groups.h	the names and sizes of the key groups
 * ladder.h	the words of the key on-node-loss, and what follows from lease
 *
 * The keys of all frameworks are the table in option_keys.def; those that one
 * framework has for itself are a table in its file. Parser, `srun --help`, the
 * manual page and shell completion come from these.
 * Values only: which keys, frameworks and dialects there are registry/ knows,
 * and it takes the whole option apart. That runs in srun, sbatch and salloc,
 * again in slurmstepd and in the launcher, because what another process has
 * checked is not trusted. Nothing here reads a file or logs.
 */
#pragma once

#include "core/base/err.h"
#include "core/option/config.h"

#include <stdbool.h>
#include <stddef.h>

#define OWN_KEYS_MAX 8

enum key_id {
#define KEY(id, ...) KEY_##id,
#define OWN_KEYS                                                               \
	KEY_OWN, /* those that the framework has for itself: OWN_KEY(n) */     \
		KEY_LAST_OWN = KEY_OWN + OWN_KEYS_MAX - 1, KEY_OWN_END,        \
		KEY_BEHIND_OWN = KEY_LAST_OWN,
#include "core/option/option_keys.def"
#undef KEY
#undef OWN_KEYS
	KEY_COUNT,
};

/* The n-th of a framework's own keys. */
#define OWN_KEY(n) ((enum key_id)(KEY_OWN + (n)))

/* Words of a key, in the order of its `words`; -1 is a value of another kind
 * (request_number(), request_text()). */
enum { PROCS_N = -1, PROCS_AUTO, PROCS_TASK, PROCS_DEVICE };
enum { SUPERVISE_AUTO, SUPERVISE_YES, SUPERVISE_NO };
enum { PORT_N = -1, PORT_AUTO };
enum { ADDR_NIC = -1, ADDR_AUTO, ADDR_NAME, ADDR_IP };
enum { NIC_IFACES = -1, NIC_AUTO, NIC_ALL, NIC_OFF };
enum { BIND_AUTO, BIND_OFF };
enum { TABLE_AUTO, TABLE_1_0, TABLE_1_2, TABLE_2_0, TABLE_NONE };
enum { EXCHANGE_AUTO, EXCHANGE_NONE, EXCHANGE_PMIX, EXCHANGE_TCP };
enum { VISIBLE_AUTO, VISIBLE_ALL, VISIBLE_ONE };
enum { LOCAL_RANK_PROCESS, LOCAL_RANK_DEVICE };
enum { RESTART_ON_LIST = -1, RESTART_ON_ANY, RESTART_ON_SIGNAL };
enum {
	ON_NODE_LOSS_LADDER = -1,
	ON_NODE_LOSS_AUTO,
	ON_NODE_LOSS_FAIL,
	ON_NODE_LOSS_REQUEUE,
	ON_NODE_LOSS_REPLACE,
};
enum { ON_SILENCE_WAIT, ON_SILENCE_FAIL };
enum { CHECK_OFF, CHECK_FAST, CHECK_FULL };
enum { HANG_LIMIT = -1, HANG_OFF };
enum { END_SIGNAL_TIME = -1, END_SIGNAL_NONE };
enum { REQUEUE_CAUSES = -1, REQUEUE_NONE };
enum { RECORD_AUTO, RECORD_OFF };
enum { PROGRESS_AUTO, PROGRESS_YES, PROGRESS_NO };
enum { STAGE_NONE, STAGE_AUTO };
enum { STAGE_WRITE_NO, STAGE_WRITE_OVERLAY };
enum { METRICS_OFF, METRICS_ON };
enum { CODE_LIVE, CODE_FREEZE };
enum { EARLY_EXIT_OK, EARLY_EXIT_FAIL };
enum { EXPLAIN_NO, EXPLAIN_YES, EXPLAIN_ONLY };
enum { DIALECT_NONE };
enum { RUN_ON_ALL, RUN_ON_FIRST };
enum { ORDER_SLURM, ORDER_TOPOLOGY };
enum { NO, YES };

/* What a value may be besides one of the words. */
enum key_kind {
	KIND_WORD,    /* nothing else */
	KIND_NUMBER,  /* a number in [min, max] */
	KIND_SECONDS, /* a time in [min, max] seconds: 90, 90s, 5m, 1h */
	KIND_SIZE,    /* in [min, max] bytes: 0, 500M, 20G */
	KIND_IFACE,   /* a network interface's name, after `prefix` if any */
	KIND_IFACES,  /* one or more; takes the commas that follow */
	KIND_NAMES,   /* NAME[+NAME]... */
	KIND_PATH,    /* a file name or pattern */
	KIND_LIST,    /* numbers in [min, max]; takes the commas that follow */
	KIND_LADDER,  /* what core/option/ladder.h reads */
	KIND_HANG,    /* what core/option/key_forms.h reads */
	KIND_END_SIGNAL, /* what core/option/key_forms.h reads */
	KIND_REQUEUE,	 /* what core/option/key_forms.h reads */
	KIND_GROUPS,	 /* what core/option/groups.h reads */
};

#define OPTION_COUNT_MAX 1000000 /* the largest of most numbers */
#define SIZE_MAX_BYTES	 (1L << 50)

/* Where a value comes from, the weakest first. */
enum value_source {
	VALUE_INITIAL,	 /* the table of keys */
	VALUE_FRAMEWORK, /* what the framework has for it */
	VALUE_SITE,	 /* the administrator's default= */
	VALUE_DEFAULTS,	 /* the user's own SLURM_DIST_TRAIN_DEFAULTS */
	VALUE_DIALECT,	 /* the dialect that was asked for */
	VALUE_OPTION,	 /* the option itself */
};

/* A value: one of the key's words, or a number, or text. */
struct option_value {
	int word;    /* index into the key's words, or -1 */
	long number; /* of a kind that has numbers, when word is -1 */
	char *text;  /* other kinds when word is -1 (without prefix); owned */
	enum value_source source;
};

/* Which frameworks have a key (registry/registry.h). */
enum key_group {
	KEYS_OF_ALL,	    /* or, in a framework's table, that one */
	KEYS_OF_NPUS,	    /* that may have Ascend NPUs and a rank table */
	KEYS_OF_LOCAL_RANK, /* that give the variable LOCAL_RANK */
};

struct option_key {
	const char *name;
	const char *words;  /* blank-separated, the default first */
	const char *value;  /* what else, as the help shows it; or NULL */
	const char *prefix; /* KIND_IFACE: before the interface; or NULL */
	const char *fields; /* KIND_PATH: what a '%' may have (core/option/
			       file_pattern.h); NULL: it is no pattern */
	enum key_group group;
	enum key_id with; /* without that key it has no effect; 0: any */
	enum key_kind kind;
	long min, max;
	long initial;  /* a number without words: the default */
	bool everyday; /* one of those that most users need */
	/* Where it isn't its default, each task needs a launcher, for this
	 * reason: the key, or with its word; or NULL. */
	const char *launcher;
	const char *meaning;
};

/* Those that are nobody's own; from KEY_OWN to KEY_OWN_END they have no name.
 */
extern const struct option_key option_keys[KEY_COUNT];

/* Whether its values are numbers, where they aren't words. */
static inline bool option_has_numbers(const struct option_key *key)
{
	return key->kind == KIND_NUMBER || key->kind == KIND_SECONDS ||
	       key->kind == KIND_SIZE || key->kind == KIND_LIST;
}

/* Whether it has no words, but a number of its own when nobody gives one. */
static inline bool option_has_initial(const struct option_key *key)
{
	return !*key->words &&
	       (key->kind == KIND_NUMBER || key->kind == KIND_SECONDS);
}

struct framework;
struct framework_alias;
struct dialect;
struct dialect_form;

/* What the user asked for. */
struct request {
	const struct framework *framework;   /* NULL: off (`none`) */
	const struct framework_alias *alias; /* by which it was asked for;
						NULL: by its own name */
	const struct option_key *own;	     /* the framework's keys, or NULL */
	struct option_value key[KEY_COUNT];  /* core/option's alone: others read
						it by request_word() and so on
						(tests/rooms) */
	const struct dialect *dialect;	     /* NULL: none */
	const struct dialect_form *form;     /* its form of the framework */
	const struct option_key *path, *after_path; /* a path, and a key behind
					it that may be meant as a part of it;
					NULL: there are none */
};

/* All keys at their defaults, for no framework; and those that one has for
 * itself, which end with one that has no name (NULL: it has none). */
void request_init(struct request *request, const struct option_key *own);

/* What a number stands for; NULL: the framework has no such key. */
const struct option_key *request_key(const struct request *request,
				     enum key_id id);

/* The number of the key of that name of `len` bytes, in any case of letters;
 * -1: neither the option nor its framework has one. */
int request_key_find(const struct request *request, const char *name,
		     size_t len);

/* Give a key the value, which the request owns from now on. */
void request_set(struct request *request, enum key_id id,
		 const struct option_value *value);

/* Free what a request owns and turn it off. */
void request_clear(struct request *request);

/* The value of a key, one function for each kind. None of them fails. */

/* The index of the word, or -1: the value is of the key's other kind. */
static inline int request_word(const struct request *r, enum key_id id)
{
	return r->key[id].word;
}

/* Whether a key with the words "no yes" says yes. */
static inline bool request_yes(const struct request *r, enum key_id id)
{
	return r->key[id].word == YES;
}

/* A number, or a time in seconds; 0 where a word was given. */
static inline long request_number(const struct request *r, enum key_id id)
{
	return r->key[id].number;
}

/* The number of a key whose unit is the second. */
static inline long request_seconds(const struct request *r, enum key_id id)
{
	return r->key[id].number;
}

/* The other kinds: the text, which belongs to the request; NULL where a word
 * or nothing was given. */
static inline const char *request_text(const struct request *r, enum key_id id)
{
	return r->key[id].text;
}

/* Whether the value isn't the key's default, wherever it comes from. */
bool request_differs(const struct request *r, enum key_id id);

/* Whether the user himself has given the key in the option. */
static inline bool request_given(const struct request *r, enum key_id id)
{
	return r->key[id].source == VALUE_OPTION;
}

/* The keys that the option or somebody's defaults have set, "procs=2, label=yes
 * (SLURM_DIST_TRAIN_DEFAULTS), ...", cut to `size`; "" for none. */
void request_keys_text(const struct request *r, char *buf, size_t size);

/* Set a key to one of its words for the dialect, unless the user himself has
 * given it. Returns whether it was set. */
bool request_set_word(struct request *request, enum key_id id, int word);

/* What a key's values look like: "auto|task|device|N". Returns buf. */
const char *option_values(const struct option_key *key, char *buf, size_t size);

/*
 * The key stage: the folders and files that are brought to each node's own
 * disk, "PATH[+PATH]...". Pure words; helpers/stage brings them.
 */

#define STAGE_PATHS_MAX 8

/* Whether that makes sense: 0 or -1. */
int stage_check(const struct request *request, struct err *err);

/* The next path of a text, which is moved behind it: its begin, *ret_len bytes
 * long; NULL: that was all. */
const char *stage_next_path(const char **text, size_t *ret_len);

/* So many bytes of copies may stay on a node behind the step's end, by the
 * user's key and the administrator's argument; -1: all. */
long stage_keeps(const struct request *request, const struct config *config);

/*
 * One value of the option: the text after KEY=. The option, plugstack.conf, a
 * user's defaults and `dist-train explain` all read it here, so that a word
 * means the same everywhere.
 */

/* Read a value. Words are read in any case. yes, on, true and 1 are one word
 * where the key has a yes (or an off beside an auto, which is its yes then);
 * no, off, false, 0 and none are one where it has a no. A key that takes
 * numbers takes 0 and 1 as numbers. Times are seconds, or have s, m or h
 * behind the number. On success ret->text is the caller's; on failure *ret is
 * untouched and the error says what the key takes. */
int value_parse(const struct option_key *key, const char *text,
		struct option_value *ret, struct err *err);

/* Whether a word turns a thing off: "none" in any case, and what means the
 * same. */
bool value_is_off(const char *text);
