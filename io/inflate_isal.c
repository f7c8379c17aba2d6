/* inflate_isal - raw deflate through Intel's ISA-L (igzip), two to four times as fast as zlib.
 *
 * The library reads ahead by up to 8 bytes; at the end of a stream they are put back, because the trailer and the next
 * member are in them. Its places of corruption differ from zlib's: see inflate_gzip.c for who has the last word.
 *
 * Source: igzip_lib.h. Cost: one pass, and 32 KiB of history copied a call.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/decoder.h"

#ifdef EM_HAVE_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <string.h>

enum { MOST_PER_CALL = 1 << 30 };

static em_status isal_open(em_context *context, void **state, em_error *error)
{
    const em_status status = em_allocate_zeroed(context, sizeof(struct inflate_state), state, error);
    if (status == EM_OK)
        isal_inflate_init(*state);
    return status;
}

static void isal_close(em_context *context, void *state)
{
    em_free(context, state, sizeof(struct inflate_state));
}

static void isal_reset(void *state)
{
    isal_inflate_reset(state);
}

static em_inflated isal_run(void *state, unsigned char **next, uint64_t *n_in, char *out, uint64_t n_out,
                            uint64_t *n_written)
{
    struct inflate_state *own = state;
    const uint32_t n_given = *n_in < EM_INPUT_BLOCK_BYTES ? (uint32_t)*n_in : (uint32_t)EM_INPUT_BLOCK_BYTES;
    const uint32_t n_room = n_out < MOST_PER_CALL ? (uint32_t)n_out : (uint32_t)MOST_PER_CALL;
    own->next_in = *next;
    own->avail_in = n_given;
    own->next_out = (unsigned char *)out;
    own->avail_out = n_room;
    own->crc_flag = ISAL_DEFLATE;
    const int answer = isal_inflate(own);
    *next += n_given - own->avail_in;
    *n_in -= n_given - own->avail_in;
    *n_written = n_room - own->avail_out;
    if (answer < 0)
        return EM_INFLATE_CORRUPT;
    if (own->block_state != ISAL_BLOCK_FINISH)
        return EM_INFLATE_MORE;
    const int n_bits = own->read_in_length > 0 ? own->read_in_length : 0;
    const uint64_t left = n_bits < 64 ? own->read_in >> (n_bits % 8) : own->read_in;
    *next -= n_bits / 8;
    *n_in += (uint64_t)(n_bits / 8);
    memcpy(*next, &left, (size_t)(n_bits / 8));
    own->read_in_length = 0;
    own->read_in = 0;
    return EM_INFLATE_END;
}

static uint32_t isal_crc(uint32_t crc, const void *bytes, uint64_t n_bytes)
{
    return crc32_gzip_refl(crc, bytes, n_bytes);
}

const em_inflater em_inflater_isal = {isal_open, isal_close, isal_reset, isal_run, isal_crc, false};
#endif
