/* test_npz - archives of numpy arrays: ours read by scipy, scipy's read by us.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/npy.h"
#include "io/npz.h"
#include "io/zip.h"
#include "tests/io/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

static const uint64_t OFFSETS[] = {0, 2, 3, 3};
static const uint32_t TARGETS[] = {1, 2, 2};

static bool has_scipy(void)
{
    return system("/usr/bin/python3 -c 'import scipy.sparse' 2>/dev/null") == 0;
}

/* Runs a Python program in the folder of the test, with numpy as np and scipy.sparse as ss. */
static void python(const char *program)
{
    FILE *file = fopen(files_path("program.py"), "w");
    assert_non_null(file);
    fprintf(file, "import os, zipfile, io\nimport numpy as np\nimport scipy.sparse as ss\nos.chdir('%s')\n%s",
            files_path("."), program);
    fclose(file);
    char command[800];
    snprintf(command, sizeof command, "/usr/bin/python3 '%s'", files_path("program.py"));
    assert_int_equal(system(command), 0);
}

static void the_checksum_is_that_of_zlib(void **state)
{
    (void)state;
    unsigned char bytes[1000];
    for (int i = 0; i < 1000; i++)
        bytes[i] = (unsigned char)(i * 37 + i / 7);
    for (uint64_t n = 0; n < 1000; n += 13) {
        assert_int_equal(em_crc32(0, bytes, n), crc32(0, bytes, (uInt)n));
        const uint32_t first = em_crc32(0, bytes, n), second = em_crc32(0, bytes + n, 1000 - n);
        assert_int_equal(em_crc32_join(first, second, 1000 - n), crc32(0, bytes, 1000));
    }
}

static void the_header_of_an_array_is_numpys(void **state)
{
    (void)state;
    char header[EM_NPY_HEADER_BYTES];
    const uint32_t n = em_npy_header("<i4", 1, 12345, header);
    assert_int_equal(n, 128);
    assert_memory_equal(header, "\x93NUMPY\1\0\x76\0{'descr': '<i4', 'fortran_order': False, 'shape': (12345,), } ",
                        68);
    assert_int_equal(header[127], '\n');
    em_npy array;
    unsigned char bytes[128 + 12345 * 4];
    memcpy(bytes, header, 128);
    assert_int_equal(em_npy_read(bytes, sizeof bytes, "f", "m", &array, NULL), EM_OK);
    assert_int_equal(array.n_items, 12345);
    assert_int_equal(array.data_at, 128);
    em_error error = {0};
    assert_int_equal(em_npy_read(bytes, sizeof bytes - 1, "f", "m", &array, &error), EM_MALFORMED);
    files_assert_says(error, "f: m: 49379 bytes of data, but 12345 items of 4 bytes");
}

static em_status read_header(const char *words, em_npy *array, em_error *error)
{
    unsigned char bytes[256] = "\x93NUMPY\1\0";
    const size_t length = strlen(words);
    bytes[8] = (unsigned char)length;
    memcpy(bytes + 10, words, length);
    return em_npy_read(bytes, 10 + length + 24, "f", "m", array, error);
}

static void keys_of_an_array_come_in_any_order(void **state)
{
    (void)state;
    em_npy array;
    assert_int_equal(read_header("{\"shape\": (3L,), 'fortran_order':False,'descr':'<u8'}\n", &array, NULL), EM_OK);
    assert_int_equal(array.kind, 'u');
    assert_int_equal(array.n_items, 3);
    assert_int_equal(read_header("{'descr':'|S24','shape': (), 'fortran_order':True}", &array, NULL), EM_OK);
    assert_int_equal(array.n_dimensions, 0);
    static const char *const bad[] = {
        "{'descr': '>i8', 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (3,3,3), }",
        "{'descr': '<i8', 'fortran_order': False, }",
        "{'descr': '<i8', 'descr': '<i8', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (3,)",
        "{'descr': '<i8', 'other': False, 'shape': (3,)}",
        "{'descr",
        "",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        em_error error = {0};
        if (read_header(bad[i], &array, &error) != EM_MALFORMED)
            fail_msg("%s", bad[i]);
        files_assert_says(error, "f: m: ");
    }
}

static void comes_back_as_it_went_with_every_kind_of_weight(void **state)
{
    (void)state;
    for (int kind = EM_WEIGHT_NONE; kind <= EM_WEIGHT_F64; kind++) {
        em_csr csr = files_random_csr(context, 1000, 20000, kind, (uint64_t)kind + 1);
        files_write(context, &csr, "npz", files_path("k.npz"));
        em_csr back = files_open(context, files_path("k.npz"));
        files_assert_same(&csr, &back);
        assert_int_equal(back.facts, 0);
        em_csr_free(&back);
        em_csr_free(&csr);
    }
}

