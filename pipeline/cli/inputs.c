/* inputs - which files a command reads, so that none of them is written.
 *
 * A manifest of shards stands for its shards, which are read, too. Files are kept by device and inode, sorted, so that
 * thousands of shards are looked up as quickly as one input.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/shard_manifest.h"
#include "pipeline/cli/cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static em_status add(em_cli_inputs *inputs, const char *path, const struct stat *at, em_error *error)
{
    if (inputs->n == inputs->capacity) {
        const size_t capacity = inputs->capacity ? 2 * inputs->capacity : 16;
        em_cli_input *const list = realloc(inputs->list, capacity * sizeof *list);
        if (!list)
            return em_fail(error, EM_NO_MEMORY, "out of memory for %zu names", capacity);
        inputs->list = list;
        inputs->capacity = capacity;
    }
    char *const name = strdup(path);
    if (!name)
        return em_fail(error, EM_NO_MEMORY, "out of memory for a name");
    em_cli_input *const input = &inputs->list[inputs->n++];
    input->device = at->st_dev;
    input->inode = at->st_ino;
    input->name = name;
    return EM_OK;
}

/* A manifest that cannot be read, or makes no sense, is refused where it is read. */
static em_status add_shards(em_cli_inputs *inputs, em_context *context, const char *path, em_error *error)
{
    unsigned char head[64];
    em_shard_manifest manifest;
    em_status status = EM_OK;
    FILE *const file = fopen(path, "rb");
    const size_t n = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    if (!em_shard_manifest_detect(head, n) || em_shard_manifest_open(context, path, &manifest, NULL) != EM_OK)
        return EM_OK;
    const char *const slash = strrchr(path, '/');
    const int folder_bytes = slash ? (int)(slash + 1 - path) : 0;
    for (uint64_t i = 0; i < manifest.n_shards && status == EM_OK; i++) {
        char shard[PATH_MAX];
        struct stat at;
        const int length = snprintf(shard, sizeof shard, "%.*s%s", folder_bytes, path, manifest.shards[i].file);
        if (length < PATH_MAX && stat(shard, &at) == 0)
            status = add(inputs, shard, &at, error);
    }
    em_shard_manifest_free(&manifest);
    return status;
}

static int by_inode(const void *one, const void *other)
{
    const em_cli_input *const a = one, *const b = other;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->inode > b->inode) - (a->inode < b->inode);
}

em_status em_cli_inputs_open(em_context *context, char *const *paths, int n_paths, em_cli_inputs *inputs,
                             em_error *error)
{
    em_status status = EM_OK;
    *inputs = (em_cli_inputs){0};
    for (int i = 0; i < n_paths && status == EM_OK; i++) {
        struct stat at;
        const bool piped = strcmp(paths[i], "-") == 0;
        if ((piped ? fstat(STDIN_FILENO, &at) : stat(paths[i], &at)) != 0 || S_ISSOCK(at.st_mode))
            continue;
        status = add(inputs, piped ? "on standard input" : paths[i], &at, error);
        if (status == EM_OK && context && !piped && S_ISREG(at.st_mode))
            status = add_shards(inputs, context, paths[i], error);
    }
    if (inputs->n)
        qsort(inputs->list, inputs->n, sizeof *inputs->list, by_inode);
    if (status != EM_OK)
        em_cli_inputs_free(inputs);
    return status;
}

const char *em_cli_inputs_find(const em_cli_inputs *inputs, const struct stat *at)
{
    const em_cli_input wanted = {at->st_dev, at->st_ino, NULL};
    const em_cli_input *const found =
        inputs->n ? bsearch(&wanted, inputs->list, inputs->n, sizeof *inputs->list, by_inode) : NULL;
    return found ? found->name : NULL;
}

void em_cli_inputs_free(em_cli_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++)
        free(inputs->list[i].name);
    free(inputs->list);
    *inputs = (em_cli_inputs){0};
}
