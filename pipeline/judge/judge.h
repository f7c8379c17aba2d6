/* judge - what the files of edgemill-igraph share.
 *
 * The judge rebuilds a CSR file's graph with igraph from the same input and compares all of it. It is a program of its
 * own: igraph is GPL, and a judge that shared code with the readers it judges would share their mistakes. So nothing
 * of scan/, io/ or stages/ is included here; everything is written for plainness, not for speed.
 *
 * Whatever goes wrong ends the program: `fail` prints and exits. The memory of a failed run is the system's to take
 * back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_H
#define JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses, the same as edgemill's. */
enum { EXIT_EQUAL = 0, EXIT_DIFFERS = 1, EXIT_USAGE = 2, EXIT_MALFORMED = 3, EXIT_ENVIRONMENT = 4 };

void fail(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
void *allocate(uint64_t n, uint64_t size);                  /* cleared; never NULL */
void *grow(void *memory, uint64_t n, uint64_t size);        /* realloc; never NULL */
bool parse_natural(const char *text, size_t n, uint64_t *); /* digits only, at most 2^64 - 1 */

enum weight_kind { WEIGHT_NONE, WEIGHT_I32, WEIGHT_I64, WEIGHT_F32, WEIGHT_F64, WEIGHT_AUTO };
enum format {
    FORMAT_TOLD,
    FORMAT_EL,
    FORMAT_CSV,
    FORMAT_U32,
    FORMAT_U64,
    FORMAT_NPZ,
    FORMAT_CSR,
    FORMAT_MTX,
    FORMAT_SHARDS
};
enum dedup { DEDUP_FIRST, DEDUP_LAST, DEDUP_SUM, DEDUP_MIN, DEDUP_MAX, DEDUP_MEAN, DEDUP_COUNT };

/* What becomes of the arcs, in convert's order; `run` knows some more. */
enum step_kind {
    STEP_FILTER,
    STEP_DROP_LOOPS,
    STEP_TRANSPOSE,
    STEP_SYMMETRIZE,
    STEP_DEDUP,
    STEP_AMONG,
    STEP_MIN_DEGREE,
    STEP_UNDIRECT,
    STEP_LARGEST_COMPONENT,
    STEP_HEAD,
    STEP_SAMPLE,
    STEP_DROP_ISOLATED,
    STEP_RELABEL,
    N_STEP_KINDS
};
struct step {
    enum step_kind kind;
    enum dedup dedup;
    uint64_t number;  /* of --min-degree, --head */
    const char *word; /* of --filter, --among, --sample, --relabel */
};

extern const char *const weight_names[]; /* by enum weight_kind */
uint32_t weight_bytes(enum weight_kind); /* 0, 4 or 8 */
double weight_real(enum weight_kind, uint64_t bits);

/* The command line. */
struct options {
    const char *candidate; /* the CSR that is judged */
    char **inputs;
    int n_inputs;
    enum format from;
    char separator; /* 0: found on the first data line; ' ': blanks and tabs */
    char comment;   /* 0: '#', '%' and "//" */
    uint64_t header_lines;
    const char *columns;
    uint64_t base;
    bool has_vertices;
    uint64_t n_vertices;
    const char *vertices_from;
    enum weight_kind weights;
    bool skip_malformed;
    bool input_order; /* rows keep input order instead of being sorted by target */
    bool string_ids;  /* ids are labels, numbered by first appearance */
    struct step *steps;
    uint32_t n_steps;
    bool as_typed;              /* the steps are done in the order typed, and as often */
    const char *start;          /* where bfs begins; NULL: vertex 0 */
    const char *map, *edge_ids; /* files to be judged, too */
    uint64_t n_ranges, seed;    /* judge only so many seeded source ranges; 0: all */
    uint64_t memory_bytes;      /* what igraph may use; 0: what the machine has left */
};
void parse_options(int argc, char **argv, struct options *);
bool has_step(const struct options *, enum step_kind);

/* Labels in the order they were added; number i belongs to the i-th. */
struct labels;
struct labels *labels_create(void);
void labels_free(struct labels *);
uint64_t labels_find(const struct labels *, const char *text, size_t n); /* UINT64_MAX: not there */
uint64_t labels_add(struct labels *, const char *text, size_t n);        /* or the number it has */
uint64_t labels_count(const struct labels *);
const char *labels_text(const struct labels *, uint64_t number, size_t *n);

/* One input, readable from its beginning as often as needed: pipes are spooled to a temporary file. */
struct input {
    const char *path; /* for messages */
    int file;
    enum format format;
    bool compressed;
};
struct input *open_inputs(const struct options *);

/* Bytes of an input, inflated, and its lines. */
struct lines;
struct lines *lines_open(const char *path, int file);
void lines_close(struct lines *);
size_t lines_read(struct lines *, void *into, size_t n_bytes); /* fewer only at the end */
/* The next line without its newline, ended by a NUL behind it (it may hold others); false at the end. */
bool lines_next(struct lines *, char **line, size_t *n_bytes);
uint64_t lines_number(const struct lines *); /* of the line lines_next gave, from 1 */

/* Where the readers put what they find. `weight` holds the bits of the kind asked for. */
struct sink {
    void (*take)(void *state, uint64_t source, uint64_t target, uint64_t weight);
    void *state;
};

/* What a pass over the inputs found; `kind` goes in (WEIGHT_AUTO on the first pass) and comes out. */
struct reading {
    const struct options *options;
    struct sink sink;
    enum weight_kind kind;     /* wanted; with WEIGHT_AUTO the weights handed to the sink mean nothing */
    bool told, weighted;       /* an input told whether there are weights, and what it told */
    bool all_integers;         /* of the weights so far */
    bool all_pairs;            /* every line was exactly two integers: igraph can read it by itself */
    enum weight_kind declared; /* by a binary input, which keeps its type where it is the only one */
    uint64_t n_vertices, n_arcs, n_skipped;
    uint64_t *vertex_set, n_in_set; /* ascending, with --vertices-from */
    struct labels *labels;          /* with --ids=string; those of --vertices-from first */
    uint64_t *ids, n_ids;           /* those that occur, ascending, where they are too sparse for an array; or NULL */
};
/* Reads every input in order. */
void read_inputs(struct reading *, const struct input *inputs);
/* One more pass for reading->ids. */
void find_ids(struct reading *, const struct input *inputs);
/* Vertices that igraph is given. */
uint64_t vertices_of(const struct reading *);
enum weight_kind kind_found(const struct reading *); /* after a pass with WEIGHT_AUTO */
/* For the readers of one format. `why` is NULL or says what is wrong with the ids. */
const char *check_arc(const struct reading *, uint64_t source, uint64_t target);
void take_arc(struct reading *, uint64_t source, uint64_t target, uint64_t weight);
void tell_weighted(struct reading *, const char *path, bool weighted);
void tell_vertices(struct reading *, const char *path, uint64_t n_vertices);
void read_text(struct reading *, const struct input *);
void read_matrix_market(struct reading *, const struct input *);
void read_vertex_set(struct reading *);
/* Ids listed one a line, or labels: ascending and each once. A label that no arc has is left out; with `adds` it is
 * numbered instead. */
uint64_t *read_id_list(const struct reading *, const char *path, bool adds, uint64_t *n);
/* Sorts, and keeps one of each; how many. */
uint64_t sort_ids(uint64_t *ids, uint64_t n);
bool is_listed(uint64_t id, const uint64_t *list, uint64_t n);

/* One number of a text. NULL, or what is wrong with it. `auto_kind`: the kind came from --weights=auto. */
const char *parse_weight(const char *token, size_t n, enum weight_kind kind, bool auto_kind, uint64_t *bits,
                         bool *integer);
const char *parse_id(const char *token, size_t n, uint64_t base, uint64_t *id);

/* Differences: the first ten are printed. */
struct verdict {
    uint64_t n_differences;
};
void differ(struct verdict *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A stored CSR: mapped or inflated arrays at any alignment. */
struct stored {
    const char *path;
    uint64_t n_vertices, n_arcs;
    uint64_t first_vertex, n_targets; /* of a shard: what its first row is, and of how many vertices; else both 0 */
    uint32_t offset_bytes, target_bytes;
    const unsigned char *offsets, *targets, *weights, *positions; /* positions: NULL where absent */
    enum weight_kind kind;
    bool by_column;                           /* scipy's csc, read as its transpose: columns are the rows */
    bool is_coo;                              /* scipy's coo: `offsets` are the sources */
    bool is_native;                           /* a .csr */
    bool sorted, unique, no_loops, symmetric; /* promised by its header */
    void *mapped;
    uint64_t mapped_bytes;
    void *inflated[8]; /* members of an .npz that were not stored plainly, or arrays joined; freed by stored_close */
    uint32_t n_inflated;
    struct stored *shards; /* of a manifest: what was joined; NULL: it is one file */
    uint64_t n_shards;
    void *manifest; /* JSON */
};
void stored_open(struct stored *, const char *path, int file); /* .csr, .npz or a manifest, by content */
void stored_close(struct stored *);
void open_csr_file(struct stored *, const unsigned char *bytes, uint64_t n_bytes);
void open_npz(struct stored *, const unsigned char *bytes, uint64_t n_bytes);
/* A list of shards, joined. */
bool is_manifest(const unsigned char *head, size_t n);
void open_manifest(struct stored *, const unsigned char *bytes, uint64_t n_bytes);
void check_shards(const struct stored *, struct verdict *); /* what the manifest and their headers promise */
void close_shards(struct stored *);
/* What makes the arrays no CSR at all: offsets that fall or end elsewhere, targets past n. */
void stored_check(const struct stored *, struct verdict *);
/* What the header of a .csr promises about the bytes behind it: checksums, zero padding. */
void check_csr_sums(const struct stored *, struct verdict *);
uint64_t stored_offset(const struct stored *, uint64_t vertex);
uint64_t stored_target(const struct stored *, uint64_t arc);
uint64_t stored_weight(const struct stored *, uint64_t arc);
uint64_t little_endian(const unsigned char *bytes, uint32_t n_bytes);

#endif