static void same_bytes_for_any_threads_and_through_a_pipe(void **state)
{
    (void)state;
    em_csr csr = files_random_csr(context, 700000, 2000000, EM_WEIGHT_NONE, 5);
    files_write(context, &csr, "npz", files_path("1.npz"));
    size_t n, n_other;
    unsigned char *bytes = files_get(files_path("1.npz"), &n);
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        em_context *other = files_context(threads, NULL);
        files_write(other, &csr, "npz", files_path("2.npz"));
        unsigned char *more = files_get(files_path("2.npz"), &n_other);
        assert_int_equal(n, n_other);
        assert_int_equal(memcmp(bytes, more, n), 0);
        free(more);
        em_csr back = files_open(other, files_path("2.npz"));
        files_assert_same(&csr, &back);
        em_csr_free(&back);
        em_context_free(other);
    }
    char command[1400];
    snprintf(command, sizeof command, "mkfifo '%s' && cat '%s' > '%s' &", files_path("fifo"), files_path("fifo"),
             files_path("3.npz"));
    assert_int_equal(system(command), 0);
    while (access(files_path("fifo"), F_OK) != 0)
        usleep(1000);
    files_write(context, &csr, "npz", files_path("fifo"));
    for (int i = 0; i < 2000; i++) {
        free(files_get(files_path("3.npz"), &n_other));
        if (n_other == n)
            break;
        usleep(1000);
    }
    unsigned char *piped = files_get(files_path("3.npz"), &n_other);
    assert_int_equal(n, n_other);
    assert_int_equal(memcmp(bytes, piped, n), 0);
    free(piped);
    free(bytes);
    em_csr_free(&csr);
}

static void members_are_stored_and_carry_the_date_1980(void **state)
{
    (void)state;
    const em_csr csr = files_csr(3, OFFSETS, TARGETS, EM_WEIGHT_NONE, NULL);
    files_write(context, &csr, "npz", files_path("d.npz"));
    size_t n;
    unsigned char *bytes = files_get(files_path("d.npz"), &n);
    em_zip_member *members;
    uint64_t n_members;
    assert_int_equal(em_zip_read(context, bytes, n, "d", &members, &n_members, NULL), EM_OK);
    assert_int_equal(n_members, 6);
    assert_string_equal(members[0].name, "format.npy");
    assert_string_equal(members[5].name, "edgemill_unweighted.npy");
    for (uint64_t i = 0; i < n_members; i++) {
        assert_int_equal(members[i].method, EM_ZIP_STORED);
        assert_memory_equal(bytes + members[i].header_at + 10, "\0\0\x21\0", 4);
    }
    em_free(context, members, n_members * sizeof *members);
    free(bytes);
}

/* The shape alone decides, so that huge graphs need not be made: n is 2^31 - 1 or 2^31, with borrowed zeros. */
static void numbers_past_4_gib_stand_in_zip64_fields(void **state)
{
    (void)state;
    em_zip_member member = {.name = "data.npy", .n_bytes = UINT64_C(5) << 30, .header_at = UINT64_C(9) << 30};
    unsigned char bytes[3 * EM_ZIP_PIECE_BYTES] = {0};
    uint64_t value;
    const uint32_t local = em_zip_local_header(&member, bytes);
    assert_int_equal(local, 30 + 8 + 20);
    assert_int_equal(em_zip_local_header(&member, NULL), local);
    assert_memory_equal(bytes + 18, "\377\377\377\377\377\377\377\377", 8);
    memcpy(&value, bytes + 38 + 4, 8);
    assert_int_equal(value, member.n_bytes);
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, "PK\3\4", 4); /* a sparse archive: directory at the front of a file that is only there in name */
    const uint32_t entry = em_zip_directory_entry(&member, bytes + 4);
    unsigned char tail[EM_ZIP_PIECE_BYTES];
    const uint32_t tail_bytes = em_zip_end(1, UINT64_C(14) << 30, entry, tail);
    assert_int_equal(tail_bytes, 56 + 20 + 22);
    value = 4; /* where the directory lies in this small one */
    memcpy(tail + 48, &value, 8);
    value = 4 + entry;
    memcpy(tail + 56 + 8, &value, 8);
    memcpy(bytes + 4 + entry, tail, tail_bytes);
    em_zip_member *members;
    uint64_t n_members;
    assert_int_equal(em_zip_read(context, bytes, 4 + entry + tail_bytes, "z", &members, &n_members, NULL), EM_OK);
    assert_int_equal(n_members, 1);
    assert_int_equal(members[0].n_bytes, member.n_bytes);
    assert_int_equal(members[0].stored_bytes, member.n_bytes);
    assert_int_equal(members[0].header_at, member.header_at);
    em_error error = {0};
    assert_int_equal(em_zip_locate(bytes, 4 + entry + tail_bytes, "z", &members[0], &error), EM_MALFORMED);
    em_free(context, members, sizeof *members);
}

