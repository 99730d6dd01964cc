/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All of our programs in one, statically linked, for clusters on which nothing
 * of ours is installed: which it is, its name says. It looks for the others,
 * links to itself, in its own folder. `make static-bundle` makes it.
 */
#include "helpers/bundle/mains.h"
#include "sys/helper_dir.h"

#include <string.h>
#include <sys/prctl.h>
#ifdef __GLIBC__
#include <nss.h>
#endif

static const struct applet {
	const char *name;
	int (*main)(int argc, char **argv);
} applets[] = {
	{"dist-train-launch", launch_main},
	{"dist-train-rsh", rsh_main},
	{"ssh", rsh_main},
	{"dist-train-horovodrun", horovodrun_main},
	{"horovodrun", horovodrun_main},
	{"dist-train-ps", ps_main},
	{"ps", ps_main},
};

int main(int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";

#ifdef __GLIBC__
	/* Names are looked up without libraries of this host's libc. */
	__nss_configure_lookup("hosts", "files dns");
#endif
	helper_dir_own();
	for (size_t i = 0; i < sizeof(applets) / sizeof(*applets); i++)
		if (!strcmp(applets[i].name, name)) {
			prctl(PR_SET_NAME, name);
			return applets[i].main(argc, argv);
		}
	return cli_main(argc, argv);
}
