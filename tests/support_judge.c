/* support_judge - see support_judge.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

/* --- bytes ---------------------------------------------------------------------------------------- */

enum { FILE_BYTES = 1 << 18 };

struct bytes {
    unsigned char at[FILE_BYTES];
    size_t n;
};

static void put(struct bytes *bytes, uint64_t value, unsigned n_bytes)
{
    for (unsigned i = 0; i < n_bytes; i++)
        bytes->at[bytes->n++] = (unsigned char)(value >> 8 * i);
}

static void put_at(struct bytes *bytes, size_t at, uint64_t value, unsigned n_bytes)
{
    for (unsigned i = 0; i < n_bytes; i++)
        bytes->at[at + i] = (unsigned char)(value >> 8 * i);
}

static void pad(struct bytes *bytes, size_t alignment)
{
    while (bytes->n % alignment)
        bytes->at[bytes->n++] = 0;
}

static void fail_loudly(const char *what)
{
    perror(what);
    abort();
}

void judge_put(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0)
        fail_loudly(path);
}

void judge_put_text(const char *path, const char *text)
{
    judge_put(path, text, strlen(text));
}

uint64_t judge_f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t judge_f64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static unsigned width_of(int kind)
{
    return kind == PLAIN ? 0 : kind == I32 || kind == F32 ? 4 : 8;
}

/* --- files ---------------------------------------------------------------------------------------- */

static uint64_t section_sum(const struct bytes *bytes, size_t begin) /* one block: these files are small */
{
    unsigned char sums[8];
    const size_t n = bytes->n - begin;
    const uint64_t sum = XXH3_64bits(bytes->at + begin, n);
    for (unsigned i = 0; i < 8; i++)
        sums[i] = (unsigned char)(sum >> 8 * i);
    return XXH3_64bits(sums, n ? sizeof sums : 0);
}

void judge_put_csr(const char *path, const struct judge_csr *graph)
{
    static struct bytes file;
    uint64_t sums[4] = {0};
    file = (struct bytes){.n = 128};
    memcpy(file.at, "EDGEMILL", 8);
    put_at(&file, 8, 1, 4);
    put_at(&file, 12, 4, 1);
    put_at(&file, 13, (uint64_t)graph->kind, 1);
    put_at(&file, 14, 8, 1);
    put_at(&file, 16, graph->n, 8);
    put_at(&file, 24, graph->m, 8);
    put_at(&file, 32, graph->flags, 8);
    const uint64_t *const values[4] = {graph->offsets, graph->targets, graph->weights, graph->positions};
    const uint64_t counts[4] = {graph->n + 1, graph->m, graph->m, graph->m};
    const unsigned widths[4] = {8, 4, width_of(graph->kind), graph->has_positions ? 8 : 0};
    for (int i = 0; i < 4; i++) {
        if (!widths[i])
            continue;
        pad(&file, 4096);
        const size_t begin = file.n;
        put_at(&file, 40 + 8 * (size_t)i, begin, 8);
        for (uint64_t k = 0; k < counts[i]; k++)
            put(&file, values[i][k], widths[i]);
        sums[i] = section_sum(&file, begin);
    }
    pad(&file, 4096);
    put_at(&file, 72, file.n, 8);
    for (int i = 0; i < 4; i++)
        put(&file, sums[i], 8);
    put_at(&file, 80, file.n, 8);
    put_at(&file, 120, XXH3_64bits(file.at, 120), 8);
    judge_put(path, file.at, file.n);
}

static void add_member(struct bytes *file, struct bytes *directory, unsigned *n_members, const char *name,
                       const struct bytes *member)
{
    const uint64_t crc = crc32(0, member->at, (unsigned)member->n), header = file->n;
    put(file, 0x04034b50, 4);
    put(file, 20, 2), put(file, 0, 2), put(file, 0, 2), put(file, 0, 4); /* version, flags, stored, time */
    put(file, crc, 4), put(file, member->n, 4), put(file, member->n, 4);
    put(file, strlen(name), 2), put(file, 0, 2);
    memcpy(file->at + file->n, name, strlen(name));
    file->n += strlen(name);
    memcpy(file->at + file->n, member->at, member->n);
    file->n += member->n;
    put(directory, 0x02014b50, 4);
    put(directory, 20, 2), put(directory, 20, 2), put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 4);
    put(directory, crc, 4), put(directory, member->n, 4), put(directory, member->n, 4);
    put(directory, strlen(name), 2), put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 4);
    put(directory, 0, 4), put(directory, header, 4);
    memcpy(directory->at + directory->n, name, strlen(name));
    directory->n += strlen(name);
    ++*n_members;
}

static void begin_array(struct bytes *array, const char *type, const char *shape)
{
    char header[128];
    const int n =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    const unsigned padded = (unsigned)(n + 1 + 10 + 63) / 64 * 64 - 10;
    array->n = 0;
    memcpy(array->at, "\x93NUMPY\1\0", 8);
    array->n = 8;
    put(array, padded, 2);
    memset(array->at + array->n, ' ', padded);
    memcpy(array->at + array->n, header, (size_t)n);
    array->n += padded;
    array->at[array->n - 1] = '\n';
}

static void numbers(struct bytes *array, const char *type, unsigned width, const uint64_t *values, uint64_t n)
{
    char shape[32];
    snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)n);
    begin_array(array, type, shape);
    for (uint64_t i = 0; i < n; i++)
        put(array, values ? values[i] : 1, width);
}