static void scipy_opens_what_is_written(void **state)
{
    (void)state;
    if (!has_scipy())
        skip();
    static const double weights[] = {0.5, -1, 1e300};
    em_csr csr = files_csr(3, OFFSETS, TARGETS, EM_WEIGHT_NONE, NULL);
    files_write(context, &csr, "npz", files_path("u.npz"));
    csr = files_csr(3, OFFSETS, TARGETS, EM_WEIGHT_F64, weights);
    files_write(context, &csr, "npz", files_path("w.npz"));
    python("a = ss.load_npz('u.npz')\n"
           "assert a.format == 'csr' and a.shape == (3, 3), a\n"
           "assert a.indptr.dtype == np.int32 and a.indices.dtype == np.int32 and a.data.dtype == np.int32\n"
           "assert a.indptr.tolist() == [0, 2, 3, 3] and a.indices.tolist() == [1, 2, 2]\n"
           "assert a.data.tolist() == [1, 1, 1]\n"
           "a = ss.load_npz('w.npz')\n"
           "assert a.data.tolist() == [0.5, -1, 1e300]\n"
           "z = zipfile.ZipFile('w.npz'); assert z.testzip() is None\n"
           "assert all(i.date_time == (1980, 1, 1, 0, 0, 0) and i.compress_type == 0 for i in z.infolist())\n");
}

static void what_scipy_writes_is_opened(void **state)
{
    (void)state;
    if (!has_scipy())
        skip();
    python("r, c, v = [2, 0, 0, 1, 0], [0, 2, 1, 2, 2], [4.5, 1, 2, 3, 9]\n"
           "coo = ss.coo_matrix((v, (r, c)), (3, 3))\n"
           "ss.save_npz('coo.npz', coo)\n"
           "ss.save_npz('csr.npz', ss.csr_matrix(coo))\n"
           "ss.save_npz('csr0.npz', ss.csr_matrix(coo), compressed=False)\n"
           "ss.save_npz('csc.npz', ss.csc_matrix(coo.T))\n"
           "ss.save_npz('bsr.npz', ss.bsr_matrix(coo))\n"
           "ss.save_npz('flat.npz', ss.csr_matrix((3, 4)))\n"
           "for t in 'bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 complex64'.split():\n"
           "    ss.save_npz(t + '.npz', ss.csr_matrix(coo.astype(t)))\n"
           "m = ss.csr_matrix(coo); m.indices = m.indices.astype(np.int64); m.indptr = m.indptr.astype(np.int64)\n"
           "ss.save_npz('wide.npz', m)\n"
           "ss.save_npz('empty.npz', ss.csr_matrix((0, 0)))\n");
    static const uint64_t offsets[] = {0, 2, 3, 4};
    static const uint32_t targets[] = {1, 2, 2, 0};
    static const double weights[] = {2, 10, 3, 4.5};
    const em_csr wanted = files_csr(3, offsets, targets, EM_WEIGHT_F64, weights);
    static const char *const same[] = {"csr.npz", "csr0.npz", "csc.npz", "wide.npz"};
    for (size_t i = 0; i < 4; i++) {
        em_csr back = files_open(context, files_path(same[i]));
        files_assert_same(&wanted, &back);
        em_csr_free(&back);
    }
    static const uint64_t coo_offsets[] = {0, 3, 4, 5};
    static const uint32_t coo_targets[] = {2, 1, 2, 2, 0};
    static const double coo_weights[] = {1, 2, 9, 3, 4.5};
    const em_csr wanted_coo = files_csr(3, coo_offsets, coo_targets, EM_WEIGHT_F64, coo_weights);
    em_csr back = files_open(context, files_path("coo.npz"));
    files_assert_same(&wanted_coo, &back);
    em_csr_free(&back);
    static const struct {
        const char *name;
        em_weight_kind kind;
    } kinds[] = {{"bool.npz", EM_WEIGHT_NONE},  {"int8.npz", EM_WEIGHT_I32},   {"uint8.npz", EM_WEIGHT_I32},
                 {"int16.npz", EM_WEIGHT_I32},  {"uint16.npz", EM_WEIGHT_I32}, {"int32.npz", EM_WEIGHT_I32},
                 {"uint32.npz", EM_WEIGHT_I64}, {"int64.npz", EM_WEIGHT_I64},  {"uint64.npz", EM_WEIGHT_I64},
                 {"float32.npz", EM_WEIGHT_F32}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        back = files_open(context, files_path(kinds[i].name));
        assert_int_equal(back.weight_kind, kinds[i].kind);
        assert_memory_equal(back.targets.at, targets, sizeof targets);
        if (kinds[i].kind == EM_WEIGHT_I32)
            assert_memory_equal(back.weights.at, ((int32_t[]){2, 10, 3, 4}), 16);
        em_csr_free(&back);
    }
    back = files_open(context, files_path("empty.npz"));
    assert_int_equal(back.n_vertices, 0);
    em_csr_free(&back);
    static const char *const refused[][2] = {
        {"bsr.npz", "format bsr is not read"}, {"flat.npz", "3 rows and 4 columns"}, {"complex64.npz", "type <c8"}};
    for (size_t i = 0; i < 3; i++) {
        em_error error = {0};
        assert_int_equal(em_csr_open(context, files_path(refused[i][0]), &back, &error), EM_MALFORMED);
        files_assert_says(error, refused[i][1]);
        files_assert_says(error, refused[i][0]);
    }
}

