/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train-horovodrun: what a script under dialect=recsdk takes for
 * horovodrun. It lets the step's launchers start PROGRAM in every process of
 * the step, and waits for their end.
 *
 *	dist-train-horovodrun [OPTION]... PROGRAM [ARG]...
 */
#include "helpers/shim/exec_request.h"
#include "helpers/shim/horovodrun_options.h"
#include "helpers/shim/shim_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int set_variable(const char *name, const char *value)
{
	return setenv(name, value, 1);
}

static int run_request(int argc, char *argv[], struct err *err)
{
	extern char **environ;
	const char *dir = getenv("DIST_TRAIN_RUN_DIR");
	cleanup_free char *folder = getcwd(NULL, 0), *text = NULL;
	struct horovodrun_options o;
	size_t n;

	if (!dir)
		return err_printf(
			err,
			"only a script started by srun "
			"--dist-train=ascend,dialect=recsdk can call this");
	if (horovodrun_options_read(argc, argv, &o, err) < 0 ||
	    horovodrun_exports(o.mpi_args, set_variable, err) < 0)
		return -1;
	text = exec_request_text(o.asked, folder ? folder : "/", o.program,
				 environ, &n);
	if (!text)
		return err_memory(err);
	return shim_call(dir, text, n, err);
}

int main(int argc, char *argv[])
{
	struct err err;
	int rc = run_request(argc, argv, &err);

	if (rc >= 0)
		return rc;
	fprintf(stderr, "dist-train: horovodrun: %s\n", err.text);
	return EXIT_FAILURE;
}
