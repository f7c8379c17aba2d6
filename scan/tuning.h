/* tuning - the numbers that decide between engines, each beside the measurement it came from.
 *
 * Measured on 2 cores of a Sapphire Rapids Xeon (2 MiB L2 a core, large shared L3), 2 threads, gcc 12, unless said.
 * Ratios are to the best copy of the same bytes (edgemill bench scan).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_TUNING_H
#define EM_SCAN_TUNING_H

#include <stdint.h>

/* Input bytes of a tile: a share of the second-level cache, in which the tile being written and the one being read lie
 * side by side, and small enough for every thread to take some. 100 M numbers, by tile: u32 64 KiB 1.11, 128 KiB 1.03,
 * 256 KiB 0.96, 512 KiB 1.00, 1 MiB 1.32; f64 1.69, 1.08, 1.02, 1.02, 1.20. */
#define SCAN_TILES_OF_CACHE   4
#define SCAN_TILES_OF_THREAD  8
#define SCAN_TILE_BYTES_LEAST (UINT64_C(32) << 10)
#define SCAN_TILE_BYTES_MOST  (UINT64_C(256) << 10)

/* Picoseconds of work for one thread (em_monoid.item_ps) from which a team is woken. A team that still spins from the
 * scan before pays from 6 us (49,152 u32) or 42 us (131,072 f64, whole leaves); at 200 us it takes 0.57 of the time.
 * One that has slept for 30 ms comes 150 us late: 750,000 u32 take 298 us alone and 410 with it, 1.1 M 478 and 485, 1.7
 * M 768 and 680. */
#define SCAN_THREADS_FROM_PS UINT64_C(400000000)

/* Result bytes from which stores pass the caches by. One thread, time streamed to plain: u32 of 1 MiB 1.36, 2 MiB 0.69,
 * 4 MiB 0.91, 8 MiB 0.75, 64 MiB 0.66; f64 1.19, 0.78, 0.81, 0.79, 0.63. The gain begins at 2 MiB, but results of that
 * size are found in the cache by who reads them next. */
#define SCAN_STREAM_FROM_BYTES (UINT64_C(8) << 20)

/* How far ahead of its loads a kernel asks for each lane, into the first-level cache: that of the tile it reads from
 * memory and that of the tile it writes, which lies in the second. 2x2 matrices: nothing asked for 1.30, 256
 * bytes 1.25, 512 1.26, 1 KiB 1.31, 2 KiB 1.28, 1 KiB into the second level 1.49;
 * f32: 1.18, 1.07, 1.03, 1.06, 1.07, 1.06. */
#define SCAN_AHEAD_BYTES 640

/* Polls of a tile's status before its waiter yields the processor. A poll pauses for 40 to 140 cycles, so these are
 * about as long as a tile takes (5 to 10 us); who waits longer is waiting for a thread that does not run. */
#define SCAN_SPINS 256u

/* --- sort ------------------------------------------------------------------------------------------------------ */

/* Most bytes of a bucket, a share of the second-level cache in which it lies up to three times, and most records of it,
 * beyond which its pieces (sort_avx512.inc) are many. 10 M, one thread, ns a record by 128, 256, 512 KiB and 1 MiB: u64
 * 8.5, 8.0, 7.8, 8.1; u32 5.7, 5.2, 5.4, 5.6; pairs of u32 10.6, 9.7, 9.2, 9.4. R-MAT arcs in narrow scratch, two
 * threads, by 256 and 512 KiB: 53.5 and 44.5 ms, since fewer of a skewed graph's parts are partitioned again. */
#define SORT_BUCKETS_OF_CACHE 4
#define SORT_BUCKET_RECORDS   131072

/* Bytes of records from which a team is woken: half a millisecond of one thread (see SCAN_THREADS_FROM_PS). */
#define SORT_THREADS_FROM_BYTES (UINT64_C(512) << 10)

/* Keys of a histogram from which a team is woken: the same. */
#define HISTOGRAM_THREADS_FROM 500000

/* How far ahead of what it reads a pass asks for lines: counts of 8 bits of 100 M u32 take 0.73 ns a key without and
 * 0.45 with it. */
#define SORT_AHEAD_BYTES 2048

/* Buckets and shares that a thread has at least. */
#define SORT_BUCKETS_OF_THREAD 8
#define SORT_SHARES_OF_THREAD  2

/* The largest part that one thread partitions by itself is such that each thread could have as many. */
#define SORT_PARTS_OF_THREAD 4

/* Bytes of records from which stores pass the caches by. Partitions of u64, 256 values, ns a record streamed and plain:
 * 2.4 MB 2.2 and 2.3, 8 MB 2.2 and 2.3, 80 MB 2.2 and 2.8; but what was not streamed is found in a cache by who sorts
 * it: 1 M u64, two threads, 3.7 ms streamed and 3.45 plain. */
#define SORT_STREAM_FROM_BYTES (UINT64_C(16) << 20)

#endif
