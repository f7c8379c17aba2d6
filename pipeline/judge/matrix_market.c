/* matrix_market - coordinate files: the arcs of a square sparse matrix.
 *
 * Spec: https://math.nist.gov/MatrixMarket/formats.html. Symmetric kinds store one triangle; each entry off the
 * diagonal gives its mirror right behind it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/judge.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct banner {
    bool pattern, integer, mirrored, skew;
};

static void parse_banner(const char *path, char *line, struct banner *banner)
{
    char *words[5] = {0}, *rest = NULL;
    int n = 0;
    for (char *word = strtok_r(line, " \t\r", &rest); word && n < 5; word = strtok_r(NULL, " \t\r", &rest))
        words[n++] = word;
    if (n < 5 || strcasecmp(words[0], "%%MatrixMarket") || strcasecmp(words[1], "matrix") ||
        strcasecmp(words[2], "coordinate"))
        fail(EXIT_MALFORMED, "%s:1: no banner of a coordinate matrix", path);
    banner->pattern = strcasecmp(words[3], "pattern") == 0;
    banner->integer = strcasecmp(words[3], "integer") == 0;
    if (!banner->pattern && !banner->integer && strcasecmp(words[3], "real") && strcasecmp(words[3], "double"))
        fail(EXIT_MALFORMED, "%s:1: field %s is not supported", path, words[3]);
    banner->skew = strcasecmp(words[4], "skew-symmetric") == 0;
    banner->mirrored = banner->skew || strcasecmp(words[4], "symmetric") == 0;
    if (!banner->mirrored && strcasecmp(words[4], "general"))
        fail(EXIT_MALFORMED, "%s:1: symmetry %s is not supported", path, words[4]);
}

/* Up to three tokens of a line; false where it is blank or a comment. */
static bool cut(char *line, char *tokens[4])
{
    char *rest = NULL;
    int n = 0;
    tokens[0] = tokens[1] = tokens[2] = tokens[3] = "";
    if (line[0] == '%')
        return false;
    for (char *word = strtok_r(line, " \t\r", &rest); word && n < 4; word = strtok_r(NULL, " \t\r", &rest))
        tokens[n++] = word;
    return n > 0;
}

/* The weight with its sign turned: what the mirror of a skew-symmetric entry carries. */
static uint64_t negated(uint64_t bits, enum weight_kind kind)
{
    switch (kind) {
    case WEIGHT_I32:
        return (uint32_t)-bits;
    case WEIGHT_I64:
        return -bits;
    case WEIGHT_F32:
        return bits ^ UINT64_C(1) << 31;
    default:
        return bits ^ UINT64_C(1) << 63;
    }
}

static void read_entry(struct reading *reading, const struct input *input, const struct banner *banner, uint64_t n,
                       char *tokens[4], uint64_t number)
{
    uint64_t row, column, bits = 0;
    bool integer = true;
    const char *why = parse_id(tokens[0], strlen(tokens[0]), 1, &row);
    if (!why)
        why = parse_id(tokens[1], strlen(tokens[1]), 1, &column);
    if (!why && (row >= n || column >= n))
        why = "entry outside the matrix";
    if (!why)
        why = check_arc(reading, row, column);
    if (!why && reading->weighted)
        why = parse_weight(tokens[2], strlen(tokens[2]), reading->kind, reading->options->weights == WEIGHT_AUTO, &bits,
                           &integer);
    if (why)
        fail(EXIT_MALFORMED, "%s:%llu: %s", input->path, (unsigned long long)number, why);
    reading->all_integers &= integer && banner->integer;
    take_arc(reading, row, column, bits);
    if (banner->mirrored && row != column)
        take_arc(reading, column, row, banner->skew ? negated(bits, reading->kind) : bits);
}

void read_matrix_market(struct reading *reading, const struct input *input)
{
    struct lines *lines = lines_open(input->path, input->file);
    struct banner banner = {0};
    uint64_t shape[3] = {0}, n_entries = 0;
    bool sized = false;
    char *line, *tokens[4];
    size_t n;
    if (!lines_next(lines, &line, &n))
        fail(EXIT_MALFORMED, "%s: empty", input->path);
    parse_banner(input->path, line, &banner);
    reading->all_pairs = false;
    tell_weighted(reading, input->path, !banner.pattern && reading->options->weights != WEIGHT_NONE);
    while (lines_next(lines, &line, &n)) {
        if (!cut(line, tokens))
            continue;
        uint64_t number = lines_number(lines);
        if (sized) {
            if (++n_entries > shape[2])
                fail(EXIT_MALFORMED, "%s:%llu: more entries than declared", input->path, (unsigned long long)number);
            read_entry(reading, input, &banner, shape[0], tokens, number);
            continue;
        }
        for (int i = 0; i < 3; i++) {
            if (!parse_natural(tokens[i], strlen(tokens[i]), &shape[i]))
                fail(EXIT_MALFORMED, "%s:%llu: no size line", input->path, (unsigned long long)number);
        }
        if (shape[0] != shape[1])
            fail(EXIT_MALFORMED, "%s:%llu: the matrix is not square", input->path, (unsigned long long)number);
        tell_vertices(reading, input->path, shape[0]);
        sized = true;
    }
    if (!sized || n_entries < shape[2])
        fail(EXIT_MALFORMED, "%s: fewer entries than declared", input->path);
    lines_close(lines);
}
