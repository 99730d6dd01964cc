/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/orphans.h"

#include "sys/proc_file.h"

int proc_id_read(pid_t pid, struct proc_id *ret)
{
	struct proc_stat s;

	if (proc_stat_read("", pid, 0, &s) < 0)
		return -1;
	*ret = (struct proc_id){pid, s.parent, s.session, s.start};
	return 0;
}

bool proc_id_is_there(const struct proc_id *id)
{
	struct proc_id now;

	return proc_id_read(id->pid, &now) == 0 && now.start == id->start;
}
