/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UNDER_SANITIZERS is 1 in a build with AddressSanitizer or ThreadSanitizer,
 * else 0: gcc defines macros for that, clang has features. These know no stack
 * but the kernel's, and take memory of their own.
 */
#pragma once

#ifndef __has_feature
#define __has_feature(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZERS 1
#else
#define UNDER_SANITIZERS 0
#endif
