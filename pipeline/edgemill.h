/* edgemill - everything public, in one include.
 *
 * Start at pipeline.h (stages chained and run), stages.h (a stage of your own), io.h (reading into a sink, opening and
 * checking CSR files), scan.h (prefix sums), sort.h (radix sorts), uses.h (what scans are for), monoid.h (operators of
 * your own). Every call takes an em_context; there is no other state.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EDGEMILL_H
#define EDGEMILL_H

#include "io/io.h"
#include "io/publish.h"
#include "pipeline/pipeline.h"
#include "pipeline/plan.h"
#include "scan/base/buffer.h"
#include "scan/base/context.h"
#include "scan/base/graph.h"
#include "scan/base/parallel.h"
#include "scan/base/status.h"
#include "scan/monoid.h"
#include "scan/scan.h"
#include "scan/select.h"
#include "scan/sort.h"
#include "scan/uses.h"
#include "stages/stages.h"

#endif
