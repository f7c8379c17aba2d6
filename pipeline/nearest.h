/* nearest - what somebody may have meant who wrote a word that is not known; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_NEAREST_H
#define EM_PIPELINE_NEAREST_H

#include <stddef.h>

/* The entry of names[n] nearest to `word`, or NULL where none is near. */
const char *em_nearest(const char *word, const char *const *names, size_t n);

#endif