void judge_put_npz(const char *path, const struct judge_csr *graph, bool wide)
{
    static struct bytes file, directory, member;
    static const char *const types[] = {"<i4", "<i4", "<i8", "<f4", "<f8"};
    const unsigned width = wide ? 8 : 4;
    const uint64_t shape[2] = {graph->n, graph->n};
    unsigned n_members = 0;
    file.n = directory.n = 0;
    numbers(&member, wide ? "<i8" : "<i4", width, graph->targets, graph->m);
    add_member(&file, &directory, &n_members, "indices.npy", &member);
    numbers(&member, wide ? "<i8" : "<i4", width, graph->offsets, graph->n + 1);
    add_member(&file, &directory, &n_members, "indptr.npy", &member);
    begin_array(&member, "|S3", "()");
    memcpy(member.at + member.n, "csr", 3);
    member.n += 3;
    add_member(&file, &directory, &n_members, "format.npy", &member);
    numbers(&member, "<i8", 8, shape, 2);
    add_member(&file, &directory, &n_members, "shape.npy", &member);
    numbers(&member, types[graph->kind], graph->kind == PLAIN ? 4 : width_of(graph->kind),
            graph->kind == PLAIN ? NULL : graph->weights, graph->m);
    add_member(&file, &directory, &n_members, "data.npy", &member);
    if (graph->kind == PLAIN) {
        begin_array(&member, "|b1", "()");
        put(&member, 1, 1);
        add_member(&file, &directory, &n_members, "edgemill_unweighted.npy", &member);
    }
    const size_t at = file.n;
    memcpy(file.at + file.n, directory.at, directory.n);
    file.n += directory.n;
    put(&file, 0x06054b50, 4), put(&file, 0, 4), put(&file, n_members, 2), put(&file, n_members, 2);
    put(&file, directory.n, 4), put(&file, at, 4), put(&file, 0, 2);
    judge_put(path, file.at, file.n);
}

void judge_fixture(struct judge_csr *graph, uint64_t n, const struct judge_arc *arcs, uint64_t n_arcs, int kind,
                   bool input_order)
{
    *graph = (struct judge_csr){.n = n, .m = n_arcs, .kind = kind, .has_positions = false};
    uint64_t filled = 0;
    for (uint64_t row = 0; row < n; row++) {
        graph->offsets[row] = filled;
        for (uint64_t i = 0; i < n_arcs; i++) {
            if (arcs[i].source != row)
                continue;
            uint64_t at = filled++;
            for (; at > graph->offsets[row] && (input_order ? graph->positions[at - 1] > arcs[i].position
                                                            : graph->targets[at - 1] > arcs[i].target);
                 at--) {
                graph->targets[at] = graph->targets[at - 1];
                graph->weights[at] = graph->weights[at - 1];
                graph->positions[at] = graph->positions[at - 1];
            }
            graph->targets[at] = arcs[i].target;
            graph->weights[at] = arcs[i].weight;
            graph->positions[at] = arcs[i].position;
        }
    }
    graph->offsets[n] = filled;
}

/* --- runs ----------------------------------------------------------------------------------------- */

static char home[4096], folder[64];

int judge_enter(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/edgemill-judge-XXXXXX");
    if (!getcwd(home, sizeof home) || !mkdtemp(folder) || chdir(folder) != 0)
        fail_loudly(folder);
    return 0;
}

int judge_leave(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (chdir(home) != 0 || system(command) != 0)
        fail_loudly(folder);
    return 0;
}

/* build/VARIANT/tests/pipeline/test_judge -> build/VARIANT/edgemill-igraph */
const char *judge_path(void)
{
    static char path[4200];
    const ssize_t n = readlink("/proc/self/exe", path, 4096);
    path[n < 0 ? 0 : n] = '\0';
    for (int up = 0; up < 3; up++) {
        char *const slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    }
    strcat(path, "/edgemill-igraph");
    return path;
}

bool judge_is_built(void)
{
    return access(judge_path(), X_OK) == 0;
}

int judge_run(const char *words, char *printed, size_t n_printed)
{
    char copy[1024], *arguments[32] = {"edgemill-igraph"}, *rest = NULL;
    int n = 1, ends[2], code;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, " ", &rest); word && n < 31; word = strtok_r(NULL, " ", &rest))
        arguments[n++] = word;
    arguments[n] = NULL;
    if (pipe(ends) != 0)
        fail_loudly("pipe");
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execv(judge_path(), arguments);
        _exit(127);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t n_read; (n_read = read(ends[0], printed + got, n_printed - 1 - got)) > 0;)
        got += (size_t)n_read;
    printed[got] = '\0';
    close(ends[0]);
    if (waitpid(child, &code, 0) != child)
        fail_loudly("wait");
    return WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
}

/* --- main ---------------------------------------------------------------------------------------------------- */

static void needs_the_judge(void **state)
{
    (void)state;
    skip();
}

int judge_run_tests(const struct CMUnitTest *tests, size_t n)
{
    const struct CMUnitTest absent[] = {cmocka_unit_test(needs_the_judge)};
    return judge_is_built() ? _cmocka_run_group_tests("tests", tests, n, judge_enter, judge_leave)
                            : cmocka_run_group_tests(absent, NULL, NULL);
}
