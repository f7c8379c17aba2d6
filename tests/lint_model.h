/* lint_model - tells the static analyzer what em_fail answers; included by clang-tidy alone, before everything.
 *
 * em_fail is defined in one file and called everywhere. Without this the analyzer, which sees a file at a time,
 * believes that a failed allocation may go on as EM_OK.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_LINT_MODEL_H
#define EM_TESTS_LINT_MODEL_H

#include "scan/base/status.h"

#define em_fail(error, status, ...)              (em_fail((error), (status), __VA_ARGS__), (status))
#define em_fail_at(error, status, position, ...) (em_fail_at((error), (status), (position), __VA_ARGS__), (status))
#define em_fail_errno(error, path, doing, code)  (em_fail_errno((error), (path), (doing), (code)), EM_ENVIRONMENT)

#endif
