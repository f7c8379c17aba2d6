/* test_decoder - gzip and zstd: members and frames, padding, truncation, damage; ISA-L against zlib.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support_source.h"

/* What reading a file gave, both ways; they must agree in everything. */
static em_status read_both(const char *path, source_text *got, em_error *error)
{
    source_text other;
    em_error other_error = {0};
    const em_status status = source_slurp(path, &(source_how){.chunk_bytes = 1000}, got, error);
    const em_status other_status =
        source_slurp(path, &(source_how){.chunk_bytes = 1000, .reference = true}, &other, &other_error);
    assert_string_equal(error->message, other_error.message);
    assert_int_equal(status, other_status);
    if (status == EM_OK) {
        assert_int_equal(got->n_bytes, other.n_bytes);
        if (got->n_bytes)
            assert_memory_equal(got->text, other.text, got->n_bytes);
        assert_string_equal(got->note, other.note);
    }
    free(other.text);
    return status;
}

static void assert_text(const void *file, uint64_t n_file, const char *text, uint64_t n_text, const char *note)
{
    source_text got;
    em_error error = {0};
    if (read_both(scratch_file(file, n_file), &got, &error) != EM_OK)
        fail_msg("%s", error.message);
    assert_int_equal(got.n_bytes, n_text);
    if (n_text)
        assert_memory_equal(got.text, text, n_text);
    assert_string_equal(got.note, note);
    free(got.text);
}

static void assert_malformed(const void *file, uint64_t n_file, const char *words)
{
    source_text got;
    em_error error = {0};
    const char *path = scratch_file(file, n_file);
    assert_int_equal(read_both(path, &got, &error), EM_MALFORMED);
    assert_int_equal(strncmp(error.message, path, strlen(path)), 0);
    if (!strstr(error.message, words))
        fail_msg("'%s' not in '%s'", words, error.message);
}

/* Numbers of no great regularity: n bytes of lines. */
static char *lines(uint64_t seed, uint64_t n)
{
    char *text = malloc(n + 1);
    for (uint64_t i = 0; i < n; i++)
        text[i] = "0123456789012345678\n"[random_next(&seed) % 20];
    return text;
}

static char *joined(const char *a, uint64_t n_a, const char *b, uint64_t n_b)
{
    char *both = malloc(n_a + n_b + 1);
    memcpy(both, a, n_a);
    memcpy(both + n_a, b, n_b);
    return both;
}

/* --- gzip ---------------------------------------------------------------------------------------- */

static const unsigned char empty_member[20] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3};

static void reads_members_one_after_another(void **state)
{
    (void)state;
    uint64_t n_file = 0, n_text = 0;
    char *file = malloc(4000000), *text = malloc(4000000);
    for (uint64_t i = 0; i < 40; i++) {
        uint64_t n, n_part = i * i * i;
        char *part = lines(i, n_part), *zipped = gzip_of(part, n_part, (int)(i % 10), &n);
        memcpy(text + n_text, part, n_part);
        memcpy(file + n_file, zipped, n);
        n_text += n_part;
        n_file += n;
        memcpy(file + n_file, empty_member, sizeof empty_member);
        n_file += sizeof empty_member;
        free(part);
        free(zipped);
    }
    assert_text(file, n_file, text, n_text, "");
    free(file);
    free(text);
}

static void reads_every_header_field(void **state)
{
    (void)state;
    /* FHCRC + FEXTRA + FNAME + FCOMMENT; the header's CRC is filled in */
    unsigned char file[64] = {0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 1, 2, 3, 4, 0, 3, 3, 0, 'x', 'y', 'z'};
    uint32_t n = 15;
    memcpy(file + n, "name\0comment", 13);
    n += 13;
    const uint32_t crc = em_inflater_zlib.crc(0, file, n);
    file[n] = (unsigned char)crc;
    file[n + 1] = (unsigned char)(crc >> 8);
    memcpy(file + n + 2, "\3\0\0\0\0\0\0\0\0", 10);
    n += 12;
    assert_text(file, n, "", 0, "");
    for (uint32_t cut = 2; cut < n; cut++)
        assert_malformed(file, cut, "truncated gzip: ends at byte ");
    file[28] ^= 1;
    assert_malformed(file, n, "gzip member at byte 0: header CRC mismatch");
    file[3] |= 0x20;
    assert_malformed(file, n, "gzip member at byte 0: unknown header flags");
    file[2] = 7;
    assert_malformed(file, n, "gzip member at byte 0: unknown compression method");
}

