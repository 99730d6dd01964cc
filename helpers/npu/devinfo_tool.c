/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hccn_tool and npu-smi. The driver answers one hccn_tool at a time on a node
 * and refuses others as busy, so calls hold a lock on the tool's own file,
 * which all jobs and containers share and which leaves nothing behind. Whoever
 * can read the file can hold the lock for ever: it is waited for once and not
 * for long, and the answer 'busy' is what is relied on.
 */
#include "core/ascend/hccn.h"
#include "helpers/npu/devinfo.h"
#include "sys/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define TOOL "/usr/local/Ascend/driver/tools/hccn_tool"

#define OUTPUT_SIZE	16384
#define LOCK_WAIT_MS	2000
#define LOCK_POLL_MS	10
#define BUSY_FIRST_MS	50
#define BUSY_LONGEST_MS 1000
#define BUSY_TRIES	20

static const char *const npu_smi_places[] = {
	"/usr/local/bin/npu-smi",
	"/usr/local/sbin/npu-smi",
	"/usr/bin/npu-smi",
};

#define NPLACES (sizeof(npu_smi_places) / sizeof(npu_smi_places[0]))

/* State of a sequence of calls: the tool and its lock. */
struct caller {
	struct devinfo_query *query;
	char path[PATH_MAX];
	int fd;	      /* the tool's file, to lock; -1: none */
	bool no_lock; /* another process held the lock too long */
};

static void take_lock(struct caller *c, int call_ms)
{
	int wait_ms = call_ms / 4 < LOCK_WAIT_MS ? call_ms / 4 : LOCK_WAIT_MS;
	uint64_t until = loop_now_ms() + (uint64_t)wait_ms;

	if (c->fd < 0 || c->no_lock)
		return;
	while (flock(c->fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK || loop_now_ms() >= until) {
			c->no_lock = true;
			return;
		}
		poll(NULL, 0, LOCK_POLL_MS);
	}
}

static void drop_lock(struct caller *c)
{
	if (c->fd >= 0 && !c->no_lock)
		flock(c->fd, LOCK_UN);
}

/* Call the tool once; repeat while it is busy. HCCN_FAILED with *ret_late means
 * that it hung, as the next call would. */
static enum hccn_answer call_tool(struct caller *c, struct npu *npu, bool v6,
				  bool *ret_late, struct err *err)
{
	int call_ms = devinfo_call_ms(c->query), pause = BUSY_FIRST_MS;
	uint64_t until = loop_now_ms() + (uint64_t)call_ms;
	char id[16], output[OUTPUT_SIZE];
	const char *argv[] = {c->path, "-i", id, "-ip", "-g", NULL, NULL};
	enum hccn_answer answer = HCCN_BUSY;

	snprintf(id, sizeof(id), "%u", npu->phy_id);
	if (v6) {
		argv[4] = "-inet6";
		argv[5] = "-g";
	}
	*ret_late = false;
	for (int i = 0; i < BUSY_TRIES && answer == HCCN_BUSY; i++) {
		uint64_t now = loop_now_ms();

		if (now >= until)
			break;
		if (i)
			poll(NULL, 0, pause);
		pause = pause < BUSY_LONGEST_MS / 2 ? 2 * pause
						    : BUSY_LONGEST_MS;
		take_lock(c, call_ms);
		*ret_late = subprocess_ask_program(argv, call_ms, output,
						   sizeof(output), err) < 0;
		drop_lock(c);
		answer = *ret_late ? HCCN_FAILED
				   : hccn_tool_answer(output, npu, err);
	}
	if (answer == HCCN_BUSY && !call_ms)
		err_printf(err, DEVINFO_NO_TIME);
	else if (answer == HCCN_BUSY)
		err_printf(err, "hccn_tool has been busy for %.1f s",
			   call_ms / 1000.0);
	return answer;
}

/* Ask for all devices without an address. A tool that hung isn't called
 * again. */
static unsigned ask_all(struct caller *c)
{
	struct devinfo_query *q = c->query;
	unsigned answers = 0;
	struct err why;
	bool late = false;

	for (unsigned i = 0; i < q->n && !late; i++) {
		enum hccn_answer a = HCCN_NONE;

		if (!q->npu[i].addr_from)
			a = call_tool(c, &q->npu[i], false, &late, &why);
		if (a == HCCN_NONE && !q->npu[i].addr_from)
			a = call_tool(c, &q->npu[i], true, &late, &why);
		if (a == HCCN_ADDRESS || a == HCCN_NONE)
			answers++;
		else if (!*q->note.text)
			err_printf(&q->note, "device %u: %.500s",
				   q->npu[i].phy_id, why.text);
	}
	return answers;
}

int devinfo_hccn_tool(struct devinfo_query *q)
{
	struct caller c = {.query = q};
	unsigned answers;

	if (devinfo_path(q->options->root, TOOL, c.path, sizeof(c.path)) < 0)
		return err_printf(&q->note, "the path is too long");
	if (access(c.path, X_OK) < 0)
		return err_printf(&q->note, "%s: %s", c.path, strerror(errno));
	c.fd = open(c.path, O_RDONLY | O_CLOEXEC);
	answers = ask_all(&c);
	close_fd(&c.fd);
	return answers ? 0 : -1;
}

static int find_npu_smi(struct devinfo_query *q, char *buf, size_t size)
{
	for (size_t i = 0; i < NPLACES; i++)
		if (devinfo_path(q->options->root, npu_smi_places[i], buf,
				 size) == 0 &&
		    access(buf, X_OK) == 0)
			return 0;
	return err_printf(&q->note, "npu-smi isn't installed");
}

static int ask_spod(struct devinfo_query *q, const char *path,
		    const struct npu_smi_row *row, struct npu *npu)
{
	char card[16], chip[16], output[OUTPUT_SIZE];
	const char *argv[] = {path, "info", "-t", "spod-info", "-i",
			      card, "-c",   chip, NULL};

	snprintf(card, sizeof(card), "%u", row->npu_id);
	snprintf(chip, sizeof(chip), "%u", row->chip_id);
	if (subprocess_ask_program(argv, devinfo_call_ms(q), output,
				   sizeof(output), &q->note) < 0)
		return -1;
	npu_smi_spod(output, npu);
	return 0;
}

int devinfo_npu_smi(struct devinfo_query *q)
{
	char path[PATH_MAX], output[OUTPUT_SIZE];
	const char *argv[] = {path, "info", "-m", NULL};
	struct npu_smi_row row;
	int rc = -1;

	if (find_npu_smi(q, path, sizeof(path)) < 0 ||
	    subprocess_ask_program(argv, devinfo_call_ms(q), output,
				   sizeof(output), &q->note) < 0)
		return -1;
	for (unsigned i = 0; i < q->n; i++) {
		struct npu *npu = &q->npu[i];

		if (npu_smi_map(output, npu->phy_id, &row) < 0)
			continue;
		rc = 0;
		if (!npu->chip_from && row.chip != CHIP_UNKNOWN) {
			npu->chip = row.chip;
			npu->chip_from = NPU_FROM_NPU_SMI;
		}
		if (npu->chip == CHIP_910C && row.by_phy_id &&
		    !npu->sdid_from && ask_spod(q, path, &row, npu) < 0)
			break;
	}
	if (rc < 0)
		err_printf(&q->note,
			   "npu-smi info -m doesn't show this device");
	return rc;
}
