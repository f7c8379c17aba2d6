/* support_program - what tests of commands share: a folder to be in, and the program of the same build for the shell.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_PROGRAM_H
#define EM_TESTS_SUPPORT_PROGRAM_H

/* Makes a folder of the template (as mkdtemp does), enters it, and sets the variable to the program's path with `words`
 * behind it. The path leads through a link beside the folder, so that it has no blanks wherever the build lies and a
 * shell line may name the variable without quotes. 0, or -1 where that fails. */
int support_program_begin(char *folder, const char *variable, const char *words);
/* Removes the folder and the link. 0, or anything else where that fails. */
int support_program_end(const char *folder);

/* What a shell line came to. */
typedef struct support_said {
    int status;       /* 128 + signal where one ended it */
    char said[65536]; /* standard output and error together */
} support_said;

/* Runs the line in the current folder, without input. Valid until the next call. */
const support_said *support_shell(const char *line);
/* Fails the test unless it ends so and says this among other things. */
void support_expect_part(const char *line, int status, const char *says);

#endif
