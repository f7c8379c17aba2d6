/* whole_file - see whole_file.h.
 *
 * A mapped file costs no copy and no memory of its own. A stream has to be read to its end first, into a buffer that
 * doubles (each byte is copied once on average).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/whole_file.h"
#include "io/decoder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_BYTES = 1 << 16 };

static em_status grow(em_whole_file *file, em_error *error)
{
    const uint64_t capacity = file->capacity_bytes ? 2 * file->capacity_bytes : FIRST_BYTES;
    void *larger;
    const em_status status = em_allocate(file->context, capacity, &larger, error);
    if (status != EM_OK)
        return status;
    if (file->n_bytes)
        memcpy(larger, file->bytes, file->n_bytes);
    em_free(file->context, file->bytes, file->capacity_bytes);
    file->bytes = larger;
    file->capacity_bytes = capacity;
    return EM_OK;
}

static em_status read_stream(em_whole_file *file, int handle, const char *shown, em_error *error)
{
    for (;;) {
        if (file->n_bytes == file->capacity_bytes) {
            const em_status status = grow(file, error);
            if (status != EM_OK)
                return status;
        }
        uint64_t room = file->capacity_bytes - file->n_bytes;
        const ssize_t got = read(handle, file->bytes + file->n_bytes, room < 1u << 30 ? room : 1u << 30);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return em_fail_errno(error, shown, "read", errno);
        if (got == 0)
            return EM_OK;
        file->n_bytes += (uint64_t)got;
    }
}

static em_status load(em_whole_file *file, int handle, const char *shown, em_error *error)
{
    struct stat facts;
    if (fstat(handle, &facts) != 0)
        return em_fail_errno(error, shown, "open", errno);
    if (S_ISDIR(facts.st_mode))
        return em_fail_errno(error, shown, "open", EISDIR);
    if (!S_ISREG(facts.st_mode) || facts.st_size == 0 || lseek(handle, 0, SEEK_CUR) != 0)
        return read_stream(file, handle, shown, error);
    void *at = mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, handle, 0);
    if (at == MAP_FAILED)
        return read_stream(file, handle, shown, error);
    file->bytes = at;
    file->n_bytes = file->capacity_bytes = (uint64_t)facts.st_size;
    file->mapped = true;
    return EM_OK;
}

em_status em_whole_file_open(em_context *context, const char *path, em_whole_file **file, em_error *error)
{
    *file = NULL;
    const bool standard = strcmp(path, "-") == 0;
    const char *shown = em_input_name(path);
    void *memory;
    em_status status = em_allocate_zeroed(context, sizeof **file, &memory, error);
    if (status != EM_OK)
        return status;
    em_whole_file *made = memory;
    made->context = context;
    made->users = 1;
    const int handle = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    status = handle < 0 ? em_fail_errno(error, shown, "open", errno) : load(made, handle, shown, error);
    if (handle >= 0 && !standard)
        close(handle);
    if (status != EM_OK)
        em_whole_file_release(made);
    else
        *file = made;
    return status;
}

void em_whole_file_release(em_whole_file *file)
{
    if (!file || __atomic_sub_fetch(&file->users, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (file->mapped)
        munmap(file->bytes, file->capacity_bytes);
    else
        em_free(file->context, file->bytes, file->capacity_bytes);
    em_free(file->context, file, sizeof *file);
}

static void release_part(em_buffer *buffer)
{
    em_whole_file_release(buffer->owner);
}

em_buffer em_whole_file_buffer(em_whole_file *file, uint64_t begin, uint64_t n_bytes)
{
    __atomic_add_fetch(&file->users, 1, __ATOMIC_RELAXED);
    return (em_buffer){.at = file->bytes + begin,
                       .n_bytes = n_bytes,
                       .capacity_bytes = n_bytes,
                       .place = file->mapped ? EM_MAPPED : EM_HOST,
                       .release = release_part,
                       .owner = file};
}
