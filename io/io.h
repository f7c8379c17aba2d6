/* io - reading graphs into an arc sink, and writing CSR: the public face of the folder.
 *
 * Reading never decides where arcs go. em_read cuts the inputs into chunks numbered in input order, workers parse
 * chunks side by side and hand batches to a sink; whoever needs input order sorts by chunk number.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_IO_H
#define EM_IO_IO_H

#include "scan/base/graph.h"

enum { EM_BATCH_ARCS = 4096 }; /* most arcs of one batch */

/* Arcs of one chunk, in input order. Everything is borrowed until `take` returns. */
typedef struct em_arc_batch {
    const void *pairs;         /* id_bytes each: source, target, source, target, … */
    const void *weights;       /* NULL, or n_arcs values of weight_kind */
    const uint64_t *positions; /* NULL, or n_arcs places in the input, as in em_block; readers give none */
    uint64_t first;            /* number of the first arc in a list in memory; readers leave it 0 */
    uint64_t chunk;            /* number of the chunk; batches of one chunk come in order, from one worker */
    uint64_t largest_source, largest_target; /* at least the largest of the batch (bounds, not always reached) */
    uint32_t n_arcs;                         /* 1 … EM_BATCH_ARCS */
    uint8_t id_bytes;                        /* 4 or 8; a worker never goes back from 8 to 4 */
    uint8_t weight_kind;                     /* with --weights=auto a worker may go from I64 to F64 once, never back */
} em_arc_batch;

/* What is known or guessed before the first batch. */
typedef struct em_read_hint {
    uint32_t n_workers;                      /* worker numbers are below this */
    uint64_t n_vertices;                     /* exact, or 0 */
    uint64_t largest_source, largest_target; /* of a sample, or 0: a guess, to be outgrown without fuss */
    uint64_t n_arcs;                         /* guess from the file size and the sample, or 0 */
} em_read_hint;

/* `take` may refuse an arc of its batch: EM_MALFORMED at position i (em_fail_at) is about arc i, and a reader that
 * knows lines names the line in front of the message. */
typedef struct em_arc_sink {
    void *state;
    em_status (*begin)(void *state, const em_read_hint *hint, em_error *error); /* may be called again: next input */
    em_status (*take)(void *state, uint32_t worker, const em_arc_batch *batch, em_error *error);
} em_arc_sink;

typedef enum em_on_error { EM_ON_ERROR_FAIL = 0, EM_ON_ERROR_SKIP } em_on_error;
typedef enum em_weights_option {
    EM_WEIGHTS_AUTO = 0,
    EM_WEIGHTS_NONE,
    EM_WEIGHTS_I32,
    EM_WEIGHTS_I64,
    EM_WEIGHTS_F32,
    EM_WEIGHTS_F64
} em_weights_option;

typedef enum em_ids_option { EM_IDS_NUMBER = 0, EM_IDS_STRING } em_ids_option;

typedef struct em_read_options {
    const char *const *paths; /* n_paths, read in order as one list; "-" is standard input */
    size_t n_paths;
    const char *from;      /* format name, or NULL: told by content, then suffix, else el */
    char separator;        /* 0: found on the first data line; ' ': blanks and tabs in any mix */
    char comment;          /* 0: lines that start with '#', '%' or "//" */
    uint32_t header_lines; /* lines to skip before the first data line; the first of them names columns */
    bool no_header;        /* labels: the first data line is an arc, even if it looks like names of columns */
    const char *columns;   /* "S,D[,W]": numbers from 1 or header names; NULL: the first two, weights third */
    em_ids_option ids;     /* STRING: labels, which are numbered by first appearance; only stages can */
    uint32_t base;         /* smallest id in the text: 0 or 1 */
    bool has_vertices;
    uint64_t n_vertices;       /* with has_vertices: an id past it is an error */
    const char *vertices_from; /* file of ids, or NULL: any other id is an error */
    em_buffer *listed;         /* NULL, or where these ids go, u64, ascending; the caller frees */
    em_weights_option weights;
    em_on_error on_error;
    bool checksum; /* fill em_read_report.arc_checksum */
} em_read_options;

enum { EM_SKIPPED_KEPT = 10 };

/* One malformed line that was skipped. */
typedef struct em_skipped_line {
    uint64_t line;
    char path[128], why[160]; /* both cut where they are longer */
} em_skipped_line;

/* Something that a stage behind load dropped, added or found, and how often: "drop-loops", "loops dropped", 12. */
typedef struct em_tally {
    char stage[24], what[40];
    uint64_t n;
} em_tally;
enum { EM_TALLIES = 256 }; /* 4 kinds of each of the 64 stages of a chain; the last one is for all that are more */

/* What was found while reading; counts are over all inputs. */
typedef struct em_read_report {
    uint64_t n_vertices, n_arcs;      /* n as fixed by the format, the options or the largest id */
    uint64_t facts;                   /* EM_SORTED … EM_SYMMETRIC: what the only input says of its arcs */
    uint64_t smallest_id, largest_id; /* over the arcs, after the base was taken off; 0 and 0 without arcs */
    uint64_t n_file_bytes, n_text_bytes, n_lines, n_comment_lines, n_blank_lines, n_skipped_lines;
    uint64_t n_extra_column_lines; /* lines with columns that nothing uses */
    uint64_t n_weights_rounded;    /* integers that their type could not hold exactly */
    uint64_t n_weights_zeroed;     /* non-zero numbers that became 0 */
    uint64_t arc_checksum;         /* em_arc_hash summed over all arcs, if asked for */
    em_weight_kind weight_kind;
    uint32_t weight_column; /* from 1; 0 without weights */
    uint8_t id_bytes;
    char n_declared_at[160]; /* "FILE:LINE:COLUMN" where n_vertices stands in an input; "": nowhere */
    bool undirected;         /* the format's edges became two arcs each */
    uint32_t n_skipped_kept, n_notes, n_tallies;
    em_skipped_line skipped[EM_SKIPPED_KEPT];
    char notes[8][256];           /* things worth a line in the summary */
    em_tally tallies[EM_TALLIES]; /* in the order of the stages; later ones of the same stage and kind add up */
} em_read_report;

