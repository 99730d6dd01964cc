/* SPDX-License-Identifier: Apache-2.0 */
/* A launcher that is asked for what it sees: who gets which answer. */
#include "helpers/look/look_state.h"

#include "helpers/conn/message.h"
#include "helpers/launch/launch.h"
#include "helpers/part/part.h"

#include "tests/fixtures/unit.h"

static struct launch l;
static char sent[512]; /* MSG_SEEN */

/* --- the stand-in --- */

void session_send(struct session *session, char type, const char *data,
		  size_t n)
{
	size_t at = strlen(sent);

	(void)session;
	(void)n;
	snprintf(sent + at, sizeof(sent) - at, "%c%.100s", type, data);
}

static void look_told(const char *text)
{
	look_part.messages->take(&l, text);
}

static void own(void **state)
{
	char text[SIGHT_MAX / 1000];

	(void)state;
	launch_show(&l);
	look_told("3 100 status a b");
	assert_string_equal(sent, "n3 a b");
	*sent = '\0';
	look_told("4 100 dreams");
	assert_string_equal(sent, "n4 unknown\n");
	*sent = '\0';
	look_told("x");
	look_told("5 0 status");
	look_told("");
	memset(text, ' ', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	look_told(text);
	assert_string_equal(sent, "");
	look_part.close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(own)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
