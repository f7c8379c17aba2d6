/* inflate_gzip - gzip members around raw deflate: headers, CRC-32 and length, concatenation, padding, and the errors.
 *
 * Framing is done here once, so that zlib and ISA-L cannot differ in what they accept: a library only inflates. The
 * text is inflated and summed STEP_BYTES at a time, while it is in L2. Where the faster library finds a member bad and
 * the input can be read again, zlib inflates the member once more and words the error: the two disagree on
 * where, and in data cut within a symbol on whether, corruption shows. Pipes and members of over MOST_AGAIN_BYTES keep
 * the words of the library at hand. After the last member zero bytes are padding; anything else could be lost text and
 * is an error.
 *
 * Source: RFC 1952. Cost: one pass over the text for the CRC, in cache.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/crc_ahead.h"
#include "io/decoder.h"

#include <stdio.h>
#include <string.h>

enum { STEP_BYTES = 1024 * 1024 }; /* matches that reach back past the begin of a step are copied the slow way */
enum { MOST_AGAIN_BYTES = 256 * 1024 * 1024 }; /* of a bad member, inflated once more within seconds */
enum { FHCRC = 2, FEXTRA = 4, FNAME = 8, FCOMMENT = 16, RESERVED_FLAGS = 0xe0 };
enum { END_OF_INPUT = -1 };

typedef enum part { BETWEEN_MEMBERS, IN_BODY, IN_TRAILER, AT_END } part;

typedef struct gzip {
    em_decoder decoder;
    const em_inflater *inflater;
    void *state;
    unsigned char *next; /* into `block` */
    uint64_t n_in;
    bool input_ended;
    part part;
    uint64_t member_begin, n_members, n_member_bytes; /* n_member_bytes: text */
    uint32_t crc, header_crc;
    bool shared; /* the text may be summed after it was handed out */
    em_crc_ahead ahead;
    char note[96];
    unsigned char block[EM_INPUT_HEADROOM_BYTES + EM_INPUT_BLOCK_BYTES];
} gzip;

static uint64_t place(const gzip *own)
{
    return own->decoder.input->at - own->n_in;
}

/* --- errors -------------------------------------------------------------------------------------- */

static em_status bad_member(const gzip *own, const char *what, em_error *error)
{
    return em_fail(error, EM_MALFORMED, "%s: gzip member at byte %llu: %s", own->decoder.input->path,
                   (unsigned long long)own->member_begin, what);
}

/* True if zlib finds the member bad, too: then its words are in `error`. */
static bool worded_by_zlib(const gzip *own, em_status *status, em_error *error)
{
    const em_input *input = own->decoder.input;
    if (own->inflater == &em_inflater_zlib || !input->seekable || input->at - own->member_begin > MOST_AGAIN_BYTES)
        return false;
    em_input again = *input;
    again.at = own->member_begin;
    again.positional = true;
    again.n_head = again.head_used = 0;
    em_decoder *decoder = NULL;
    void *text = NULL;
    uint64_t n_got = STEP_BYTES;
    *status = em_gzip_open(own->decoder.context, &again, true, &decoder, error);
    if (*status == EM_OK)
        *status = em_allocate(own->decoder.context, STEP_BYTES, &text, error);
    while (*status == EM_OK && n_got == STEP_BYTES && ((gzip *)decoder)->n_members == 0)
        *status = decoder->read(decoder, text, STEP_BYTES, &n_got, error);
    em_free(own->decoder.context, text, STEP_BYTES);
    em_decoder_close(decoder);
    return *status != EM_OK;
}

static em_status truncated(const gzip *own, em_error *error)
{
    em_status status;
    if (own->part == IN_BODY && worded_by_zlib(own, &status, error))
        return status;
    return em_fail(error, EM_MALFORMED, "%s: truncated gzip: ends at byte %llu within a member",
                   own->decoder.input->path, (unsigned long long)own->decoder.input->at);
}

static em_status corrupt(const gzip *own, em_error *error)
{
    em_status status;
    if (worded_by_zlib(own, &status, error))
        return status;
    return em_fail(error, EM_MALFORMED, "%s: corrupt deflate data near byte %llu", own->decoder.input->path,
                   (unsigned long long)place(own));
}

static em_status mismatch(const gzip *own, const char *what, em_error *error)
{
    em_status status;
    if (worded_by_zlib(own, &status, error))
        return status;
    return bad_member(own, what, error);
}

/* --- input --------------------------------------------------------------------------------------- */