/* Adds a note unless there are eight already. */
void em_note(em_read_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads all inputs into the sink. On success `report` is complete. Errors: EM_MALFORMED with file:line:column (the
 * first in the input, whatever the number of threads), EM_ENVIRONMENT, EM_USAGE (unknown format, columns that a
 * header lacks), or what the sink answered. */
EM_API em_status em_read(em_context *context, const em_read_options *options, const em_arc_sink *sink,
                         em_read_report *report, em_error *error);

/* A 64-bit hash of one arc, independent of id width: its sum over all arcs tells lost, doubled or changed arcs.
 * `weight` is the value widened to i64 or f64 bits, 0 without weights. */
static inline uint64_t em_arc_hash(uint64_t source, uint64_t target, uint64_t weight)
{
    uint64_t h = source * UINT64_C(0x9E3779B97F4A7C15) + target * UINT64_C(0xC2B2AE3D27D4EB4F) +
                 weight * UINT64_C(0x165667B19E3779F9);
    h ^= h >> 32;
    h *= UINT64_C(0xD6E8FEB86659FD93);
    h ^= h >> 29;
    h *= UINT64_C(0xA0761D6478BD642F);
    return h ^ h >> 32;
}

/* --- formats ------------------------------------------------------------------------------------ */

typedef struct em_output em_output;       /* publish.h */
typedef struct em_read_plan em_read_plan; /* read.h */

/* A format is a row of format_list.inc. Functions it lacks are NULL. */
typedef struct em_format {
    const char *name, *summary;
    const char *suffixes; /* ".el .txt": space separated, lower case; "" for none */
    bool (*detect)(const unsigned char *head, size_t n_bytes); /* content that is surely of this format */
    /* Reads one input into the plan's sink, worker threads and all. */
    em_status (*read)(em_read_plan *plan, const char *path, em_error *error);
    /* Opens a file that holds a CSR already; the caller frees `csr`. */
    em_status (*open_csr)(em_context *context, const char *path, em_csr *csr, em_error *error);
    /* Writes a whole file; the output is then committed or dropped by the caller. */
    em_status (*write)(em_context *context, const em_csr *csr, em_output *output, em_error *error);
    /* NULL, or whether the format can hold a graph of this shape; called before anything is read with what is known. */
    em_status (*can_hold)(uint64_t n_vertices, uint64_t n_arcs, em_weight_kind weights, em_error *error);
    bool keeps_n; /* the file says how many vertices there are, isolated ones at the end included */
    bool shards;  /* the file can hold some rows of a graph, and says which */
} em_format;

EM_API size_t em_formats(const em_format *const **formats);
EM_API const em_format *em_format_by_name(const char *name); /* NULL: no such */
/* By the suffix of a path, ".gz" and ".zst" taken off first; NULL: none. */
EM_API const em_format *em_format_by_suffix(const char *path);
/* The format of a file to read: `from` if not NULL, else content, suffix, el. */
EM_API em_status em_format_of_input(em_context *context, const char *path, const char *from, const em_format **format,
                                    em_error *error);
/* The format of a file to write: `to` if not NULL, else the suffix; else EM_USAGE. */
EM_API em_status em_format_of_output(const char *path, const char *to, const em_format **format, em_error *error);

/* Whether the CSR has all rows of its graph; else it is a shard, and only formats with `shards` hold it. */
static inline bool em_csr_is_whole(const em_csr *csr)
{
    return csr->first_vertex == 0 && (csr->n_targets == 0 || csr->n_targets == csr->n_vertices);
}

/* Opens .csr or .npz (by content) as a CSR, which the caller frees; checksums, where the file has some, are checked.
 * EM_MALFORMED: damaged, or a format that holds no CSR; EM_ENVIRONMENT: cannot be read. */
EM_API em_status em_csr_open(em_context *context, const char *path, em_csr *csr, em_error *error);
/* offsets[0] == 0, monotone, ends at n_arcs; targets < n; flags kept: rows sorted if EM_SORTED, … EM_MALFORMED says
 * what and where. */
EM_API em_status em_csr_check(em_context *context, const em_csr *csr, const char *path, em_error *error);

/* Facts by one pass over a CSR; of a shard, as far as its own arcs tell. */
typedef struct em_csr_summary {
    uint64_t n_loops, n_duplicates;      /* duplicates: arcs equal to the one before them in a sorted row */
    uint64_t largest_degree, n_isolated; /* isolated: no arc in or out */
    uint64_t n_without_out_arcs, arc_checksum;
    uint64_t asymmetry; /* 0: every arc has its reverse, as often; a sum of hashes, so by chance once in 2^64 */
    bool sorted;
} em_csr_summary;
EM_API em_status em_csr_summarize(em_context *context, const em_csr *csr, em_csr_summary *summary, em_error *error);

#endif
