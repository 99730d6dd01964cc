/* SPDX-License-Identifier: Apache-2.0 */
/* ADDRESS:PORT as one word, the way gRPC and most others read it. */
#ifndef DT_CORE_BASE_ENDPOINT_H
#define DT_CORE_BASE_ENDPOINT_H

#define ENDPOINT_SIZE 272 /* a host name, a port and brackets */

/* "node1:21000", "10.0.0.1:21000", "[fd00::1]:21000". Returns buf. */
const char *endpoint_format(const char *addr, unsigned port,
			    char buf[ENDPOINT_SIZE]);

#endif