static em_status refill(gzip *own, em_error *error)
{
    if (own->n_in > 0 || own->input_ended)
        return EM_OK;
    own->next = own->block + EM_INPUT_HEADROOM_BYTES;
    const em_status status = em_input_read(own->decoder.input, own->next, EM_INPUT_BLOCK_BYTES, &own->n_in, error);
    own->input_ended = status == EM_OK && own->n_in == 0;
    return status;
}

static em_status next_byte(gzip *own, int *byte, em_error *error)
{
    const em_status status = refill(own, error);
    if (status != EM_OK)
        return status;
    *byte = END_OF_INPUT;
    if (own->n_in == 0)
        return EM_OK;
    *byte = *own->next++;
    own->n_in--;
    const unsigned char summed = (unsigned char)*byte;
    own->header_crc = own->inflater->crc(own->header_crc, &summed, 1);
    return EM_OK;
}

/* A little-endian number within a member. */
static em_status next_number(gzip *own, uint32_t n_bytes, uint32_t *number, em_error *error)
{
    *number = 0;
    for (uint32_t i = 0; i < n_bytes; i++) {
        int byte;
        const em_status status = next_byte(own, &byte, error);
        if (status != EM_OK)
            return status;
        if (byte == END_OF_INPUT)
            return truncated(own, error);
        *number |= (uint32_t)byte << 8 * i;
    }
    return EM_OK;
}

/* --- header and trailer -------------------------------------------------------------------------- */

static em_status skip_bytes(gzip *own, uint32_t n_bytes, em_error *error)
{
    em_status status = EM_OK;
    uint32_t ignored;
    while (n_bytes-- > 0 && status == EM_OK)
        status = next_number(own, 1, &ignored, error);
    return status;
}

static em_status skip_string(gzip *own, em_error *error)
{
    em_status status;
    uint32_t letter;
    do
        status = next_number(own, 1, &letter, error);
    while (status == EM_OK && letter != 0);
    return status;
}

/* Behind the two magic bytes. */
static em_status read_header(gzip *own, em_error *error)
{
    uint32_t method, flags, n_extra, crc;
    em_status status = next_number(own, 1, &method, error);
    if (status == EM_OK && method != 8)
        return bad_member(own, "unknown compression method", error);
    if (status == EM_OK)
        status = next_number(own, 1, &flags, error);
    if (status == EM_OK && (flags & RESERVED_FLAGS))
        return bad_member(own, "unknown header flags", error);
    if (status == EM_OK)
        status = skip_bytes(own, 6, error); /* time, extra flags, system */
    if (status == EM_OK && (flags & FEXTRA) && (status = next_number(own, 2, &n_extra, error)) == EM_OK)
        status = skip_bytes(own, n_extra, error);
    if (status == EM_OK && (flags & FNAME))
        status = skip_string(own, error);
    if (status == EM_OK && (flags & FCOMMENT))
        status = skip_string(own, error);
    if (status == EM_OK && (flags & FHCRC)) {
        const uint32_t expected = own->header_crc & 0xffff;
        status = next_number(own, 2, &crc, error);
        if (status == EM_OK && crc != expected)
            return bad_member(own, "header CRC mismatch", error);
    }
    if (status == EM_OK) {
        own->inflater->reset(own->state);
        own->crc = 0;
        own->n_member_bytes = 0;
        own->part = IN_BODY;
    }
    return status;
}

/* Another member, padding, or the end. */
static em_status begin_member(gzip *own, em_error *error)
{
    uint64_t n_zeros = 0;
    int byte;
    em_status status;
    do {
        own->member_begin = place(own);
        own->header_crc = 0;
        status = next_byte(own, &byte, error);
    } while (status == EM_OK && byte == 0 && own->n_members > 0 && ++n_zeros);
    if (status != EM_OK)
        return status;
    if (byte == END_OF_INPUT && own->n_members > 0) {
        own->part = AT_END;
        if (n_zeros) {
            snprintf(own->note, sizeof own->note, "%llu zero bytes after the last gzip member ignored",
                     (unsigned long long)n_zeros);
            own->decoder.note = own->note;
        }
        return EM_OK;
    }
    const int first = byte;
    if (first == 0x1f) {
        status = next_byte(own, &byte, error);
        if (status != EM_OK)
            return status;
        if (byte == END_OF_INPUT)
            return truncated(own, error);
        if (byte == 0x8b)
            return read_header(own, error);
    }
    return em_fail(error, EM_MALFORMED, "%s: trailing bytes after the last gzip member (not gzip) at byte %llu",
                   own->decoder.input->path, (unsigned long long)own->member_begin);
}

