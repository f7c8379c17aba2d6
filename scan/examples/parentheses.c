/* parentheses - an operator of your own by serial.inc: where does a text of parentheses first go wrong?
 *
 * A text without its matching pairs is some ) and then some (. Two such texts after each other match more of them: that
 * is associative and not commutative, so it can be scanned. The names below are those that scan/monoids.h lists;
 * serial.inc turns them into the constant pairs_scalar.
 *
 * Prints:
 *     (            1 open, 0 too many
 *     ((           2 open, 0 too many
 *     (()          1 open, 0 too many
 *     (()(         2 open, 0 too many
 *     (()((        3 open, 0 too many
 *     (()(()       2 open, 0 too many
 *     (()(())      1 open, 0 too many
 *     (()(()))     0 open, 0 too many
 *     (()(()))(    1 open, 0 too many
 *     (()(()))()   0 open, 0 too many
 *     (()(()))())  0 open, 1 too many
 *     (()(()))())( 1 open, 1 too many
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "scan/monoids.h"
#include "scan/scan.h"

typedef char pairs_item;
typedef struct unmatched {
    uint64_t closing, opening;
} pairs_elem;
typedef struct unmatched pairs_result;
enum { pairs_leaf = 0, pairs_starts_at_zero = 0, pairs_item_ps = 1000 };

static inline pairs_elem pairs_identity(void)
{
    return (pairs_elem){0, 0};
}

static inline pairs_elem pairs_lift(pairs_item item)
{
    return (pairs_elem){item == ')', item == '('};
}

static inline pairs_elem pairs_combine(pairs_elem earlier, pairs_elem later)
{
    const uint64_t matched = earlier.opening < later.closing ? earlier.opening : later.closing;
    return (pairs_elem){earlier.closing + later.closing - matched, earlier.opening + later.opening - matched};
}

static inline pairs_result pairs_lower(pairs_elem element)
{
    return element;
}

#define MONOID              pairs
#define FN(name)            SCAN_PASTE(MONOID, name)
#define SCAN_KERNEL_LINKAGE static
#include "scan/serial.inc"

enum { N = 12 };

static em_status show(em_context *context, em_error *error)
{
    static const char TEXT[N + 1] = "(()(()))())(";
    pairs_result out[N] = {{0}};
    const em_scan_call call = {.monoid = &pairs_scalar, .kind = EM_INCLUSIVE, .in = TEXT, .out = out, .n = N};
    const em_status status = em_scan(context, &call, error);
    for (int i = 0; i < N && status == EM_OK; i++)
        printf("%.*s%*s %d open, %d too many\n", i + 1, TEXT, N - i - 1, "", (int)out[i].opening, (int)out[i].closing);
    return status;
}

int main(void)
{
    em_context *context = NULL;
    em_error error = {0};
    if (em_context_create(NULL, &context, &error) == EM_OK)
        show(context, &error);
    em_context_free(context);
    if (error.status != EM_OK)
        fprintf(stderr, "%s\n", error.message);
    return em_status_exit(error.status);
}
