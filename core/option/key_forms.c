/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/key_forms.h"

#include "core/base/exit_code.h"
#include "core/base/parse.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXT_SIZE 32

static const char words[] = "report restart fail"; /* enum hang_act */

static int refuse(const char *text, struct err *err)
{
	const struct option_key *key = &option_keys[KEY_HANG];
	char shown[SHOW_SIZE];

	return err_printf(err,
			  "%s=%s: must be off, or a number of seconds from %ld "
			  "to %ld, or with s, m, h, and behind it nothing, "
			  ":report, :restart or :fail",
			  key->name, show(shown, text), key->min, key->max);
}

int hang_parse(const char *text, struct hang *ret, struct err *err)
{
	const struct option_key *key = &option_keys[KEY_HANG];
	size_t n = strcspn(text, ":");
	const char *word = text[n] ? text + n + 1 : "report";
	char time[TEXT_SIZE];
	long seconds;
	int act;

	if (n >= sizeof(time) ||
	    !word_find_any_case(words, word, strlen(word), &act))
		return refuse(text, err);
	memcpy(time, text, n);
	time[n] = '\0';
	if (parse_seconds(time, key->min, key->max, &seconds) < 0)
		return refuse(text, err);
	*ret = (struct hang){.seconds = seconds, .act = (enum hang_act)act};
	return 0;
}

void hang_of(const struct request *r, struct hang *ret)
{
	const char *text = request_text(r, KEY_HANG);
	struct err ignored;

	*ret = (struct hang){0};
	if (text)
		hang_parse(text, ret, &ignored);
}

/* Words of a key, and what each stands for. */
struct word {
	const char *text;
	int value;
};

/* Those that a program catches to save; not KILL, which none can, nor what the
 * kernel sends for a fault. */
static const struct word signals[] = {
	{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"TERM", SIGTERM},
	{"INT", SIGINT},   {"HUP", SIGHUP},   {NULL, 0},
};

static const struct word causes[] = {
	{"time-limit", REQUEUE_TIME_LIMIT},
	{"preemption", REQUEUE_PREEMPTION},
	{"node-loss", REQUEUE_NODE_LOSS},
	{"failure", REQUEUE_FAILURE},
	{NULL, 0},
};

/* 0: it is none of them. */
static int value_of(const struct word *word, const char *text, size_t n)
{
	while (word->text && (strlen(word->text) != n ||
			      strncasecmp(word->text, text, n) != 0))
		word++;
	return word->value;
}

static const char *text_of(const struct word *word, int value)
{
	while (word->text && word->value != value)
		word++;
	return word->text ? word->text : "";
}

static int find_signal(const char *name, size_t n)
{
	bool whole = n > 3 && !strncasecmp(name, "SIG", 3);

	return value_of(signals, name + (whole ? 3 : 0), n - (whole ? 3 : 0));
}

const char *end_signal_name(int number)
{
	return text_of(signals, number);
}

int end_signal_parse(const char *text, struct end_signal *ret, struct err *err)
{
	const struct option_key *key = &option_keys[KEY_END_SIGNAL];
	const char *at = strchr(text, '@');
	struct end_signal e = {.number = SIGUSR1};
	char shown[SHOW_SIZE];

	if (at)
		e.number = find_signal(text, (size_t)(at - text));
	if (!e.number || parse_seconds(at ? at + 1 : text, key->min, key->max,
				       &e.seconds) < 0)
		return err_printf(
			err,
			"%s=%s: must be none, or a number of seconds "
			"from %ld to %ld, or with s, m, h, and before "
			"it nothing, USR1@, USR2@, TERM@, INT@ or "
			"HUP@",
			key->name, show(shown, text), key->min, key->max);
	*ret = e;
	return 0;
}

void end_signal_of(const struct request *r, struct end_signal *ret)
{
	const char *text = request_text(r, KEY_END_SIGNAL);
	struct err ignored;

	*ret = (struct end_signal){0};
	if (text)
		end_signal_parse(text, ret, &ignored);
}

const char *requeue_word(enum requeue_cause cause)
{
	return text_of(causes, (int)cause);
}

int requeue_parse(const char *text, struct err *err)
{
	unsigned set = 0;
	char shown[SHOW_SIZE];

	for (const char *at = text; at; at = strchr(at, '+')) {
		unsigned cause;

		at += at != text;
		cause = (unsigned)value_of(causes, at, strcspn(at, "+"));
		if (!cause || set & cause)
			return err_printf(err,
					  "%s=%s: must be none, or some of "
					  "time-limit, preemption, node-loss "
					  "and failure, each once, joined by +",
					  option_keys[KEY_REQUEUE].name,
					  show(shown, text));
		set |= cause;
	}
	return (int)set;
}

unsigned requeue_of(const struct request *r)
{
	const char *text = request_text(r, KEY_REQUEUE);
	struct err ignored;

	return text ? (unsigned)requeue_parse(text, &ignored) : 0;
}

bool restart_is_worth(const struct request *request, int code)
{
	const struct option_value *on = &request->key[KEY_RESTART_ON];
	const char *list = on->text;
	struct hang hang;

	hang_of(request, &hang);
	if (code == HANG_CODE && hang.act == HANG_RESTART)
		return true;
	if (on->word == RESTART_ON_SIGNAL)
		return code >= 128;
	if (on->word == RESTART_ON_ANY)
		return !exit_is_no_start(code);
	while (list && *list) {
		char *end;

		if (strtol(list, &end, 10) == code)
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

const char *restart_on_text(const struct request *request,
			    char buf[RESTART_ON_SIZE])
{
	const struct option_value *on = &request->key[KEY_RESTART_ON];

	if (on->word == RESTART_ON_SIGNAL)
		snprintf(buf, RESTART_ON_SIZE,
			 "restart-on=signal (128 and above)");
	else if (on->word == RESTART_ON_ANY)
		snprintf(buf, RESTART_ON_SIZE,
			 "restart-on=any (all but %d and %d)", EXIT_NOT_RUN,
			 EXIT_NOT_FOUND);
	else
		snprintf(buf, RESTART_ON_SIZE, "restart-on=%.100s", on->text);
	return buf;
}
