/* plan - what a pipeline would do and need.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/job.h"

int em_cli_plan(int argc, char **argv)
{
    em_error error = {0};
    (void)argc;
    em_fail(&error, EM_USAGE, "command 'plan' is not built yet");
    return em_cli_fail(&error, argv[0]);
}
