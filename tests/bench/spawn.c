/* SPDX-License-Identifier: Apache-2.0 */
/* spawn N PROGRAM [ARG]...: start it N times by fork and exec and wait for all;
 * what a launcher can't be faster than. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0;

	if (n < 1)
		return 2;
	for (int i = 0; i < n; i++) {
		if (fork() == 0) {
			execv(argv[2], argv + 2);
			_exit(127);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
