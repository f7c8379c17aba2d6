/* npy - see npy.h.
 *
 * The header is a Python dictionary; its three keys come in any order, with either kind of quote.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/npy.h"

#include <stdio.h>
#include <string.h>

typedef struct text {
    const char *at, *end;
} text;

static void skip_blanks(text *from)
{
    while (from->at < from->end && (*from->at == ' ' || *from->at == '\n' || *from->at == '\t'))
        from->at++;
}

static bool take(text *from, char letter)
{
    skip_blanks(from);
    if (from->at == from->end || *from->at != letter)
        return false;
    from->at++;
    return true;
}

static bool take_word(text *from, const char *word)
{
    const size_t length = strlen(word);
    skip_blanks(from);
    if ((size_t)(from->end - from->at) < length || memcmp(from->at, word, length) != 0)
        return false;
    from->at += length;
    return true;
}

static bool take_string(text *from, char *into, size_t room)
{
    skip_blanks(from);
    if (from->at == from->end || (*from->at != '\'' && *from->at != '"'))
        return false;
    const char quote = *from->at++;
    size_t length = 0;
    for (; from->at < from->end && *from->at != quote; from->at++)
        if (length + 1 < room)
            into[length++] = *from->at;
    into[length] = '\0';
    return take(from, quote);
}

static bool take_shape(text *from, em_npy *array)
{
    if (!take(from, '('))
        return false;
    array->n_items = 1;
    while (!take(from, ')')) {
        uint64_t extent = 0;
        skip_blanks(from);
        const char *begin = from->at;
        for (; from->at < from->end && *from->at >= '0' && *from->at <= '9'; from->at++)
            if (__builtin_mul_overflow(extent, 10, &extent) ||
                __builtin_add_overflow(extent, (uint64_t)(*from->at - '0'), &extent))
                return false;
        if (from->at == begin || __builtin_mul_overflow(array->n_items, extent, &array->n_items))
            return false;
        if (array->n_dimensions < 2)
            array->shape[array->n_dimensions] = extent;
        array->n_dimensions++;
        take(from, 'L'); /* of Python 2 */
        take(from, ',');
    }
    return true;
}

/* "<i4", "|b1", "|S3": byte order, kind, bytes of an item (of a character for U). */
static bool understand_descr(em_npy *array)
{
    const char *descr = array->descr;
    if (*descr == '>' || (*descr != '<' && *descr != '|' && *descr != '='))
        return false;
    array->kind = descr[1];
    array->item_bytes = 0;
    for (const char *at = descr + 2; *at; at++) {
        if (*at < '0' || *at > '9' || array->item_bytes > 1000)
            return false;
        array->item_bytes = array->item_bytes * 10 + (uint32_t)(*at - '0');
    }
    if (array->kind == 'U')
        array->item_bytes *= 4;
    return array->item_bytes > 0;
}

static bool understand(text *from, em_npy *array)
{
    bool has_descr = false, has_order = false, has_shape = false, fortran = false;
    char key[16];
    if (!take(from, '{'))
        return false;
    while (!take(from, '}')) {
        if (!take_string(from, key, sizeof key) || !take(from, ':'))
            return false;
        if (strcmp(key, "descr") == 0 && !has_descr) {
            has_descr = take_string(from, array->descr, sizeof array->descr);
            if (!has_descr)
                return false;
        } else if (strcmp(key, "fortran_order") == 0 && !has_order) {
            fortran = take_word(from, "True");
            if (!fortran && !take_word(from, "False"))
                return false;
            has_order = true;
        } else if (strcmp(key, "shape") == 0 && !has_shape) {
            has_shape = take_shape(from, array);
            if (!has_shape)
                return false;
        } else {
            return false;
        }
        take(from, ',');
    }
    return has_descr && has_order && has_shape && !(fortran && array->n_dimensions > 1);
}

static em_status refuse_header(const text *from, const char *begin, const char *path, const char *member,
                               em_error *error)
{
    char words[100];
    size_t n = 0;
    for (const char *at = begin; at < from->end && *at != '\n' && n + 1 < sizeof words; at++)
        words[n++] = *at >= ' ' && *at <= '~' ? *at : '?';
    while (n > 0 && words[n - 1] == ' ')
        n--;
    return em_fail(error, EM_MALFORMED, "%s: %s: the numpy header is not understood: %.*s", path, member, (int)n,
                   words);
}

em_status em_npy_read(const unsigned char *bytes, uint64_t n_bytes, const char *path, const char *member, em_npy *array,
                      em_error *error)
{
    *array = (em_npy){0};
    if (n_bytes < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0 || bytes[6] < 1 || bytes[6] > 3)
        return em_fail(error, EM_MALFORMED, "%s: %s: is no numpy array", path, member);
    uint64_t length = 0, begin = bytes[6] == 1 ? 10 : 12;
    memcpy(&length, bytes + 8, begin - 8);
    if (length > n_bytes - begin)
        return em_fail(error, EM_MALFORMED, "%s: %s: truncated in its header", path, member);
    text from = {(const char *)bytes + begin, (const char *)bytes + begin + length};
    if (!understand(&from, array))
        return refuse_header(&from, (const char *)bytes + begin, path, member, error);
    if (!understand_descr(array))
        return em_fail(error, EM_MALFORMED, "%s: %s: items of type %s are not read", path, member, array->descr);
    array->data_at = begin + length;
    uint64_t wanted;
    if (__builtin_mul_overflow(array->n_items, array->item_bytes, &wanted) || wanted != n_bytes - array->data_at)
        return em_fail(error, EM_MALFORMED, "%s: %s: %llu bytes of data, but %llu items of %u bytes are declared", path,
                       member, (unsigned long long)(n_bytes - array->data_at), (unsigned long long)array->n_items,
                       array->item_bytes);
    return EM_OK;
}

uint32_t em_npy_header(const char *descr, uint32_t n_dimensions, uint64_t n_items, char *into)
{
    char shape[32] = "()";
    if (n_dimensions > 0)
        snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)n_items);
    char *words = into + 10;
    int length = snprintf(words, EM_NPY_HEADER_BYTES - 10, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                          descr, shape);
    do
        words[length++] = ' ';
    while ((10 + length + 1) % 64 != 0);
    words[length++] = '\n';
    memcpy(into, "\x93NUMPY\x01\x00", 8);
    into[8] = (char)(length & 255);
    into[9] = (char)(length >> 8);
    return (uint32_t)length + 10;
}
