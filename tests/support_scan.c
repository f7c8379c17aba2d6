/* support_scan - see support_scan.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_scan.h"
#include "tests/reference.h"
#include "tests/support_turns.h"

#include "scan/monoids.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void support_wait_asleep(char **argv)
{
    if (getenv("OMP_WAIT_POLICY"))
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv);
}

em_context *support_scan_context(support_setting with)
{
    em_context_options options = {.n_threads = with.n_threads ? with.n_threads : 1};
    options.knobs.tile_bytes = with.tile_bytes;
    options.knobs.serial_below = with.serial ? UINT64_MAX : 1;
    options.knobs.isa_limited = true;
    options.knobs.isa_at_most = with.isa;
    em_context *context;
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    return context;
}

/* --- items ----------------------------------------------------------------------------------------------- */

static uint64_t whole_number(support_style style, uint64_t *seed)
{
    static const uint64_t EDGES[] = {0,
                                     1,
                                     2,
                                     UINT64_MAX,
                                     UINT64_MAX - 1,
                                     INT64_MAX,
                                     (uint64_t)INT64_MIN,
                                     UINT32_MAX,
                                     INT32_MAX,
                                     UINT64_C(1) << 31,
                                     UINT64_C(1) << 32,
                                     UINT64_C(0xFFFFFFFF00000000)};
    const uint64_t random = ref_random(seed);
    if (style == SUPPORT_ZEROS)
        return random % 16 ? 0 : random >> 60;
    return style == SUPPORT_WILD && random % 2 ? EDGES[(random >> 8) % (sizeof EDGES / sizeof *EDGES)] : random;
}

