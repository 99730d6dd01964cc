/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Python would compile anew in each process where it can't write: a copy
 * is compiled once, by its own Python, before others get it. uv leaves that
 * out, and so do many who build images.
 */
#pragma once

#include <stdbool.h>

/* Compile a copy, a folder at `copy` of what is seen at `path`, if it is a
 * Python environment; returns whether it is one. Blocks for minutes; what can't
 * be compiled stays. */
bool python_compile(const char *copy, const char *path);
