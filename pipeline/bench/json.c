/* json - the figures for programs; edgemill(1) describes the members.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"

#include <jansson.h>

/* Sets a member and notes failure (out of memory, or a text that is not UTF-8); `value` is always taken over. */
static void put(json_t *object, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new(object, key, value) != 0)
        *failed = true;
}

static void append(json_t *array, json_t *value, bool *failed)
{
    if (json_array_append_new(array, value) != 0)
        *failed = true;
}

static json_t *count_value(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *figure_value(bench_figure of, bool *failed)
{
    json_t *object = json_object();
    put(object, "median", json_real(of.median), failed);
    put(object, "low", json_real(of.low), failed);
    put(object, "high", json_real(of.high), failed);
    return object;
}

static json_t *machine_value(const bench *run, bool *failed)
{
    char name[128];
    json_t *object = json_object(), *processor = json_string(bench_processor(name, sizeof name));
    put(object, "processor", processor ? processor : json_string("unknown"), failed);
    put(object, "instructions", json_string(bench_isa_name(run)), failed);
    put(object, "threads", count_value(run->n_threads), failed);
    put(object, "cache_bytes", count_value(em_context_cache_bytes(run->all)), failed);
    put(object, "available_bytes", count_value(2 * run->may_take_bytes), failed);
    return object;
}

static json_t *contender_value(const bench_result *result, const bench_contender *of, bool *failed)
{
    static const char *const WHO[] = {[BENCH_COPY] = "copy", [BENCH_OURS] = "edgemill", [BENCH_PEER] = "peer"};
    const bench_figure ns = bench_figure_of(of->ns, result->n_pairs);
    const bench_contender *serial = bench_serial_of(result, of);
    const bench_contender *peer = of->who == BENCH_COPY ? NULL : bench_best_peer(result, of->call.kind, "");
    json_t *object = json_object(), *times = json_array();
    put(object, "name", json_string(of->name), failed);
    put(object, "who", json_string(WHO[of->who]), failed);
    if (of->who != BENCH_COPY)
        put(object, "kind", json_string(bench_kind_name(of->call.kind)), failed);
    put(object, "threads", count_value(of->n_threads), failed);
    put(object, "ns", figure_value(ns, failed), failed);
    put(object, "gb_per_s", json_real(bench_gbps(result, ns.median)), failed);
    put(object, "to_best_copy", figure_value(bench_relation(result, of, NULL), failed), failed);
    if (serial)
        put(object, "to_serial", figure_value(bench_relation(result, of, serial), failed), failed);
    if (peer)
        put(object, "to_best_peer", figure_value(bench_relation(result, of, peer), failed), failed);
    put(object, "repeats", count_value(of->repeats), failed);
    for (uint32_t i = 0; i < result->n_pairs; i++)
        append(times, json_real(of->ns[i]), failed);
    put(object, "rounds_ns", times, failed);
    return object;
}

static json_t *result_value(const bench_result *result, bool *failed)
{
    json_t *object = json_object(), *contenders = json_array(), *peers = json_object();
    put(object, "type", json_string(result->of->name), failed);
    put(object, "n", count_value(result->n), failed);
    put(object, "bytes_in", count_value(result->bytes_in), failed);
    put(object, "bytes_out", count_value(result->bytes_out), failed);
    put(object, "best_copy_ns", figure_value(bench_figure_of(result->copy_ns, result->n_pairs), failed), failed);
    for (int kind = 0; kind <= (int)EM_EXCLUSIVE_TOTAL; kind++) {
        const bench_contender *peer = bench_best_peer(result, (em_scan_kind)kind, "");
        if (peer)
            put(peers, bench_kind_name((em_scan_kind)kind), json_string(peer->name), failed);
    }
    put(object, "best_peers", peers, failed);
    for (uint32_t i = 0; i < result->n_contenders; i++)
        append(contenders, contender_value(result, &result->contenders[i], failed), failed);
    put(object, "contenders", contenders, failed);
    return object;
}

static json_t *left_out_value(const bench_left_out *of, bool *failed)
{
    json_t *object = json_object();
    put(object, "type", json_string(of->of->name), failed);
    put(object, "n", count_value(of->n), failed);
    put(object, "bytes", count_value(of->n_bytes), failed);
    return object;
}

static json_t *stall_value(const bench_stall *of, bool *failed)
{
    json_t *object = json_object();
    put(object, "name", json_string(of->name), failed);
    put(object, "n", count_value(of->n), failed);
    put(object, "threads", count_value(of->n_threads), failed);
    put(object, "scans", count_value(of->n_scans), failed);
    put(object, "median_ns", json_real(of->median), failed);
    put(object, "p99_ns", json_real(of->most_of_99), failed);
    put(object, "longest_ns", json_real(of->longest), failed);
    return object;
}

static json_t *tiles_value(const bench_tiles *tiles, bool *failed)
{
    json_t *object = json_object(), *tilings = json_array();
    put(object, "type", json_string(tiles->of->name), failed);
    put(object, "n", count_value(tiles->n), failed);
    for (uint32_t i = 0; i < tiles->n_tilings; i++) {
        json_t *tiling = json_object();
        put(tiling, "tile_bytes", count_value(tiles->tile_bytes[i]), failed);
        put(tiling, "tiles_per_core", json_real(tiles->tiles_per_core[i]), failed);
        put(tiling, "ns", figure_value(tiles->ns[i], failed), failed);
        put(tiling, "gb_per_s", json_real(tiles->gbps[i]), failed);
        put(tiling, "to_best_copy", figure_value(tiles->to_copy[i], failed), failed);
        append(tilings, tiling, failed);
    }
    put(object, "tilings", tilings, failed);
    return object;
}

static json_t *items_value(const bench_tuning *tuning, bool *failed)
{
    json_t *items = json_array();
    for (uint32_t i = 0; i < tuning->n_items; i++) {
        const bench_item_cost *of = &tuning->items[i];
        json_t *item = json_object();
        put(item, "operator", json_string(of->operation), failed);
        put(item, "type", json_string(of->type), failed);
        put(item, "monoid", json_string(of->monoid->name), failed);
        put(item, "present_ps", count_value(of->monoid->item_ps ? of->monoid->item_ps : 1000), failed);
        put(item, "ps", figure_value(of->ps, failed), failed);
        append(items, item, failed);
    }
    return items;
}

static json_t *tuning_value(const bench_tuning *tuning, bool *failed)
{
    json_t *object = json_object(), *teams = json_array(), *streams = json_array(), *tiles = json_array();
    put(object, "items", items_value(tuning, failed), failed);
    for (uint32_t i = 0; i < tuning->n_crossings; i++) {
        json_t *team = json_object();
        put(team, "monoid", json_string(tuning->crossings[i].monoid->name), failed);
        put(team, "n", count_value(tuning->crossings[i].n), failed);
        put(team, "serial_ns", figure_value(tuning->crossings[i].serial_ns, failed), failed);
        put(team, "to_serial", figure_value(tuning->crossings[i].to_serial, failed), failed);
        append(teams, team, failed);
    }
    put(object, "teams", teams, failed);
    for (uint32_t i = 0; i < tuning->n_streamings; i++) {
        const bench_streaming *of = &tuning->streamings[i];
        json_t *stream = json_object();
        put(stream, "monoid", json_string(of->monoid->name), failed);
        put(stream, "out_bytes", count_value(of->out_bytes), failed);
        put(stream, "streamed_ps", figure_value(of->streamed_ps, failed), failed);
        put(stream, "plain_ps", figure_value(of->plain_ps, failed), failed);
        put(stream, "to_plain", figure_value(of->to_plain, failed), failed);
        append(streams, stream, failed);
    }
    put(object, "streaming", streams, failed);
    for (uint32_t i = 0; i < tuning->n_tiles; i++)
        append(tiles, tiles_value(&tuning->tiles[i], failed), failed);
    put(object, "tiles", tiles, failed);
    return object;
}

static json_t *run_value(const bench *run, bool *failed)
{
    json_t *root = json_object(), *results = json_array(), *left_out = json_array(), *stalls = json_array();
    put(root, "format", json_string("edgemill-bench-scan"), failed);
    put(root, "version", json_integer(1), failed);
    put(root, "machine", machine_value(run, failed), failed);
    put(root, "pairs", count_value(run->n_pairs), failed);
    put(root, "peers", json_boolean(run->n_peers > 0), failed);
    for (uint32_t i = 0; i < run->n_results; i++)
        append(results, result_value(run->results[i], failed), failed);
    put(root, "results", results, failed);
    for (uint32_t i = 0; i < run->n_left_out; i++)
        append(left_out, left_out_value(&run->left_out[i], failed), failed);
    put(root, "left_out", left_out, failed);
    for (uint32_t i = 0; i < run->n_stalls; i++)
        append(stalls, stall_value(&run->stalls[i], failed), failed);
    put(root, "stalls", stalls, failed);
    if (run->tiles)
        put(root, "tiles", tiles_value(run->tiles, failed), failed);
    if (run->tuning)
        put(root, "tuning", tuning_value(run->tuning, failed), failed);
    return root;
}

typedef struct writer {
    em_output *output;
    em_error *error;
    em_status status;
} writer;

static int write_some(const char *bytes, size_t n_bytes, void *state)
{
    writer *to = state;
    to->status = em_output_write(to->output, bytes, n_bytes, to->error);
    return to->status == EM_OK ? 0 : -1;
}

em_status bench_json(const bench *run, em_output *output, em_error *error)
{
    writer to = {output, error, EM_OK};
    bool failed = false;
    json_t *root = run_value(run, &failed);
    em_status status = EM_OK;
    if (failed || !root)
        status = em_fail(error, EM_NO_MEMORY, "%s: out of memory for JSON", em_output_path(output));
    else if (json_dump_callback(root, write_some, &to, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) != 0)
        status = to.status != EM_OK
                     ? to.status
                     : em_fail(error, EM_NO_MEMORY, "%s: out of memory for JSON", em_output_path(output));
    if (status == EM_OK)
        status = em_output_write(output, "\n", 1, error);
    json_decref(root);
    return status;
}
