/* companion - files that come with the program: the judge, the peers of the benchmarks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_COMPANION_H
#define EM_PIPELINE_COMPANION_H

#include <stdbool.h>
#include <stddef.h>

/* Where `name` lies that access(2) grants `mode`: beside the running program, in ../libexec/edgemill from there, or in
 * libexec as it was named when this was built. False: nowhere; path[n_bytes] then holds anything. Any thread. */
bool em_find_companion(const char *name, int mode, char *path, size_t n_bytes);

#endif
