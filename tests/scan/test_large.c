/* test_large - more items than 32 bits can count, and more than one call of a kernel may have.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/support_scan.h"

static const uint64_t N = (UINT64_C(1) << 32) + 5;

static bool has_memory(void)
{
    uint64_t available_kib = 0;
    char line[256];
    FILE *facts = fopen("/proc/meminfo", "r");
    while (facts && fgets(line, sizeof line, facts))
        if (strncmp(line, "MemAvailable:", 13) == 0)
            available_kib = strtoull(line + 13, NULL, 10);
    if (facts)
        fclose(facts);
    return available_kib >= UINT64_C(6) << 20;
}

/* The array repeats itself, before and after each scan: a period stands for all of it. */
enum { PERIOD = 512 };

static void fill_with(const uint8_t *period, uint8_t *bytes)
{
    for (uint64_t i = 0; i < N; i += PERIOD)
        memcpy(bytes + i, period, N - i < PERIOD ? N - i : PERIOD);
}

static void assert_filled_with(const uint8_t *period, const uint8_t *bytes)
{
    for (uint64_t i = 0; i < N; i += PERIOD)
        if (memcmp(bytes + i, period, N - i < PERIOD ? N - i : PERIOD) != 0)
            fail_msg("results from %llu on differ", (unsigned long long)i);
}

/* In place, from an initial value; the period becomes that of the results. */
static void scan_all(em_scan_engine engine, em_scan_kind kind, uint8_t *period, uint8_t *bytes)
{
    em_context *context = support_scan_context((support_setting){.n_threads = 2});
    const uint8_t initial = 0xC3;
    uint8_t so_far = initial, total, expected_total = 0;
    for (uint64_t i = 0; i < PERIOD; i++) {
        const uint8_t with = so_far ^ period[i];
        period[i] = kind == EM_INCLUSIVE ? with : so_far;
        so_far = with;
        if (i == (N - 1) % PERIOD)
            expected_total = with;
    }
    assert_int_equal(so_far, initial); /* so it does repeat */
    const em_scan_call call = {.monoid = support_xor_bytes(),
                               .kind = kind,
                               .engine = engine,
                               .in = bytes,
                               .out = bytes,
                               .n = N,
                               .initial = &initial,
                               .total = &total};
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    assert_filled_with(period, bytes);
    assert_int_equal(total, expected_total);
    if (kind == EM_EXCLUSIVE_TOTAL)
        assert_int_equal(bytes[N], total);
    em_context_free(context);
}

static void scans_past_32_bits_of_items(void **state)
{
    (void)state;
    if (SUPPORT_SANITIZED || !has_memory()) {
        print_message("skipped: it takes 4 GiB of memory, 6 available, and no sanitizer\n");
        skip();
    }
    uint8_t *bytes = mmap(NULL, N + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(bytes != MAP_FAILED);
    uint8_t period[PERIOD];
    for (uint64_t i = 0; i < PERIOD; i++)
        period[i] = (uint8_t)(i * i * 7 + i / 256);
    fill_with(period, bytes);
    scan_all(EM_SCAN_LOOKBACK, EM_EXCLUSIVE_TOTAL, period, bytes);
    scan_all(EM_SCAN_SERIAL, EM_INCLUSIVE, period, bytes);
    munmap(bytes, N + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_past_32_bits_of_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
