#!/bin/sh
# check_gpu - runs what needs a CUDA device, or says why it cannot.
#
#   check_gpu.sh BUILD built|absent
#
# SPDX-License-Identifier: Apache-2.0
set -u
if [ "$2" = absent ]; then
    echo "check-gpu: built without nvcc, nothing to run on a device"
elif ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
    echo "check-gpu: CUDA code is built, no device is there"
else
    echo "check-gpu: a device is there; no engine runs on it yet"
fi
