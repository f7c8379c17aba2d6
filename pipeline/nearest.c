/* nearest - see nearest.h. The edit distance, by its table row by row; words are short.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/nearest.h"

#include <stdint.h>
#include <string.h>

/* Edits (insert, delete, replace, swap of neighbours counted as two) from one word to another; words are short. */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 31 };
    size_t row[LONGEST + 1];
    const size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            const size_t shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
            row[j] = shorter + 1 < replaced ? shorter + 1 : replaced;
        }
    }
    return row[m];
}

const char *em_nearest(const char *word, const char *const *names, size_t n)
{
    const char *nearest = NULL;
    size_t least = 1 + (strlen(word) + 2) / 3; /* a third of the letters, and at least one, may be wrong */
    for (size_t i = 0; i < n; i++) {
        const size_t edits = distance(word, names[i]);
        /* A beginning of a name is what abbreviating options would have accepted. */
        const size_t cost = strlen(word) >= 2 && strncmp(word, names[i], strlen(word)) == 0 ? 1 : edits;
        if (cost < least) {
            least = cost;
            nearest = names[i];
        }
    }
    return nearest;
}
