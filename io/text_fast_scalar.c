/* text_fast_scalar - the loop of text_fast.h, a byte at a time, for every processor.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/text_fast.h"

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* Up to 19 digits; NULL if there is none or one too many. */
static const char *take_digits(const char *at, uint64_t *value, uint32_t *n_digits)
{
    const char *const first = at;
    uint64_t sum = 0;
    for (; (unsigned char)(*at - '0') <= 9 && at - first < 20; at++)
        sum = sum * 10 + (uint64_t)(*at - '0');
    *value = sum;
    *n_digits = (uint32_t)(at - first);
    return *n_digits >= 1 && *n_digits <= 19 ? at : NULL;
}

/* Blanks, with exactly one separator among them unless that is itself a blank; at least one byte. NULL otherwise. */
static const char *take_separator(const char *at, char separator)
{
    const char *const first = at;
    at = skip_blanks(at);
    if (separator == ' ')
        return at > first ? at : NULL;
    return *at == separator ? skip_blanks(at + 1) : NULL;
}

/* Behind what a line must have: blanks, perhaps one separator, or with `extra` anything but NUL and quotes. */
static const char *take_rest(const char *at, em_text_batch *batch)
{
    bool more = false;
    if (batch->extra && (*at == ' ' || *at == '\t' || *at == batch->separator)) {
        if (batch->separator != ' ') {
            while ((*at == ' ' || *at == '\t') && *at != batch->separator)
                at++;
            if (*at != batch->separator && *at != '\n' && !(*at == '\r' && at[1] == '\n'))
                return NULL;
        }
        for (; *at != '\n'; at++) {
            if (*at == 0 || (*at == '"' && batch->separator != ' '))
                return NULL;
            more |= *at != ' ' && *at != '\t' && *at != batch->separator && !(*at == '\r' && at[1] == '\n');
        }
    } else {
        at = skip_blanks(at);
    }
    if (!batch->extra && batch->separator != ' ' && *at == batch->separator)
        at = skip_blanks(at + 1);
    if (*at == '\r')
        at++;
    batch->n_extra += more;
    return *at == '\n' ? at + 1 : NULL;
}

static const char *take_line(const char *at, em_text_batch *batch, uint64_t *source, uint64_t *target)
{
    uint32_t n_digits, n_fraction = 0;
    at = take_digits(skip_blanks(at), source, &n_digits);
    if (!at || !(at = take_separator(at, batch->separator)) || !(at = take_digits(at, target, &n_digits)))
        return NULL;
    if (batch->weight_kind != EM_WEIGHT_NONE) {
        uint64_t mantissa, fraction;
        if (!(at = take_separator(at, batch->separator)) || !(at = take_digits(at, &mantissa, &n_digits)))
            return NULL;
        if (*at == '.') {
            if (!(at = take_digits(at + 1, &fraction, &n_fraction)) || n_digits + n_fraction > 19)
                return NULL;
            mantissa = mantissa * em_integer_powers[n_fraction] + fraction;
        }
        if (!em_store_weight(batch->weight_kind, batch->weights, batch->n_arcs, mantissa, n_fraction))
            return NULL;
    }
    return take_rest(at, batch);
}

const char *em_text_fast_scalar(const char *at, const char *end, em_text_batch *batch)
{
    while (batch->n_arcs + EM_FAST_ROOM <= batch->capacity) {
        /* every loop of take_line ends at a newline: lines are taken only if one is in front of `end` */
        if (end - at < 64 && !memchr(at, '\n', (size_t)(end - at)))
            break;
        uint64_t source = 0, target = 0;
        const uint64_t n_extra = batch->n_extra;
        const char *const next = take_line(at, batch, &source, &target);
        source -= batch->base;
        target -= batch->base;
        const uint64_t largest = source > target ? source : target, least = source < target ? source : target;
        if (!next || next > end || largest > (batch->wide ? EM_LARGEST_ID : UINT32_MAX)) {
            batch->n_extra = n_extra; /* who takes the line counts its columns */
            break;
        }
        const uint32_t n = batch->n_arcs++;
        if (batch->wide) {
            ((uint64_t *)batch->pairs)[2 * n] = source;
            ((uint64_t *)batch->pairs)[2 * n + 1] = target;
        } else {
            ((uint32_t *)batch->pairs)[2 * n] = (uint32_t)source;
            ((uint32_t *)batch->pairs)[2 * n + 1] = (uint32_t)target;
        }
        batch->largest_source = source > batch->largest_source ? source : batch->largest_source;
        batch->largest_target = target > batch->largest_target ? target : batch->largest_target;
        batch->smallest = least < batch->smallest ? least : batch->smallest;
        at = next;
    }
    return at;
}