static em_status read_trailer(gzip *own, em_error *error)
{
    uint32_t crc, length;
    em_status status = next_number(own, 4, &crc, error);
    if (status == EM_OK)
        status = next_number(own, 4, &length, error);
    if (status != EM_OK)
        return status;
    if (own->shared)
        own->crc = em_crc_ahead_settle(&own->ahead, 0);
    if (crc != own->crc)
        return mismatch(own, "CRC-32 mismatch", error);
    if (length != (uint32_t)own->n_member_bytes)
        return mismatch(own, "length mismatch", error);
    own->n_members++;
    own->part = BETWEEN_MEMBERS;
    return EM_OK;
}

/* --- text ---------------------------------------------------------------------------------------- */

static em_status inflate_some(gzip *own, char *into, uint64_t n_bytes, uint64_t *n_written, em_error *error)
{
    const em_status status = refill(own, error);
    if (status != EM_OK)
        return status;
    const uint64_t n_room = n_bytes < STEP_BYTES ? n_bytes : STEP_BYTES;
    const uint64_t n_before = own->n_in;
    if (own->shared)
        em_crc_ahead_release(&own->ahead, into, n_room);
    const em_inflated answer = own->inflater->run(own->state, &own->next, &own->n_in, into, n_room, n_written);
    switch (answer) {
    case EM_INFLATE_CORRUPT:
        return corrupt(own, error);
    case EM_INFLATE_NO_MEMORY:
        return em_fail(error, EM_NO_MEMORY, "out of memory: the window of a gzip member");
    case EM_INFLATE_END:
        own->part = IN_TRAILER;
        break;
    case EM_INFLATE_MORE:
        if (*n_written == 0 && own->n_in == n_before && own->input_ended)
            return truncated(own, error);
        break;
    }
    if (own->shared)
        em_crc_ahead_add(&own->ahead, into, *n_written);
    else
        own->crc = own->inflater->crc(own->crc, into, *n_written);
    own->n_member_bytes += *n_written;
    return EM_OK;
}

static em_status gzip_read(em_decoder *decoder, char *into, uint64_t n_bytes, uint64_t *n_got, em_error *error)
{
    gzip *own = (gzip *)decoder;
    em_status status = EM_OK;
    *n_got = 0;
    while (status == EM_OK && *n_got < n_bytes && own->part != AT_END) {
        uint64_t n_written = 0;
        if (own->part == BETWEEN_MEMBERS)
            status = begin_member(own, error);
        else if (own->part == IN_TRAILER)
            status = read_trailer(own, error);
        else
            status = inflate_some(own, into + *n_got, n_bytes - *n_got, &n_written, error);
        *n_got += n_written;
    }
    return status;
}

static void gzip_release(em_decoder *decoder, const void *memory, uint64_t n_bytes)
{
    em_crc_ahead_release(&((gzip *)decoder)->ahead, memory, n_bytes);
}

static void gzip_share(em_decoder *decoder)
{
    gzip *own = (gzip *)decoder;
    if (!own->inflater->slow_crc)
        return;
    em_crc_ahead_open(&own->ahead, own->inflater->crc);
    own->shared = true;
    decoder->release = gzip_release;
}

static void gzip_close(em_decoder *decoder)
{
    gzip *own = (gzip *)decoder;
    if (own->shared)
        em_crc_ahead_close(&own->ahead);
    own->inflater->close(decoder->context, own->state);
    em_free(decoder->context, own, sizeof *own);
}

em_status em_gzip_open(em_context *context, em_input *input, bool reference, em_decoder **decoder, em_error *error)
{
    void *memory;
    em_status status = em_allocate(context, sizeof(gzip), &memory, error);
    if (status != EM_OK)
        return status;
    gzip *own = memory;
    memset(own, 0, offsetof(gzip, block));
    own->decoder =
        (em_decoder){.context = context, .input = input, .read = gzip_read, .close = gzip_close, .share = gzip_share};
    own->next = own->block + EM_INPUT_HEADROOM_BYTES;
#ifdef EM_HAVE_ISAL
    own->inflater = reference ? &em_inflater_zlib : &em_inflater_isal;
#else
    (void)reference;
    own->inflater = &em_inflater_zlib;
#endif
    status = own->inflater->open(context, &own->state, error);
    if (status != EM_OK) {
        em_free(context, own, sizeof *own);
        return status;
    }
    *decoder = &own->decoder;
    return EM_OK;
}