static uint64_t float_bits(support_style style, bool wide, uint64_t *seed)
{
    static const uint64_t EDGES[] = {
        0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000012345, 0xFFF8000000000000, 0x7FF0000000000001, 1,
        0x8000000000000001, 0x7FEFFFFFFFFFFFFF, 0x0010000000000000, 0xFFEFFFFFFFFFFFFF};
    static const uint32_t NARROW_EDGES[] = {0x7F800000, 0xFF800000, 0x7FC12345, 0xFFC00000, 0x7F800001,
                                            1,          0x80000001, 0x7F7FFFFF, 0x00800000, 0xFF7FFFFF};
    const uint64_t random = ref_random(seed), sign = random & 1;
    uint64_t bits;
    double value = (double)(int64_t)ref_random(seed) * 0x1p-62;
    float narrow = (float)value;
    if (style == SUPPORT_WILD && (random >> 8) % 300 == 0)
        return wide ? EDGES[(random >> 32) % 10] : NARROW_EDGES[(random >> 32) % 10];
    if ((style != SUPPORT_TAME && (random >> 8) % 3 == 0) || (style == SUPPORT_ZEROS && (random >> 32) % 1000))
        return wide ? sign << 63 : sign << 31;
    if (!wide) {
        bits = 0;
        memcpy(&bits, &narrow, sizeof narrow);
        return bits;
    }
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t number_bits(em_type type, support_style style, uint64_t *seed)
{
    return type == EM_F32 || type == EM_F64 ? float_bits(style, type == EM_F64, seed) : whole_number(style, seed);
}

/* Generators whose products are all different: any order but the right one shows. */
static em_mat2 matrix(em_operator operation, support_style style, uint64_t *seed)
{
    const uint64_t random = ref_random(seed);
    if (style == SUPPORT_WILD || (operation == EM_MAT2_PRIME && random % 5 == 0)) {
        const em_mat2 any = {(uint32_t)whole_number(style, seed), (uint32_t)whole_number(style, seed),
                             (uint32_t)whole_number(style, seed), (uint32_t)whole_number(style, seed)};
        return any;
    }
    return random >> 63 ? (em_mat2){1, 1, 0, 1} : (em_mat2){1, 0, 1, 1};
}

static void put_item(em_operator operation, em_type type, support_style style, uint64_t *seed, uint64_t index,
                     unsigned char *item)
{
    const size_t size = type == EM_U32 || type == EM_I32 || type == EM_F32 ? 4 : 8;
    uint64_t bits = number_bits(type, style, seed);
    if (operation == EM_MAT2 || operation == EM_MAT2_PRIME) {
        const em_mat2 of = matrix(operation, style, seed);
        memcpy(item, &of, sizeof of);
        return;
    }
    /* few values, so that there are equals */
    if ((operation == EM_ARG_MIN || operation == EM_ARG_MAX) && style == SUPPORT_TAME && type < EM_F32)
        bits %= 1000;
    memcpy(item, &bits, size);
    if (operation == EM_AFFINE) {
        bits = number_bits(type, style, seed);
        memcpy(item + size, &bits, size);
    } else if (operation == EM_ARG_MIN || operation == EM_ARG_MAX) {
        memcpy(item + size, &index, sizeof index);
    }
}

void support_items(em_operator operation, em_type type, support_style style, uint64_t seed, void *items, uint64_t n)
{
    em_context *context = support_scan_context((support_setting){0});
    const em_monoid *monoid = em_monoid_of(context, operation, type);
    for (uint64_t i = 0; i < n; i++)
        put_item(operation, type, style, &seed, i, (unsigned char *)items + i * monoid->item_bytes);
    em_context_free(context);
}

/* --- by definition ----------------------------------------------------------------------------------------- */

typedef struct slow {
    const support_scan *of;
    const em_monoid *monoid;
    unsigned char *row;                                   /* SCAN_ROW elements */
    unsigned char *carry, *in_leaf, *before, *with, *one; /* elements */
    unsigned char *results;
} slow;

static void copy(const slow *own, void *to, const void *from)
{
    memcpy(to, from, own->monoid->elem_bytes);
}

/* *sum = the first `at + 1` of n elements, halves of halves. */
static void place_in_row(const slow *own, const unsigned char *row, uint64_t n, uint64_t at, unsigned char *sum)
{
    const uint64_t elem_bytes = own->monoid->elem_bytes, half = n / 2;
    if (n == 1) {
        copy(own, sum, row);
        return;
    }
    if (at < half) {
        place_in_row(own, row, half, at, sum);
        return;
    }
    _Alignas(64) unsigned char right[256];
    assert_true(elem_bytes <= sizeof right);
    place_in_row(own, row, half, half - 1, sum);
    place_in_row(own, row + half * elem_bytes, half, at - half, right);
    own->monoid->combine(own->monoid, sum, right, sum);
}

static const unsigned char *item_at(const slow *own, uint64_t i)
{
    return (const unsigned char *)own->of->in + i * own->monoid->item_bytes;
}

static void write_at(const slow *own, uint64_t i)
{
    own->monoid->lower(own->monoid, own->of->kind == EM_INCLUSIVE ? own->with : own->before,
                       own->results + i * own->monoid->result_bytes);
    copy(own, own->before, own->with);
}

static void scan_row(const slow *own, uint64_t begin, uint64_t n)
{
    const em_monoid *monoid = own->monoid;
    for (uint64_t k = 0; k < SCAN_ROW; k++)
        if (k < n)
            monoid->lift(monoid, item_at(own, begin + k), own->row + k * monoid->elem_bytes);
        else
            monoid->identity(monoid, own->row + k * monoid->elem_bytes);
    for (uint64_t k = 0; k < n; k++) {
        place_in_row(own, own->row, SCAN_ROW, k, own->one);
        monoid->combine(monoid, own->in_leaf, own->one, own->one);
        monoid->combine(monoid, own->carry, own->one, own->with);
        write_at(own, begin + k);
    }
    place_in_row(own, own->row, SCAN_ROW, SCAN_ROW - 1, own->one);
    monoid->combine(monoid, own->in_leaf, own->one, own->in_leaf);
}

static void scan_leaf(const slow *own, uint64_t begin, uint64_t end)
{
    const em_monoid *monoid = own->monoid;
    copy(own, own->before, own->carry);
    if (!monoid->leaf_items) {
        for (uint64_t i = begin; i < end; i++) {
            monoid->lift(monoid, item_at(own, i), own->one);
            monoid->combine(monoid, own->before, own->one, own->with);
            write_at(own, i);
        }
        copy(own, own->carry, own->before);
        return;
    }
    monoid->identity(monoid, own->in_leaf);
    for (uint64_t i = begin; i < end; i += SCAN_ROW)
        scan_row(own, i, end - i < SCAN_ROW ? end - i : SCAN_ROW);
    monoid->combine(monoid, own->carry, own->in_leaf, own->carry);
}

static void start(const slow *own)
{
    const em_monoid *monoid = own->monoid;
    if (own->of->initial)
        copy(own, own->carry, own->of->initial);
    else if (own->of->kind != EM_INCLUSIVE && monoid->starts_at_zero)
        memset(own->carry, 0, monoid->elem_bytes);
    else
        monoid->identity(monoid, own->carry);
}

void support_scan_slowly(const support_scan *of, void *results, void *total)
{
    const em_monoid *monoid = of->monoid;
    const uint64_t each = (monoid->elem_bytes + 63) / 64 * 64, leaf = monoid->leaf_items;
    unsigned char *places = aligned_alloc(64, 5 * each + SCAN_ROW * each);
    memset(places, 0, 5 * each + SCAN_ROW * each);
    const slow own = {of,
                      monoid,
                      places + 5 * each,
                      places,
                      places + each,
                      places + 2 * each,
                      places + 3 * each,
                      places + 4 * each,
                      results};
    start(&own);
    for (uint64_t begin = 0, end; begin < of->n; begin = end) {
        if (of->heads && of->heads[begin])
            start(&own);
        for (end = begin + 1; end < of->n && !(of->heads && of->heads[end]) && !(leaf && end % leaf == 0);)
            end++;
        scan_leaf(&own, begin, end);
    }
    if (of->kind == EM_EXCLUSIVE_TOTAL)
        monoid->lower(monoid, own.carry, own.results + of->n * monoid->result_bytes);
    copy(&own, total, own.carry);
    free(places);
}

/* --- one call against it ------------------------------------------------------------------------------------- */

static void assert_same(const support_setting *with, const support_scan *of, const unsigned char *got,
                        const unsigned char *expected, const char *where)
{
    const uint64_t size = of->monoid->result_bytes, n = of->n + (of->kind == EM_EXCLUSIVE_TOTAL);
    if (n == 0 || memcmp(got, expected, n * size) == 0)
        return;
    uint64_t i = 0;
    while (memcmp(got + i * size, expected + i * size, size) == 0)
        i++;
    print_error(
        "%s, %s: result %llu of %llu differs; kind %d, engine %d, isa %d, %u threads, tiles of %llu bytes%s%s\n",
        of->monoid->name, where, (unsigned long long)i, (unsigned long long)of->n, (int)of->kind, (int)with->engine,
        (int)with->isa, with->n_threads, (unsigned long long)with->tile_bytes, of->initial ? ", initial value" : "",
        of->heads ? ", heads" : "");
    fail();
}

/* A total is an element: what it stands for is compared, since no two NaNs need be the same. */
static void assert_total(const support_setting *with, const support_scan *of, const void *got, const void *expected)
{
    unsigned char results[2][256] = {{0}};
    assert_true(of->monoid->result_bytes <= sizeof results[0]);
    of->monoid->lower(of->monoid, got, results[0]);
    of->monoid->lower(of->monoid, expected, results[1]);
    const support_scan one = {of->monoid, EM_INCLUSIVE, NULL, of->initial, of->heads, 1};
    assert_same(with, &one, results[0], results[1], "total");
}

void support_scan_matches(support_setting with, em_context *context, const em_monoid *monoid, const support_scan *of,
                          const void *expected, const void *total)
{
    const uint64_t in_bytes = of->n * monoid->item_bytes;
    const uint64_t out_bytes = (of->n + (of->kind == EM_EXCLUSIVE_TOTAL)) * monoid->result_bytes;
    unsigned char *out = aligned_alloc(64, (out_bytes + 64 + 63) / 64 * 64);
    _Alignas(64) unsigned char got[256] = {0};
    assert_true(monoid->elem_bytes <= sizeof got);
    em_scan_call call = {.monoid = monoid,
                         .kind = of->kind,
                         .engine = with.engine,
                         .in = of->in,
                         .out = out,
                         .n = of->n,
                         .heads = of->heads,
                         .initial = of->initial,
                         .total = got};
    memset(out, 0xA5, out_bytes + 64);
    em_error error = {0};
    if (em_scan(context, &call, &error) != EM_OK)
        fail_msg("%s: %s", monoid->name, error.message);
    assert_same(&with, of, out, expected, "apart");
    for (uint64_t i = 0; i < 64; i++)
        assert_int_equal(out[out_bytes + i], 0xA5);
    assert_total(&with, of, got, total);
    if (monoid->item_bytes == monoid->result_bytes && monoid->item_align == monoid->result_align) {
        memcpy(out, of->in, in_bytes);
        call.in = out;
        assert_int_equal(em_scan(context, &call, NULL), EM_OK);
        assert_same(&with, of, out, expected, "in place");
        assert_total(&with, of, got, total);
    }
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    free(out);
}

/* --- all calls against it ---------------------------------------------------------------------------------------- */

bool support_find_forms(em_operator operation, em_type type, support_subject *subject)
{
    const em_monoid *last = NULL;
    for (em_isa isa = EM_ISA_SCALAR; isa <= EM_ISA_AVX512; isa++) {
        em_context *context = support_scan_context((support_setting){.isa = isa});
        const em_monoid *form = em_monoid_of(context, operation, type);
        subject->forms[isa] = form != last ? form : NULL;
        last = form;
        em_context_free(context);
    }
    return subject->forms[0] != NULL;
}

static void expect(support_subject *own, uint64_t n)
{
    const em_monoid *monoid = own->forms[0];
    for (uint32_t i = 0; i < SUPPORT_FORMS; i++) {
        const void *initial = i < 3 ? NULL : own->initial;
        own->scans[i] = (support_scan){monoid, (em_scan_kind)(i % 3), own->items, initial, own->heads, n};
        own->expected[i] = malloc((n + 1) * monoid->result_bytes);
        support_scan_slowly(&own->scans[i], own->expected[i], own->totals[i]);
    }
}

static void forget(support_subject *own)
{
    for (uint32_t i = 0; i < SUPPORT_FORMS; i++)
        free(own->expected[i]);
}

static void matches(const support_subject *own, support_setting with, em_context *context, uint32_t form)
{
    support_scan_matches(with, context, own->forms[with.isa], &own->scans[form], own->expected[form],
                         own->totals[form]);
}

/* All forms with all engines; tiles by turns. */
static void try_all_engines(const support_subject *own, uint64_t n)
{
    static const uint64_t TILES[] = {0, 2000, 100, 1};
    static uint64_t turn;
    for (em_isa isa = EM_ISA_SCALAR; isa <= EM_ISA_AVX512; isa++) {
        if (!own->forms[isa])
            continue;
        support_setting with = {.isa = isa, .n_threads = 3, .tile_bytes = TILES[n % 4], .serial = true};
        em_context *context = support_scan_context(with);
        for (with.engine = EM_SCAN_AUTO; with.engine < EM_N_SCAN_ENGINES; with.engine++)
            for (uint32_t form = 0; form < SUPPORT_FORMS; form += SUPPORT_SANITIZED && n > 1000 ? 5 : 1)
                if (support_turn(&turn))
                    matches(own, with, context, form);
        em_context_free(context);
    }
}

/* 1 to 16 threads, each with one or two of the tiles and two engines; forms by turns. Tiles are whole leaves where
 * there are any. */
static void try_all_teams(const support_subject *own)
{
    static const uint64_t TILE_ITEMS[] = {1, 2, 3, 7, 64, 1000}, TILE_LEAVES[] = {1, 4097, 8192};
    const em_monoid *monoid = own->forms[0];
    static uint64_t turn;
    uint32_t form = 0;
    assert_non_null(monoid);
    for (em_isa isa = EM_ISA_SCALAR; monoid && isa <= EM_ISA_AVX512; isa++)
        for (uint32_t n_threads = 1; own->forms[isa] && n_threads <= 16; n_threads += own->hasty ? 5 : 1)
            for (uint32_t i = 0; i < 1 + (isa == EM_ISA_SCALAR); i++) {
                if (!support_turn(&turn))
                    continue;
                const uint64_t tile_items =
                    monoid->leaf_items ? TILE_LEAVES[(n_threads + i) % 3] : TILE_ITEMS[(n_threads * 2 + i) % 6];
                support_setting with = {
                    .isa = isa, .n_threads = n_threads, .tile_bytes = tile_items * monoid->item_bytes};
                em_context *context = support_scan_context(with);
                with.engine = EM_SCAN_TILED;
                matches(own, with, context, form++ % SUPPORT_FORMS);
                with.engine = EM_SCAN_LOOKBACK;
                matches(own, with, context, form++ % SUPPORT_FORMS);
                form += n_threads % 3;
                em_context_free(context);
            }
}

void support_try_subject(support_subject *subject)
{
    subject->hasty |= SUPPORT_SANITIZED;
    static const uint64_t LENGTHS[] = {0, 1, 2, 63, 65, 64, 1000, SUPPORT_MOST_ITEMS};
    for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++) {
        const uint64_t n = LENGTHS[i];
        if (subject->hasty && i % 3 != 1)
            continue;
        expect(subject, n);
        try_all_engines(subject, n);
        if (n == (subject->forms[0]->leaf_items ? SUPPORT_MOST_ITEMS : 1000))
            try_all_teams(subject);
        forget(subject);
    }
}

/* --- a monoid of one byte -------------------------------------------------------------------------------------- */

SCAN_DEFINE_PLAIN(support_xor_byte, uint8_t, 700, 0, (uint8_t)(earlier ^ later))
#define FN(name)            SCAN_PASTE(MONOID, name)
#define MONOID              support_xor_byte
#define SCAN_KERNEL_LINKAGE static
#include "scan/serial.inc"
const em_monoid *support_xor_bytes(void)
{
    return &support_xor_byte_scalar;
}
