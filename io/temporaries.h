/* temporaries - the temporary files of the process, so that a signal handler finds them; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_TEMPORARIES_H
#define EM_IO_TEMPORARIES_H

/* Twice what a graph may have shards; pages of the table that are not used take no memory. */
enum { EM_TEMPORARIES = 1 << 17 };

/* Notes a path, which must stay where it is until its slot is released; -1: EM_TEMPORARIES are noted. */
int em_temporary_claim(const char *path);
void em_temporary_release(int slot);

#endif