/* A coo is a list: its arcs are read as they stand, and no array of its rows is made. */
static void coordinates_are_read_in_their_order(void **state)
{
    (void)state;
    if (!has_scipy())
        skip();
    python("r, c, v = [3, 0, 4999999998, 0], [1, 2, 3, 2], [1.5, 2, 3, 4]\n"
           "ss.save_npz('listed.npz', ss.coo_matrix((v, (r, c)), (5000000000, 5000000000)))\n"
           "ss.save_npz('none.npz', ss.coo_matrix((4, 4)))\n");
    static const uint64_t sources[] = {3, 0, 4999999998, 0}, targets[] = {1, 2, 3, 2};
    static const double weights[] = {1.5, 2, 3, 4};
    const char *paths[] = {files_path("listed.npz")};
    const em_read_options options = {.paths = paths, .n_paths = 1};
    files_arcs arcs = {0};
    em_read_report report;
    em_error error = {0};
    if (files_read(context, &options, &arcs, &report, &error) != EM_OK)
        fail_msg("%s", error.message);
    assert_int_equal(arcs.n_arcs, 4);
    assert_int_equal(report.n_vertices, 5000000000);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(arcs.arcs[i].source, sources[i]);
        assert_int_equal(arcs.arcs[i].target, targets[i]);
        assert_memory_equal(&arcs.arcs[i].weight, &weights[i], 8);
    }
    files_arcs_free(&arcs);
    em_csr csr;
    assert_int_equal(em_csr_open(context, paths[0], &csr, &error), EM_ENVIRONMENT);
    files_assert_says(error, "5000000000 rows for 4 arcs would need 40000000008 bytes of offsets alone");
    paths[0] = files_path("none.npz");
    assert_int_equal(files_read(context, &options, &arcs, &report, &error), EM_OK);
    assert_int_equal(arcs.n_arcs, 0);
    assert_int_equal(report.n_vertices, 4);
    files_arcs_free(&arcs);
}

