/* load_place - where in the input an arc stood; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_LOAD_PLACE_H
#define EM_STAGES_LOAD_PLACE_H

#include "stages/load.h"

/* The error is about arc error->position of the list that `load` made, as em_list_refuse says it: it becomes one about
 * its place in the input, where all inputs are files that can be read again. */
void em_load_place(const em_load_options *load, em_error *error);

#endif