static void takes_zeros_after_the_last_member_as_padding(void **state)
{
    (void)state;
    static const char zeros[600];
    uint64_t n;
    char *zipped = gzip_of("0 1\n1 2\n", 8, 6, &n), *padded = joined(zipped, n, zeros, 512);
    assert_text(padded, n + 512, "0 1\n1 2\n", 8, "512 zero bytes after the last gzip member ignored");
    char *more = joined(padded, n + 512, zipped, n);
    assert_text(more, 2 * n + 512, "0 1\n1 2\n0 1\n1 2\n", 16, "");
    free(more);
    free(padded);
    free(zipped);
}

static void refuses_other_bytes_after_the_last_member(void **state)
{
    (void)state;
    uint64_t n;
    char words[128], *zipped = gzip_of("0 1\n1 2\n", 8, 6, &n);
    for (int i = 0; i < 3; i++) {
        static const char *const tails[] = {"7 8\n", "\x1f\x8a", "\0\0\0\0x"};
        static const uint64_t sizes[] = {4, 2, 5}, places[] = {0, 0, 4};
        char *file = joined(zipped, n, tails[i], sizes[i]);
        snprintf(words, sizeof words, "trailing bytes after the last gzip member (not gzip) at byte %llu",
                 (unsigned long long)(n + places[i]));
        assert_malformed(file, n + sizes[i], words);
        free(file);
    }
    free(zipped);
}

static void names_the_byte_at_which_gzip_is_truncated(void **state)
{
    (void)state;
    uint64_t n, n_all;
    char words[80], *text = lines(5, 3000);
    char *zipped = gzip_of(text, 3000, 6, &n);
    for (uint64_t left = 2; left < n; left++) {
        snprintf(words, sizeof words, "truncated gzip: ends at byte %llu within a member", (unsigned long long)left);
        assert_malformed(zipped, left, words);
    }
    char *both = joined(zipped, n, zipped, n);
    for (n_all = n + 1; n_all < 2 * n; n_all++) {
        snprintf(words, sizeof words, "truncated gzip: ends at byte %llu within a member", (unsigned long long)n_all);
        assert_malformed(both, n_all, words);
    }
    free(both);
    free(zipped);
    free(text);
}

static void finds_a_wrong_checksum_and_a_wrong_length(void **state)
{
    (void)state;
    uint64_t n;
    char *zipped = gzip_of("0 1\n1 2\n", 8, 6, &n), *both = joined(zipped, n, zipped, n), words[80];
    snprintf(words, sizeof words, "gzip member at byte %llu: CRC-32 mismatch", (unsigned long long)n);
    both[2 * n - 8] ^= 1;
    assert_malformed(both, 2 * n, words);
    both[2 * n - 8] ^= 1;
    both[n - 1] ^= 1;
    assert_malformed(both, 2 * n, "gzip member at byte 0: length mismatch");
    free(both);
    free(zipped);
}

static void finds_damage_the_same_way_with_every_library(void **state)
{
    (void)state;
    uint64_t seed = 6, n_corrupt = 0, n_crc = 0, n_truncated = 0;
    for (int i = 0; i < 3000; i++) {
        const uint64_t n_text = 1 + random_next(&seed) % (i % 50 == 0 ? 400000 : 5000);
        uint64_t n;
        char *text = lines(random_next(&seed), n_text), *zipped = gzip_of(text, n_text, i % 10, &n);
        for (uint64_t k = 1 + random_next(&seed) % 3; k > 0; k--)
            zipped[10 + random_next(&seed) % (n - 10)] ^= (char)(1 << random_next(&seed) % 8);
        source_text got;
        em_error error = {0};
        if (read_both(scratch_file(zipped, n), &got, &error) == EM_OK) { /* flips undid one another */
            assert_int_equal(got.n_bytes, n_text);
            assert_memory_equal(got.text, text, n_text);
        }
        n_corrupt += strstr(error.message, "corrupt deflate data near byte ") != NULL;
        n_crc += strstr(error.message, "CRC-32 mismatch") != NULL;
        n_truncated += strstr(error.message, "truncated") != NULL;
        free(got.text);
        free(text);
        free(zipped);
    }
    assert_true(n_corrupt > 100 && n_crc > 100 && n_truncated > 0);
}

