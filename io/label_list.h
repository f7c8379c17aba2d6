/* label_list - the labels of --vertices-from: the vertices, in the file's order; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_LABEL_LIST_H
#define EM_IO_LABEL_LIST_H

#include "io/label_table.h"

/* Adds the labels of a file to an empty table and closes it. Every line is one label, blanks and quotes around it taken
 * off; a label that comes again keeps its number. Blank lines are skipped, and comment lines (`comment`; 0: '#', '%'
 * and "//") in front of the first label, where `comment` is named anywhere. */
em_status em_label_list_read(em_label_table *table, em_context *context, const char *path, char comment,
                             em_error *error);

#endif
