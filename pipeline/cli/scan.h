/* scan - what the parts of the command scan share: numbers as text, a recorded scan, text on its way out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_CLI_SCAN_H
#define EM_PIPELINE_CLI_SCAN_H

#include "io/decimal.h"
#include "io/publish.h"
#include "scan/scan.h"
#include "scan/textbook.h"

/* --- text out -------------------------------------------------------------------------------------- */

/* Gathers text for an output; the first failure stays. */
typedef struct em_scan_out {
    em_output *output;
    em_status status;
    em_error *error;
    size_t n_bytes;
    char bytes[1 << 14];
} em_scan_out;

/* `path` "-": standard output. The caller ends with em_scan_out_close. */
em_status em_scan_out_open(em_context *context, const char *path, em_scan_out *out, em_error *error);
/* Publishes where nothing failed so far, and says whether that is so. */
em_status em_scan_out_close(em_scan_out *out);
void em_scan_put(em_scan_out *out, const char *text, size_t n_bytes);
void em_scan_printf(em_scan_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- numbers as text ------------------------------------------------------------------------------- */

/* What is read and printed. Items of more than one number have ':' between them. */
typedef struct em_scan_words {
    const em_context *context;
    em_operator operation;
    em_type type;
    const em_monoid *monoid;
    em_powers_of_ten *powers;
} em_scan_words;

/* A text of numbers, separated by blanks, line ends and commas. */
typedef struct em_scan_text {
    const char *name; /* of its file; NULL: operand number `operand`, from 1 */
    int operand;
    const char *bytes;
    uint64_t n_bytes;
} em_scan_text;

/* What is in texts before their type is known. */
typedef struct em_scan_survey {
    uint64_t n_items;
    bool fractions; /* a number that is not spelled as an integer */
} em_scan_survey;

void em_scan_survey_text(em_scan_survey *survey, const em_scan_text *text);
/* The type that suits an operator and what was seen: i64 if it can be, else u64, u32; f64 or f32 for fractions. */
em_type em_scan_suitable_type(const em_context *context, em_operator operation, bool fractions);

/* Reads all of a text into items[*n_items], ..., and moves *n_items past them. EM_MALFORMED names place and token. */
em_status em_scan_read_text(const em_scan_words *words, const em_scan_text *text, void *items, uint64_t *n_items,
                            em_error *error);
/* --initial: an item; for arg-min and arg-max value@index. */
em_status em_scan_read_initial(const em_scan_words *words, const char *text, void *element, em_error *error);
/* Item number `index` of those that --count makes. */
void em_scan_make_item(const em_scan_words *words, uint64_t index, void *item);

enum { EM_SCAN_WORD_BYTES = 128 };
/* A result, or an element as what it would be written as; returns the end. */
char *em_scan_put_result(const em_scan_words *words, const void *result, char into[EM_SCAN_WORD_BYTES]);
char *em_scan_put_element(const em_scan_words *words, const void *element, char into[EM_SCAN_WORD_BYTES]);

/* --- a scan that is shown -------------------------------------------------------------------------- */

typedef enum em_scan_algorithm {
    EM_ALGORITHM_AUTO = 0,
    EM_ALGORITHM_SERIAL,
    EM_ALGORITHM_HILLIS_STEELE,
    EM_ALGORITHM_BLELLOCH,
    EM_ALGORITHM_TILED,
    EM_ALGORITHM_LOOKBACK,
    EM_N_ALGORITHMS
} em_scan_algorithm;
extern const char *const em_scan_algorithm_names[EM_N_ALGORITHMS + 1]; /* NULL behind them */

/* What was asked for, with the numbers read. */
typedef struct em_scan_job {
    em_context *context;
    em_scan_words words;
    em_scan_algorithm algorithm;
    bool exclusive;
    const void *items;
    uint64_t n;
    const void *initial; /* an element, or NULL */
    uint64_t tile_items; /* 0: not given */
    uint32_t n_workers;
} em_scan_job;

/* A round and the words of its cells. */
typedef struct em_scan_row {
    em_textbook_phase phase;
    uint64_t distance, n_combines, n_changes, n_cells;
    em_textbook_change *changes;
    uint32_t *begins; /* begins[n_cells + 1] in `text` */
    char *text;
} em_scan_row;

typedef struct em_scan_record {
    const em_scan_job *job;
    em_scan_row *rows;
    uint64_t n_rows, room, n_cells;
    em_textbook_cost scan, step; /* of the algorithm, and of the step to inclusive or exclusive */
} em_scan_record;

/* Runs serial, hillis-steele or blelloch. {0} and a failed record are fine to free. */
em_status em_scan_record_make(em_scan_record *record, const em_scan_job *job, em_error *error);
void em_scan_record_free(em_scan_record *record);

/* A textbook algorithm of a job, its results lowered; observe may be NULL. */
em_status em_scan_run_textbook(const em_scan_job *job, em_scan_record *record, void *elements, em_error *error);

void em_scan_print_table(em_scan_out *out, const em_scan_record *record);
void em_scan_print_dot(em_scan_out *out, const em_scan_record *record);
void em_scan_print_svg(em_scan_out *out, const em_scan_record *record);
/* tiled and lookback: what happens to each tile. */
em_status em_scan_print_tiles(em_scan_out *out, const em_scan_job *job, em_error *error);

#endif
