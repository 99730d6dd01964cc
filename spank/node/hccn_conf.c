/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/node.h"

#include "core/ascend/hccn.h"
#include "core/base/cleanup.h"
#include "core/facts/handover.h"
#include "spank/slurm/step_job.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define PATH  "/etc/hccn.conf"
#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

char *hccn_conf_read(void)
{
	cleanup_close int fd =
		open(PATH, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	struct err unused;
	char *text;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != 0)
		return NULL;
	text = text_file_read_fd(fd, PATH, HCCN_CONF_MAX, &unused);
	if (text)
		hccn_conf_keep_addresses(text);
	return text;
}

int hccn_conf_hand_over(spank_t sp, const char *text, struct err *err)
{
	cleanup_close int fd = -1;
	char number[16];

	if (!text)
		return job_setenv(sp, HANDOVER_HCCN, NULL, err);
	fd = memfd_create("hccn.conf", MFD_ALLOW_SEALING);
	if (fd < 0 || write_full(fd, text, strlen(text)) < 0 ||
	    fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return err_printf(err, "can't pass %s to the task: %s", PATH,
				  strerror(errno));
	snprintf(number, sizeof(number), "%d", fd);
	if (job_setenv(sp, HANDOVER_HCCN, number, err) < 0)
		return -1;
	fd = -1; /* the launcher inherits it */
	return 0;
}
