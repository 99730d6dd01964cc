/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage_tree MEMBERS FOLDER WORK: how a folder comes to so many nodes by the
 * key stage, with the controller's own decisions, and the launchers' own sealed
 * connections and tar, all in this process over loopback. Each member copies
 * into a folder below WORK, which is empty before. One line: bytes that were
 * read from FOLDER and that the first node has sent, moves from node to node
 * behind each other, and the time.
 */
#include "core/base/parse.h"
#include "helpers/copies/tree.h"
#include "helpers/stage/copy_give.h"
#include "helpers/stage/copy_take.h"
#include "helpers/step/stage_hosts.h"
#include "sys/folder.h"
#include "sys/loop.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PORT_FIRST 21000
#define AT_A_TIME  32 /* on one machine: all at once would be late for all */
#define LATER_MS   20

struct member {
	unsigned i, moves; /* behind each other until it was here */
	int folder;
	struct copy_give *give;
	struct copy_take *take;
	struct growing growing;
	struct loop_timer told; /* in the next turn */
	char text[128];
};

static struct loop loop;
static const unsigned char secret[SECRET_SIZE] = {1, 2, 3};
static const struct secure_conn_step step = {
	.loop = &loop,
	.secret = secret,
	.id = "1.0.0",
	.lease_s = 60,
};
static struct stage_hosts *hosts;
static struct member *member;
static unsigned n, nhave, nfirst, nmove, deepest;
static const char *source;
static unsigned long long nread;
static struct tree_sum sum;

static void die(const char *why)
{
	fprintf(stderr, "stage_tree: %s\n", why);
	exit(1);
}

static unsigned own_port(const void *arg, unsigned try)
{
	const struct member *m = arg;

	return try ? 0 : PORT_FIRST + m->i;
}

static struct copy_source on_guest(void *arg, long number)
{
	const struct member *m = arg;

	(void)number;
	return (struct copy_source){
		.folder = m->folder,
		.name = base_name(source),
		.growing = m->growing,
	};
}

static void tell(const struct member *m, const char *word)
{
	char text[32];

	snprintf(text, sizeof(text), "%s 0 %u", word, copy_give_port(m->give));
	stage_hosts_note(hosts, m->i, text);
}

/* As it comes it is given to others. */
static void fill(struct member *m)
{
	const struct copy_give_options options = {
		.step = &step,
		.node = "node",
		.nmembers = n,
		.port = own_port,
		.port_arg = m,
		.copy = on_guest,
		.arg = m,
	};
	struct err err;

	m->give = copy_give_open(&options, &err);
	if (!m->give || growing_open(&m->growing) < 0)
		die("no copy");
	tell(m, "fills");
}

static void have(struct member *m)
{
	deepest = m->moves > deepest ? m->moves : deepest;
	tell(m, "have");
	if (++nhave == n)
		loop_stop(&loop);
}

/* As the launcher does it: what has come is looked at. */
static void on_taken(void *arg, const char *why, const char *said)
{
	struct member *m = arg;
	struct tree_sum come;
	struct err err;

	if (why || *said)
		die(why ? why : said);
	copy_take_close(m->take);
	m->take = NULL;
	nmove--;
	if (tree_walk(m->folder, base_name(source), -1, NULL, &come, &err) < 0)
		die(err.text);
	if (strcmp(come.whole, sum.whole) != 0)
		die("it isn't the same");
	have(m);
}

static void take(struct member *m, unsigned port)
{
	const struct copy_take_options options = {
		.step = &step,
		.ip = "127.0.0.1",
		.port = port,
		.folder = m->folder,
		.growing = &m->growing,
		.done = on_taken,
		.arg = m,
	};
	struct err err;

	fill(m);
	nmove++;
	nfirst += port == PORT_FIRST;
	m->moves = member[port - PORT_FIRST].moves + 1;
	m->take = copy_take_open(&options, &err);
	if (!m->take)
		die(err.text);
}

static void read_source(struct member *m)
{
	char dir[4096];
	struct err err;
	int from;

	snprintf(dir, sizeof(dir), "%.*s", (int)(base_name(source) - source),
		 source);
	from = open(dir, O_RDONLY | O_DIRECTORY);
	fill(m);
	if (tree_walk(from, base_name(source), m->folder, &m->growing, &sum,
		      &err) < 0)
		die(err.text);
	growing_end(&m->growing);
	nread = m->growing.grown->bytes;
	close(from);
	have(m);
}

static void on_told(void *arg)
{
	struct member *m = arg;
	unsigned port;

	if (nmove == AT_A_TIME)
		loop_arm(&loop, &m->told, LATER_MS);
	else if (!strcmp(m->text, "read 0"))
		read_source(m);
	else if (sscanf(m->text, "from 0 %u", &port) == 1)
		take(m, port);
	else
		die(m->text);
}

static void on_tell(void *arg, unsigned i, const char *text)
{
	(void)arg;
	snprintf(member[i].text, sizeof(member[i].text), "%s", text);
	loop_arm(&loop, &member[i].told, 0);
}

static int on_address(void *arg, unsigned i, char ret[IP_TEXT_SIZE])
{
	(void)arg;
	(void)i;
	snprintf(ret, IP_TEXT_SIZE, "127.0.0.1");
	return 0;
}

static bool is_same(void *arg, unsigned a, unsigned b)
{
	(void)arg;
	return a == b;
}

static void make_members(const char *work)
{
	int base = open(work, O_RDONLY | O_DIRECTORY);
	char name[16];

	member = calloc(n, sizeof(*member));
	for (unsigned i = 0; i < n; i++) {
		struct member *m = &member[i];

		snprintf(name, sizeof(name), "%u", i);
		mkdirat(base, name, 0700);
		m->i = i;
		m->folder = openat(base, name, O_RDONLY | O_DIRECTORY);
		m->told = (struct loop_timer){.expired = on_told, .arg = m};
		if (m->folder < 0)
			die("no folder for each");
	}
}

int main(int argc, char *argv[])
{
	struct stage_hosts_options options = {
		.tell = on_tell,
		.address = on_address,
		.same_node = is_same,
	};
	const struct rlimit files = {65536, 65536};
	uint64_t began_ms;
	struct err err;
	long number;

	setrlimit(RLIMIT_NOFILE, &files);
	if (argc != 4 || parse_number(argv[1], 1, 5000, &number) < 0)
		die("MEMBERS FOLDER WORK");
	n = options.n = (unsigned)number;
	source = argv[2];
	if (loop_open(&loop, &err) < 0)
		die(err.text);
	make_members(argv[3]);
	hosts = stage_hosts_new(&options);
	began_ms = loop_now_ms();
	for (unsigned i = 0; i < n; i++)
		stage_hosts_note(hosts, i, "lack 0");
	if (loop_run(&loop, &err) < 0)
		die(err.text);
	printf("%5u nodes: %lu files, %.2f MB; read %.2f MB, the first has "
	       "sent "
	       "%.2f MB, %u moves, %.1f s\n",
	       n, sum.files, (double)sum.bytes / 1e6, (double)nread / 1e6,
	       nfirst * (double)sum.bytes / 1e6, deepest,
	       (double)(loop_now_ms() - began_ms) / 1000);
	return 0;
}