/* --- zstd ---------------------------------------------------------------------------------------- */

static const char skippable[] = "\x5a\x2a\x4d\x18\4\0\0\0abcd";

static void reads_frames_and_skips_skippable_ones(void **state)
{
    (void)state;
    uint64_t n;
    char *text = lines(7, 70000), *frame = zstd_of(text, 70000, 3, &n), *twice = joined(text, 70000, text, 70000);
    char *front = joined(skippable, 12, frame, n), *file = joined(front, 12 + n, front, 12 + n);
    assert_text(file, 2 * (12 + n), twice, 140000, "");
    assert_text(skippable, 12, "", 0, "");
    free(file);
    free(front);
    free(twice);
    free(frame);
    free(text);
}

static void names_the_byte_at_which_zstd_is_truncated(void **state)
{
    (void)state;
    uint64_t n;
    char *text = lines(8, 3000), *frame = zstd_of(text, 3000, 3, &n), words[80];
    for (uint64_t left = 2; left < n; left++) {
        snprintf(words, sizeof words, "truncated zstd: ends at byte %llu within a frame", (unsigned long long)left);
        assert_malformed(frame, left, words);
    }
    free(frame);
    free(text);
}

static void refuses_bytes_after_the_last_frame(void **state)
{
    (void)state;
    uint64_t n;
    char *frame = zstd_of("0 1\n", 4, 3, &n), *file = joined(frame, n, "7 8\n", 4), words[100];
    snprintf(words, sizeof words, "trailing bytes after the last zstd frame (not zstd) at byte %llu",
             (unsigned long long)n);
    assert_malformed(file, n + 4, words);
    free(file);
    free(frame);
}

static void finds_damage_in_zstd(void **state)
{
    (void)state;
    uint64_t seed = 9, n_corrupt = 0, n_checksum = 0;
    for (int i = 0; i < 500; i++) {
        uint64_t n;
        char *text = lines(random_next(&seed), 5000), *frame = zstd_of(text, 5000, i % 5, &n);
        frame[random_next(&seed) % (n - 4) + 4] ^= (char)(1 << random_next(&seed) % 8);
        source_text got;
        em_error error = {0};
        if (read_both(scratch_file(frame, n), &got, &error) == EM_OK) {
            assert_int_equal(got.n_bytes, 5000); /* a bit that means nothing */
            assert_memory_equal(got.text, text, 5000);
        }
        n_corrupt += strstr(error.message, "corrupt zstd data near byte ") != NULL;
        n_checksum += strstr(error.message, "zstd frame at byte 0: checksum mismatch") != NULL;
        free(got.text);
        free(text);
        free(frame);
    }
    assert_true(n_corrupt > 10 && n_checksum > 10);
}

static int clean(void **state)
{
    (void)state;
    scratch_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_members_one_after_another),
        cmocka_unit_test(reads_every_header_field),
        cmocka_unit_test(takes_zeros_after_the_last_member_as_padding),
        cmocka_unit_test(refuses_other_bytes_after_the_last_member),
        cmocka_unit_test(names_the_byte_at_which_gzip_is_truncated),
        cmocka_unit_test(finds_a_wrong_checksum_and_a_wrong_length),
        cmocka_unit_test(finds_damage_the_same_way_with_every_library),
        cmocka_unit_test(reads_frames_and_skips_skippable_ones),
        cmocka_unit_test(names_the_byte_at_which_zstd_is_truncated),
        cmocka_unit_test(refuses_bytes_after_the_last_frame),
        cmocka_unit_test(finds_damage_in_zstd),
    };
    return cmocka_run_group_tests_name("decoder", tests, NULL, clean);
}
