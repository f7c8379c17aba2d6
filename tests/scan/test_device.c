/* test_device - the probe answers the same both ways, with a device and without.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scan/base/device.h"

static void a_missing_device_is_said_to_be_missing(void **state)
{
    (void)state;
    em_error error = {0};
    const em_status status = em_cuda_require(&error);
    if (em_cuda_devices() > 0) {
        assert_int_equal(status, EM_OK);
        return;
    }
    assert_int_equal(status, EM_NO_DEVICE);
    assert_int_equal(error.status, EM_NO_DEVICE);
    assert_int_equal(em_cuda_require(NULL), EM_NO_DEVICE);
    assert_int_equal(em_cuda_devices(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_missing_device_is_said_to_be_missing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
