/* main - finds the command, deals with signals, and sees that standard output was really written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"convert", em_cli_convert}, {"run", em_cli_run},           {"plan", em_cli_plan},       {"info", em_cli_info},
    {"verify", em_cli_verify},   {"generate", em_cli_generate}, {"formats", em_cli_formats}, {"stages", em_cli_stages},
    {"scan", em_cli_scan},       {"bench", em_cli_bench},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* An interrupted run leaves no temporary file behind; the earlier outputs were never touched. */
static void interrupted(int signal_number)
{
    em_outputs_unlink_all();
    _exit(128 + signal_number);
}

static void handle_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction before, action = {.sa_handler = interrupted};
        sigfillset(&action.sa_mask);
        /* Who starts us with a signal ignored (nohup, a shell's background job) means it. */
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(ending[i], &action, NULL);
    }
    /* Both come back from write() as errors that name the output. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

int em_cli_fail(const em_error *error, const char *name)
{
    fprintf(stderr, "edgemill: %s\n", error->message[0] ? error->message : "failed, and nobody said why");
    if (error->status == EM_USAGE)
        fprintf(stderr, "edgemill: 'edgemill %s%s--help' lists the options\n", name ? name : "", name ? " " : "");
    return em_status_exit(error->status);
}

/* A run may have thousands of outputs open at once, one a shard; the soft limit is low by default. */
static void allow_open_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int unknown_command(const char *word)
{
    em_error error = {0};
    const char *names[N_COMMANDS + 2] = {[N_COMMANDS] = "--help", [N_COMMANDS + 1] = "--version"};
    for (size_t i = 0; i < N_COMMANDS; i++)
        names[i] = commands[i].name;
    const char *near = em_nearest(word, names, N_COMMANDS + 2);
    em_fail(&error, EM_USAGE, "unknown %s '%s'%s%s%s", word[0] == '-' ? "option" : "command", word,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return em_cli_fail(&error, NULL);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        em_cli_help(stderr);
        return em_status_exit(EM_USAGE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        em_cli_help(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        em_cli_version(stdout);
        return 0;
    }
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
    handle_signals();
    allow_open_files();
    int status = run(argc, argv);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == 0) {
        fprintf(stderr, "edgemill: standard output: cannot write: %s\n", strerror(errno ? errno : EIO));
        status = em_status_exit(EM_ENVIRONMENT);
    }
    return status;
}
