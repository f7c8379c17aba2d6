/* text_sample - a guess of what a text holds, from a few places of it; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_TEXT_SAMPLE_H
#define EM_IO_TEXT_SAMPLE_H

#include "io/io.h"
#include "io/source.h"
#include "io/text_fast.h"

/* Guesses the largest ids, and of a plain file the number of arcs, from 32 places of 8 KiB; of a stream or a small file
 * from the head of the text. `batch` lends its arrays and says how lines are read; only plain lines count. Before the
 * first chunk is taken. */
em_status em_text_sample(em_source *source, uint64_t data_offset, em_text_fast *fast, em_text_batch batch,
                         em_read_hint *hint, em_error *error);

#endif
