/* weight_convert - see weight_convert.h.
 *
 * Through i64 or f64: every type widens to one of them exactly, so each weight is rounded once. In place: values grow
 * from the last one down and shrink from the first one up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/weight_convert.h"

#include <math.h>
#include <string.h>

typedef struct number {
    bool is_float;
    int64_t whole;
    double real;
} number;

static number load(const char *weights, em_weight_kind kind, uint32_t index)
{
    number got = {.is_float = kind == EM_WEIGHT_F32 || kind == EM_WEIGHT_F64};
    int32_t narrow;
    float single;
    const char *at = weights + (size_t)index * em_weight_bytes(kind);
    if (kind == EM_WEIGHT_I32) {
        memcpy(&narrow, at, sizeof narrow);
        got.whole = narrow;
    } else if (kind == EM_WEIGHT_I64) {
        memcpy(&got.whole, at, sizeof got.whole);
    } else if (kind == EM_WEIGHT_F32) {
        memcpy(&single, at, sizeof single);
        got.real = (double)single;
    } else {
        memcpy(&got.real, at, sizeof got.real);
    }
    return got;
}

/* false: past the range of the type, or a float for an integer type. */
static bool store(char *weights, em_weight_kind kind, uint32_t index, number value, em_weight_changes *changes)
{
    char *at = weights + (size_t)index * em_weight_bytes(kind);
    if (kind == EM_WEIGHT_I32) {
        const int32_t narrow = (int32_t)value.whole;
        memcpy(at, &narrow, sizeof narrow);
        return !value.is_float && narrow == value.whole;
    }
    if (kind == EM_WEIGHT_I64) {
        memcpy(at, &value.whole, sizeof value.whole);
        return !value.is_float;
    }
    if (kind == EM_WEIGHT_F32) {
        const float single = value.is_float ? (float)value.real : (float)value.whole;
        memcpy(at, &single, sizeof single);
        if (value.is_float) {
            changes->n_zeroed += single == 0 && value.real != 0;
            return isfinite(single) || !isfinite(value.real);
        }
        changes->n_rounded += (__int128)single != value.whole; /* 2^63 as a float passes i64 */
        return true;
    }
    const double real = value.is_float ? value.real : (double)value.whole;
    memcpy(at, &real, sizeof real);
    changes->n_rounded += !value.is_float && (__int128)real != value.whole;
    return true;
}

em_status em_weights_convert(void *weights, em_weight_kind from, em_weight_kind to, uint32_t n,
                             em_weight_changes *changes, const char *path, uint64_t first_arc, em_error *error)
{
    if (from == to)
        return EM_OK;
    const bool grows = em_weight_bytes(to) > em_weight_bytes(from);
    uint32_t bad = n;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = grows ? n - 1 - i : i;
        const number value = load(weights, from, at);
        if (!store(weights, to, at, value, changes) && (bad == n || at < bad))
            bad = at;
    }
    if (bad == n)
        return EM_OK;
    return em_fail_at(error, EM_MALFORMED, first_arc + bad, "%s: the weight of arc %llu, of type %s, is no %s", path,
                      (unsigned long long)(first_arc + bad), em_weight_name(from), em_weight_name(to));
}
