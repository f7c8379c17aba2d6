/* verify - see verify.h.
 *
 * The judge is found and run as a process: it links igraph (GPL), which no other program of ours may. The check against
 * the report costs two passes over the CSR.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/verify.h"
#include "pipeline/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char judge_name[] = "edgemill-igraph";

em_status em_find_judge(char *path, size_t n_bytes, em_error *error)
{
    if (em_find_companion(judge_name, X_OK, path, n_bytes))
        return EM_OK;
    return em_fail(error, EM_ENVIRONMENT, "%s is not there: install libigraph-dev and rebuild, or use --verify=self",
                   judge_name);
}

/* What the judge's end means. */
static em_status judged(int code, const char *csr_path, em_error *error)
{
    if (WIFSIGNALED(code))
        return em_fail(error, EM_ENVIRONMENT, "%s: %s was ended by signal %d", csr_path, judge_name, WTERMSIG(code));
    switch (WEXITSTATUS(code)) {
    case 0:
        return EM_OK;
    case 1:
        return em_fail(error, EM_DIFFERS, "%s: not the graph that igraph builds from the input", csr_path);
    case 2:
        return em_fail(error, EM_USAGE, "%s: %s refused its options", csr_path, judge_name);
    case 3:
        return em_fail(error, EM_MALFORMED, "%s: %s found malformed data", csr_path, judge_name);
    default:
        return em_fail(error, EM_ENVIRONMENT, "%s: %s could not judge it (exit status %d)", csr_path, judge_name,
                       WEXITSTATUS(code));
    }
}

static em_status spawn(const char *judge_path, char *const *arguments, int line_to, pid_t *child, em_error *error)
{
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code)
        return em_fail_errno(error, judge_path, "start", code);
    if (line_to < 0)
        code = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    else if (line_to != STDOUT_FILENO)
        code = posix_spawn_file_actions_adddup2(&actions, line_to, STDOUT_FILENO);
    if (!code)
        code = posix_spawn(child, judge_path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code == ENOENT)
        return em_fail(error, EM_ENVIRONMENT, "%s is not there: install libigraph-dev and rebuild", judge_path);
    return code ? em_fail_errno(error, judge_path, "start", code) : EM_OK;
}

em_status em_verify_igraph_to(em_context *context, const char *judge_path, const char *csr_path, int n_words,
                              char *const *words, int line_to, em_error *error)
{
    char found[4096], parent[32];
    char *path = NULL;
    char **arguments = NULL;
    void *memory;
    const uint64_t n_arguments = (uint64_t)n_words + 4, path_bytes = strlen(csr_path) + 3;
    pid_t child = 0;
    int code = 0;
    em_status status = EM_OK;
    if (!judge_path) {
        if ((status = em_find_judge(found, sizeof found, error)) != EM_OK)
            return status;
        judge_path = found;
    }
    if ((status = em_allocate(context, path_bytes, &memory, error)) != EM_OK)
        goto done;
    path = memory; /* a file called -x is no option */
    snprintf(path, path_bytes, "%s%s", csr_path[0] == '-' ? "./" : "", csr_path);
    if ((status = em_allocate_array(context, n_arguments, sizeof *arguments, &memory, error)) != EM_OK)
        goto done;
    arguments = memory;
    arguments[0] = (char *)judge_name;
    arguments[1] = parent; /* the judge ends when we are interrupted */
    snprintf(parent, sizeof parent, "--parent=%ld", (long)getpid());
    arguments[2] = path;
    for (int i = 0; i < n_words; i++)
        arguments[3 + i] = words[i];
    arguments[3 + n_words] = NULL;
    if ((status = spawn(judge_path, arguments, line_to, &child, error)) != EM_OK)
        goto done;
    while (waitpid(child, &code, 0) < 0) {
        if (errno != EINTR) {
            status = em_fail_errno(error, judge_path, "wait", errno);
            goto done;
        }
    }
    status = judged(code, csr_path, error);
done:
    em_free(context, arguments, n_arguments * sizeof *arguments);
    em_free(context, path, path_bytes);
    return status;
}

em_status em_verify_igraph(em_context *context, const char *judge_path, const char *csr_path, int n_words,
                           char *const *words, em_error *error)
{
    return em_verify_igraph_to(context, judge_path, csr_path, n_words, words, STDOUT_FILENO, error);
}

em_status em_verify_self(em_context *context, const em_csr *csr, const em_read_report *report, const char *path,
                         em_error *error)
{
    em_csr_summary summary = {0};
    em_status status = em_csr_check(context, csr, path, error);
    if (status != EM_OK)
        return status;
    if (csr->n_vertices != report->n_vertices)
        return em_fail(error, EM_DIFFERS, "%s: %" PRIu64 " vertices, %" PRIu64 " were read", path, csr->n_vertices,
                       report->n_vertices);
    if (csr->n_arcs != report->n_arcs)
        return em_fail(error, EM_DIFFERS, "%s: %" PRIu64 " arcs, %" PRIu64 " were read", path, csr->n_arcs,
                       report->n_arcs);
    if ((status = em_csr_summarize(context, csr, &summary, error)) != EM_OK)
        return status;
    if (summary.arc_checksum != report->arc_checksum)
        return em_fail(error, EM_DIFFERS,
                       "%s: other arcs than were read: checksum %016" PRIx64 ", %016" PRIx64 " while reading", path,
                       summary.arc_checksum, report->arc_checksum);
    return EM_OK;
}

em_status em_verify_written(em_context *context, const em_csr *csr, const em_csr *written, const char *path,
                            em_error *error)
{
    em_csr_summary read_back = {0}, in_memory = {0};
    em_status status = em_csr_check(context, csr, path, error);
    if (status != EM_OK)
        return status;
    if (csr->n_vertices != written->n_vertices || csr->n_arcs != written->n_arcs)
        return em_fail(error, EM_DIFFERS,
                       "%s: %" PRIu64 " vertices and %" PRIu64 " arcs, %" PRIu64 " and %" PRIu64 " were written", path,
                       csr->n_vertices, csr->n_arcs, written->n_vertices, written->n_arcs);
    if ((status = em_csr_summarize(context, csr, &read_back, error)) != EM_OK ||
        (status = em_csr_summarize(context, written, &in_memory, error)) != EM_OK)
        return status;
    if (read_back.arc_checksum != in_memory.arc_checksum)
        return em_fail(error, EM_DIFFERS,
                       "%s: other arcs than were written: checksum %016" PRIx64 ", %016" PRIx64 " in memory", path,
                       read_back.arc_checksum, in_memory.arc_checksum);
    return EM_OK;
}
