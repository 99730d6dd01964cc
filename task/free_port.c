/* SPDX-License-Identifier: Apache-2.0 */
#include "task/task.h"

#include "core/base/cleanup.h"
#include "sys/socket.h"

#include <errno.h>
#include <string.h>

int free_port_check(const struct coordinator *coordinator, const char *node,
		    struct err *err)
{
	cleanup_close int fd = socket_listen(NULL, coordinator->port, 1);

	if (fd >= 0)
		return 0;
	if (errno == EADDRINUSE)
		return err_printf(err,
				  "port %u on %s is in use (it was %s); choose "
				  "another with port=N",
				  coordinator->port, node,
				  coordinator_port_source(coordinator));
	return err_printf(
		err,
		"can't listen on port %u of %s: %s; choose another with port=N",
		coordinator->port, node, strerror(errno));
}
