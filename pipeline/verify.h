/* verify - is a CSR the graph of its input? By igraph, in a program of its own, or by what was counted while reading.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_VERIFY_H
#define EM_PIPELINE_VERIFY_H

#include "io/io.h"

/* Where edgemill-igraph is: beside the running program, in ../libexec/edgemill/ from there, or in the libexec folder
 * named at compile time. Fills path[n_bytes]; EM_ENVIRONMENT with a hint where there is none. */
EM_API em_status em_find_judge(char *path, size_t n_bytes, em_error *error);

/* Runs the judge on the file `csr_path` (.csr or .npz): `words` are convert's reading options and the inputs, verbatim;
 * "--" among them ends the options. The judge writes its differences to standard error and, where there are none, one
 * line to standard output. EM_DIFFERS, EM_USAGE and EM_MALFORMED as the judge says; EM_ENVIRONMENT for all else.
 * judge_path NULL: em_find_judge. */
EM_API em_status em_verify_igraph(em_context *context, const char *judge_path, const char *csr_path, int n_words,
                                  char *const *words, em_error *error);
/* The same with that line on another file descriptor, such as STDERR_FILENO; -1: nowhere. */
EM_API em_status em_verify_igraph_to(em_context *context, const char *judge_path, const char *csr_path, int n_words,
                                     char *const *words, int line_to, em_error *error);

/* The CSR by itself and against what was read: em_csr_check, as many vertices and arcs, and the same order-independent
 * checksum of the arcs. The report must come from a reading with `checksum`. EM_DIFFERS where they disagree; `path` is
 * for messages. */
EM_API em_status em_verify_self(em_context *context, const em_csr *csr, const em_read_report *report, const char *path,
                                em_error *error);

/* A CSR that was read back against the one it was written from: em_csr_check, and the same vertices and arcs by count
 * and by checksum. EM_DIFFERS where they disagree. */
EM_API em_status em_verify_written(em_context *context, const em_csr *csr, const em_csr *written, const char *path,
                                   em_error *error);

#endif