/* Archives with one thing wrong, made by numpy. */
static void malformed_archives_are_refused_by_name(void **state)
{
    (void)state;
    if (!has_scipy())
        skip();
    python("def put(name, **other):\n"
           "    a = dict(format=np.array(b'csr'), shape=np.array([3, 3]), indptr=np.array([0, 2, 3, 3], 'i4'),\n"
           "             indices=np.array([1, 2, 2], 'i4'), data=np.array([1., 2., 3.]))\n"
           "    a.update(other)\n"
           "    np.savez_compressed(name, **{k: v for k, v in a.items() if v is not None})\n"
           "I = lambda *a: np.array(a, 'i4')\n"
           "put('0', indptr=I(0, 2, 1, 3))\nput('1', indptr=I(0, 2, 3, 4))\nput('2', indptr=I(1, 2, 3, 3))\n"
           "put('3', indices=I(1, 3, 2))\nput('4', indices=I(1, -1, 2))\nput('5', shape=np.array([3, 4]))\n"
           "put('6', data=np.array([1., 2.]))\nput('7', indptr=I(0, 2, 3))\nput('8', data=None)\n"
           "put('9', format=None)\nput('10', format=np.array(b'dia'))\nput('11', shape=np.array([3]))\n"
           "put('12', indices=np.array([1., 2., 2.]))\nput('13', data=np.array(['a', 'b', 'c']))\n"
           "put('14', indptr=I(0, -2, 3, 3))\nput('15', indptr=None)\nput('16', format=np.array('csr'))\n"
           "put('17', data=np.array([1, 2, 2**64 - 1], 'u8'))\nput('18', shape=np.array([-3, -3]))\n"
           "put('19', format=np.array(b'coo'), row=I(0, 1, 2), col=I(0, 1, 3))\n"
           "put('20', format=np.array(b'coo'), row=I(0, 1, 2), col=I(0, 1))\n");
    static const char *const says[] = {
        "indptr.npy: item 2 is 1, below the 2 before it",
        "indptr.npy: goes from 0 to 4, but indices.npy has 3 items",
        "indptr.npy: goes from 1",
        "indices.npy: item 1 is 3: more than 2",
        "indices.npy: item 1 is -1: negative",
        "shape.npy: 3 rows and 4 columns",
        "data.npy: 2 items for 3 arcs",
        "indptr.npy: 3 items for 3 rows",
        "data.npy: is missing",
        "format.npy: is missing",
        "format dia",
        "shape.npy: is not two integers",
        "indices.npy: is not a list of integers",
        "data.npy: weights of type <U1",
        "indptr.npy: item 1 is -2: negative",
        "indptr.npy: is missing",
        NULL,
        "data.npy: item 2 is 18446744073709551615",
        "shape.npy",
        "col.npy: item 2 is 3: more than 2",
        "col.npy: has another number of items",
    };
    for (int i = 0; i < (int)(sizeof says / sizeof *says); i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.npz", i);
        em_csr back;
        em_error error = {0};
        const em_status status = em_npz_open(context, files_path(name), &back, &error);
        if (status != (says[i] ? EM_MALFORMED : EM_OK))
            fail_msg("%s: status %d: %s", name, status, error.message);
        if (says[i]) {
            files_assert_says(error, says[i]);
            files_assert_says(error, name);
        }
        em_csr_free(&back);
    }
}

static void check_damage(em_weight_kind kind)
{
    static const int32_t weights[] = {1, 2, 3};
    const em_csr csr = files_csr(3, OFFSETS, TARGETS, kind, kind ? weights : NULL);
    files_write(context, &csr, "npz", files_path("good.npz"));
    size_t n;
    unsigned char *bytes = files_get(files_path("good.npz"), &n);
    for (size_t length = 0; length < n; length += 7) {
        files_put(files_path("bad.npz"), bytes, length);
        em_csr back;
        em_error error = {0};
        assert_int_equal(em_npz_open(context, files_path("bad.npz"), &back, &error), EM_MALFORMED);
        files_assert_says(error, "bad.npz");
    }
    for (size_t i = 0; i < n; i++) { /* never a crash; never another graph */
        bytes[i] ^= 0x55;
        files_put(files_path("bad.npz"), bytes, n);
        em_csr back;
        if (em_npz_open(context, files_path("bad.npz"), &back, NULL) == EM_OK)
            files_assert_same(&csr, &back);
        em_csr_free(&back);
        bytes[i] ^= 0x55;
    }
    free(bytes);
}

static void every_cut_and_most_changes_are_noticed(void **state)
{
    (void)state;
    check_damage(EM_WEIGHT_I32);
    check_damage(EM_WEIGHT_NONE);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    files_assert_poor_round_trip(context, "npz");
}

static void a_full_device_is_an_error(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    const em_csr csr = files_csr(3, OFFSETS, TARGETS, EM_WEIGHT_NONE, NULL);
    static const char *const formats[] = {"npz", "csr", "el", "u32"};
    for (int i = 0; i < 4; i++) {
        em_error error = {0};
        assert_int_equal(files_try_write(context, &csr, formats[i], "/dev/full", &error), EM_ENVIRONMENT);
        files_assert_says(error, "/dev/full: write: No space left on device");
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(the_checksum_is_that_of_zlib),
        TEST(the_header_of_an_array_is_numpys),
        TEST(keys_of_an_array_come_in_any_order),
        TEST(comes_back_as_it_went_with_every_kind_of_weight),
        TEST(same_bytes_for_any_threads_and_through_a_pipe),
        TEST(members_are_stored_and_carry_the_date_1980),
        TEST(numbers_past_4_gib_stand_in_zip64_fields),
        TEST(scipy_opens_what_is_written),
        TEST(what_scipy_writes_is_opened),
        TEST(coordinates_are_read_in_their_order),
        TEST(malformed_archives_are_refused_by_name),
        TEST(every_cut_and_most_changes_are_noticed),
        TEST(every_failing_allocation_is_survived),
        TEST(a_full_device_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
