/* report - what was read and built, and what it cost, for people (text) and for programs (JSON).
 *
 * The report holds no times and no names of temporary files, so that the same input and options give the same bytes;
 * times are in the profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_REPORT_H
#define EM_PIPELINE_REPORT_H

#include "io/publish.h"
#include "pipeline/pipeline.h"

#include <stdio.h>

/* Everything is borrowed. NULL: not known, or left out. */
typedef struct em_report {
    const char *const *inputs; /* n_inputs paths as given */
    size_t n_inputs;
    const char *output, *output_format;
    const em_read_report *read;
    const em_csr *csr;
    const em_csr_summary *summary;
    uint64_t smallest_degree; /* with `summary` */
    const char *verified;     /* "igraph", "self" */
    /* Of a file that holds rows: its size, and of a .csr the checksums of offsets, targets, weights and positions (0
     * where it has no such section); info fills these. */
    uint64_t n_file_bytes;
    const uint64_t *section_checksums;
} em_report;

/* 1234567 as "1,234,567". Returns `text`. */
EM_API char *em_report_count(char text[32], uint64_t n);
/* Smallest degree of a CSR; 0 without vertices. */
EM_API uint64_t em_report_smallest_degree(const em_csr *csr);
/* The name of flag i of a CSR ("sorted", "unique", "no-loops", "symmetric") and its bit; NULL past the last. */
EM_API const char *em_report_flag(unsigned i, uint64_t *fact);
/* The name of section i of section_checksums; NULL past the last. */
EM_API const char *em_report_section(unsigned i);
/* Undirected edges of a symmetric graph: loops once, other edges one for two arcs. False where it is not symmetric, or
 * was not looked at. */
EM_API bool em_report_undirected_edges(const em_report *report, uint64_t *n_edges);

/* One "name  value" line a fact. */
EM_API void em_report_text(const em_report *report, FILE *out);
EM_API em_status em_report_json(const em_report *report, em_output *output, em_error *error);

/* `copy_bytes_per_second`: what copying memory reaches on this machine, bytes read plus bytes written; 0: not known. */
EM_API void em_profile_table(const em_profile *profile, double copy_bytes_per_second, FILE *out);
EM_API em_status em_profile_json(const em_profile *profile, double copy_bytes_per_second, em_output *output,
                                 em_error *error);

#endif
