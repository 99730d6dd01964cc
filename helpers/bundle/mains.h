/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our programs as functions of one: each is compiled with its main() under
 * another name (Makefile.am), and this file before it.
 */
#pragma once

int cli_main(int argc, char **argv);
int launch_main(int argc, char **argv);
int step_main(int argc, char **argv);
int roles_main(int argc, char **argv);
int rsh_main(int argc, char **argv);
int horovodrun_main(int argc, char **argv);
int ps_main(int argc, char **argv);
