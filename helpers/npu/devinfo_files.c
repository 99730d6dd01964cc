/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about NPUs from files: /etc/hccn.conf and the administrator's
 * inventory. */
#include "core/ascend/hccn.h"
#include "helpers/npu/devinfo.h"
#include "sys/text_file.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

/* The driver's installer makes the file readable for root alone. */
static void note_conf_unreadable(const char *path, struct err *note)
{
	if (access(path, R_OK) < 0 && errno == EACCES)
		err_printf(note,
			   "only root can read %.300s, as the driver installs "
			   "it; the plugin reads it for the frameworks that "
			   "need it; chmod 644 makes it readable for all",
			   path);
}

static char *conf_text(const struct devinfo_options *o, struct err *err)
{
	char path[PATH_MAX], *text;

	if (o->hccn_conf_fd >= 0)
		return text_file_read_fd(o->hccn_conf_fd, DEVINFO_CONF,
					 HCCN_CONF_MAX, err);
	snprintf(path, sizeof(path), "%s%s", o->root, DEVINFO_CONF);
	text = text_file_read(path, HCCN_CONF_MAX, err);
	if (!text)
		note_conf_unreadable(path, err);
	return text;
}

static bool lacks_addresses(const struct npu *npu, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!npu[i].addr_from)
			return true;
	return false;
}

/* Note when the file's keys are 0 to n-1 but the devices have other numbers: it
 * was perhaps written in a container, which renumbers devices. */
static void note_renumbered(struct survey *s, const char *text)
{
	struct err *note = &s->note[NPU_FROM_HCCN_CONF];
	struct idlist keys;

	hccn_conf_ids(text, &keys);
	if (!*note->text && keys.n && lacks_addresses(s->view[VIEW_CONF], s->n))
		err_printf(note,
			   "it has address_%u to address_%u, but its keys must "
			   "be physical ids, and not every device has one",
			   keys.id[0], keys.id[keys.n - 1]);
}

void survey_conf(struct survey *s)
{
	struct err *note = &s->note[NPU_FROM_HCCN_CONF];
	cleanup_free char *text = conf_text(s->options, note);

	s->asked[NPU_FROM_HCCN_CONF] = true;
	if (!text)
		return;
	for (unsigned i = 0; i < s->n; i++) {
		struct npu *npu = &s->view[VIEW_CONF][i];

		hccn_conf_find(text, DEVINFO_CONF, npu->phy_id, npu, note);
		s->had[NPU_FROM_HCCN_CONF] |= npu->addr_from != 0;
	}
	note_renumbered(s, text);
	if (!*note->text && !s->had[NPU_FROM_HCCN_CONF])
		err_printf(note, "%s: contains no address", DEVINFO_CONF);
}

static void note_unreadable(const char *path, struct err *note)
{
	if (access(path, R_OK) < 0 && errno == EACCES)
		err_printf(note,
			   "%.500s: the job's user can't read it; the "
			   "administrator must make it world-readable",
			   path);
}

/* Read the inventory. An error in the file is an error: it is never ignored. */
int devinfo_inventory(const char *path, struct inventory *ret, struct err *err)
{
	cleanup_free char *text = text_file_read(path, INVENTORY_MAX, err);

	if (text)
		return inventory_read(text, path, ret, err);
	note_unreadable(path, err);
	return -1;
}

int survey_inventory(struct survey *s, struct err *err)
{
	const char *path = s->options->inventory;
	struct inventory v = {0};
	int rc;

	if (!path)
		return 0;
	s->asked[NPU_FROM_INVENTORY] = true;
	rc = devinfo_inventory(path, &v, err);
	for (unsigned i = 0; rc == 0 && i < s->n; i++) {
		rc = inventory_find(&v, s->options->node,
				    &s->view[VIEW_INVENTORY][i], err);
		s->had[NPU_FROM_INVENTORY] |=
			s->view[VIEW_INVENTORY][i].addr_from != 0;
	}
	if (rc == 0 && !s->had[NPU_FROM_INVENTORY])
		err_printf(&s->note[NPU_FROM_INVENTORY],
			   "%.500s: contains no address of node %.200s", path,
			   s->options->node);
	inventory_clear(&v);
	return rc;
}
