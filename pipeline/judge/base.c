/* base - messages, memory and numbers of the judge.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/judge.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LISTED_DIFFERENCES = 10 };

void fail(int status, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    fflush(stdout);
    fputs("edgemill-igraph: ", stderr);
    vfprintf(stderr, format, words);
    fputc('\n', stderr);
    va_end(words);
    _exit(status); /* from anywhere, so nothing is destroyed */
}

void differ(struct verdict *verdict, const char *format, ...)
{
    if (++verdict->n_differences > LISTED_DIFFERENCES)
        return;
    va_list words;
    va_start(words, format);
    vfprintf(stderr, format, words);
    fputc('\n', stderr);
    va_end(words);
}

void *allocate(uint64_t n, uint64_t size)
{
    void *memory = calloc(n ? n : 1, size);
    if (!memory)
        fail(EXIT_ENVIRONMENT, "no memory for %llu times %llu bytes", (unsigned long long)n, (unsigned long long)size);
    return memory;
}

void *grow(void *memory, uint64_t n, uint64_t size)
{
    void *grown = reallocarray(memory, n ? n : 1, size);
    if (!grown)
        fail(EXIT_ENVIRONMENT, "no memory for %llu times %llu bytes", (unsigned long long)n, (unsigned long long)size);
    return grown;
}

bool parse_natural(const char *text, size_t n, uint64_t *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(text[i] - '0'), &sum))
            return false;
    }
    *value = sum;
    return n > 0;
}

uint64_t little_endian(const unsigned char *bytes, uint32_t n_bytes)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < n_bytes; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

const char *const weight_names[] = {"none", "i32", "i64", "f32", "f64", "auto"};

uint32_t weight_bytes(enum weight_kind kind)
{
    static const uint32_t bytes[] = {0, 4, 8, 4, 8, 0};
    return bytes[kind];
}

double weight_real(enum weight_kind kind, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float narrow;
    double wide;
    switch (kind) {
    case WEIGHT_I32:
        return (int32_t)low;
    case WEIGHT_I64:
        return (double)(int64_t)bits;
    case WEIGHT_F32:
        memcpy(&narrow, &low, sizeof narrow);
        return narrow;
    case WEIGHT_F64:
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    default:
        return 0;
    }
}
