/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that only start another one, and where its words begin. */
#ifndef DT_CORE_COMMAND_WRAPPERS_H
#define DT_CORE_COMMAND_WRAPPERS_H

/* How many words stand before the program that this one starts; 0: it is none
 * of these, or starts nothing. */
int wrapper_length(int argc, char *const argv[]);

#endif
