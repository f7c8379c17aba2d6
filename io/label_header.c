/* label_header - see label_header.h.
 *
 * Where ids are numbers a line of column names is refused by itself. Any word can be a label, so that such a line would
 * become an arc without a word. Two things give it away: it has no number where the next line has a weight, or its
 * ends are called what columns are called. Either may be meant: then --header=0 says so.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/label_header.h"

#include "io/label_line.h"

#include <string.h>
#include <strings.h>

/* What columns of sources and targets are called; separators of words do not count. */
static const char *const PAIRS[][2] = {
    {"source", "target"},
    {"src", "dst"},
    {"src", "dest"},
    {"source", "destination"},
    {"source", "sink"},
    {"from", "to"},
    {"sourceid", "targetid"},
    {"srcid", "dstid"},
    {"fromid", "toid"},
    {"fromnode", "tonode"},
    {"fromnodeid", "tonodeid"},
    {"sourcenode", "targetnode"},
    {"fromvertex", "tovertex"},
    {"node1", "node2"},
    {"nodeid1", "nodeid2"},
    {"vertex1", "vertex2"},
    {"id1", "id2"},
    {"startid", "endid"},
};
enum { N_PAIRS = sizeof PAIRS / sizeof *PAIRS };

/* Column `wanted` of the line, from 1. False: there is none, or it is empty. */
static bool find_field(char separator, const em_label_line *line, uint32_t wanted, em_label_field *field)
{
    em_field_cursor cursor = em_fields(separator, line->begin, line->end);
    uint32_t n = 0;
    while (n < wanted && em_next_label_field(&cursor, field) > 0)
        n++;
    return n == wanted && wanted > 0 && field->begin < field->end;
}

static em_number_status number_of(const em_label_field *field)
{
    em_weight weight;
    return em_parse_weight(field->begin, field->end, EM_WEIGHT_F64, &weight);
}

/* Whether the field is the word, but for case, blanks, '_', '-' and ':'. */
static bool is_word(const em_label_field *field, const char *word)
{
    for (const char *at = field->begin; at < field->end; at++) {
        if (memchr(" _-:", *at, 4))
            continue;
        if (!*word || (*at | 0x20) != (*word | 0x20))
            return false;
        word++;
    }
    return !*word;
}

static bool name_columns(const em_label_field *source, const em_label_field *target)
{
    for (int i = 0; i < N_PAIRS; i++)
        for (int turned = 0; turned < 2; turned++)
            if (is_word(source, PAIRS[i][turned]) && is_word(target, PAIRS[i][1 - turned]))
                return true;
    return false;
}

em_status em_label_check_header(const em_text_layout *layout, uint32_t weight_column, const char *path,
                                const em_label_line *first, const em_label_line *second, em_error *error)
{
    static const char hint[] = "a line of column names? --header skips it, and --header=0 says that it is an arc";
    const char separator = layout->separator;
    const unsigned long long line = first->number;
    em_label_field source, target, weight, below;
    char one[176], other[176];
    if (find_field(separator, first, layout->source_column, &source) &&
        find_field(separator, first, layout->target_column, &target) && name_columns(&source, &target))
        return em_fail_at(error, EM_MALFORMED, line, "%s:%llu:%u: %s and %s: %s", path, line,
                          (unsigned)(source.begin - first->begin) + !source.quoted,
                          em_quote_token(source.begin, source.end, one),
                          em_quote_token(target.begin, target.end, other), hint);
    if (second->begin && find_field(separator, first, weight_column, &weight) && number_of(&weight) == EM_NUMBER_BAD &&
        find_field(separator, second, weight_column, &below) && number_of(&below) == EM_NUMBER_OK)
        return em_fail_at(error, EM_MALFORMED, line, "%s:%llu:%u: %s is no weight, and %s of line %llu is one: %s",
                          path, line, (unsigned)(weight.begin - first->begin) + !weight.quoted,
                          em_quote_token(weight.begin, weight.end, one), em_quote_token(below.begin, below.end, other),
                          (unsigned long long)second->number, hint);
    return EM_OK;
}
