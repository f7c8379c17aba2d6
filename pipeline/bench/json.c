/* json - the figures for programs; edgemill(1) describes the members.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"
#include "pipeline/json_value.h"

json_t *bench_json_figure(bench_figure of, bool *failed)
{
    json_t *object = json_object();
    em_json_put(object, "median", json_real(of.median), failed);
    em_json_put(object, "low", json_real(of.low), failed);
    em_json_put(object, "high", json_real(of.high), failed);
    return object;
}

json_t *bench_json_machine(const bench *run, bool *failed)
{
    char name[128];
    json_t *object = json_object(), *processor = json_string(bench_processor(name, sizeof name));
    em_json_put(object, "processor", processor ? processor : json_string("unknown"), failed);
    em_json_put(object, "instructions", json_string(bench_isa_name(run)), failed);
    em_json_put(object, "threads", em_json_count(run->n_threads), failed);
    em_json_put(object, "cache_bytes", em_json_count(em_context_cache_bytes(run->all)), failed);
    em_json_put(object, "available_bytes", em_json_count(2 * run->may_take_bytes), failed);
    return object;
}

static json_t *contender_value(const bench_result *result, const bench_contender *of, bool *failed)
{
    static const char *const WHO[] = {[BENCH_COPY] = "copy", [BENCH_OURS] = "edgemill", [BENCH_PEER] = "peer"};
    const bench_figure ns = bench_figure_of(of->ns, result->n_pairs);
    const bench_contender *serial = bench_serial_of(result, of);
    const bench_contender *peer = of->who == BENCH_COPY ? NULL : bench_best_peer(result, of->call.kind, "");
    json_t *object = json_object(), *times = json_array();
    em_json_put(object, "name", json_string(of->name), failed);
    em_json_put(object, "who", json_string(WHO[of->who]), failed);
    if (of->who != BENCH_COPY)
        em_json_put(object, "kind", json_string(bench_kind_name(of->call.kind)), failed);
    em_json_put(object, "threads", em_json_count(of->n_threads), failed);
    em_json_put(object, "ns", bench_json_figure(ns, failed), failed);
    em_json_put(object, "gb_per_s", json_real(bench_gbps(result, ns.median)), failed);
    em_json_put(object, "to_best_copy", bench_json_figure(bench_relation(result, of, NULL), failed), failed);
    if (serial)
        em_json_put(object, "to_serial", bench_json_figure(bench_relation(result, of, serial), failed), failed);
    if (peer)
        em_json_put(object, "to_best_peer", bench_json_figure(bench_relation(result, of, peer), failed), failed);
    em_json_put(object, "repeats", em_json_count(of->repeats), failed);
    for (uint32_t i = 0; i < result->n_pairs; i++)
        em_json_append(times, json_real(of->ns[i]), failed);
    em_json_put(object, "rounds_ns", times, failed);
    return object;
}

static json_t *result_value(const bench_result *result, bool *failed)
{
    json_t *object = json_object(), *contenders = json_array(), *peers = json_object();
    em_json_put(object, "type", json_string(result->of->name), failed);
    em_json_put(object, "n", em_json_count(result->n), failed);
    em_json_put(object, "bytes_in", em_json_count(result->bytes_in), failed);
    em_json_put(object, "bytes_out", em_json_count(result->bytes_out), failed);
    em_json_put(object, "best_copy_ns", bench_json_figure(bench_figure_of(result->copy_ns, result->n_pairs), failed),
                failed);
    for (int kind = 0; kind <= (int)EM_EXCLUSIVE_TOTAL; kind++) {
        const bench_contender *peer = bench_best_peer(result, (em_scan_kind)kind, "");
        if (peer)
            em_json_put(peers, bench_kind_name((em_scan_kind)kind), json_string(peer->name), failed);
    }
    em_json_put(object, "best_peers", peers, failed);
    for (uint32_t i = 0; i < result->n_contenders; i++)
        em_json_append(contenders, contender_value(result, &result->contenders[i], failed), failed);
    em_json_put(object, "contenders", contenders, failed);
    return object;
}

static json_t *left_out_value(const bench_left_out *of, bool *failed)
{
    json_t *object = json_object();
    em_json_put(object, "type", json_string(of->of->name), failed);
    em_json_put(object, "n", em_json_count(of->n), failed);
    em_json_put(object, "bytes", em_json_count(of->n_bytes), failed);
    return object;
}

static json_t *stall_value(const bench_stall *of, bool *failed)
{
    json_t *object = json_object();
    em_json_put(object, "name", json_string(of->name), failed);
    em_json_put(object, "n", em_json_count(of->n), failed);
    em_json_put(object, "threads", em_json_count(of->n_threads), failed);
    em_json_put(object, "scans", em_json_count(of->n_scans), failed);
    em_json_put(object, "median_ns", json_real(of->median), failed);
    em_json_put(object, "p99_ns", json_real(of->most_of_99), failed);
    em_json_put(object, "longest_ns", json_real(of->longest), failed);
    return object;
}

static json_t *tiles_value(const bench_tiles *tiles, bool *failed)
{
    json_t *object = json_object(), *tilings = json_array();
    em_json_put(object, "type", json_string(tiles->of->name), failed);
    em_json_put(object, "n", em_json_count(tiles->n), failed);
    for (uint32_t i = 0; i < tiles->n_tilings; i++) {
        json_t *tiling = json_object();
        em_json_put(tiling, "tile_bytes", em_json_count(tiles->tile_bytes[i]), failed);
        em_json_put(tiling, "tiles_per_core", json_real(tiles->tiles_per_core[i]), failed);
        em_json_put(tiling, "ns", bench_json_figure(tiles->ns[i], failed), failed);
        em_json_put(tiling, "gb_per_s", json_real(tiles->gbps[i]), failed);
        em_json_put(tiling, "to_best_copy", bench_json_figure(tiles->to_copy[i], failed), failed);
        em_json_append(tilings, tiling, failed);
    }
    em_json_put(object, "tilings", tilings, failed);
    return object;
}

static json_t *items_value(const bench_tuning *tuning, bool *failed)
{
    json_t *items = json_array();
    for (uint32_t i = 0; i < tuning->n_items; i++) {
        const bench_item_cost *of = &tuning->items[i];
        json_t *item = json_object();
        em_json_put(item, "operator", json_string(of->operation), failed);
        em_json_put(item, "type", json_string(of->type), failed);
        em_json_put(item, "monoid", json_string(of->monoid->name), failed);
        em_json_put(item, "present_ps", em_json_count(of->monoid->item_ps ? of->monoid->item_ps : 1000), failed);
        em_json_put(item, "ps", bench_json_figure(of->ps, failed), failed);
        em_json_append(items, item, failed);
    }
    return items;
}

static json_t *tuning_value(const bench_tuning *tuning, bool *failed)
{
    json_t *object = json_object(), *teams = json_array(), *streams = json_array(), *tiles = json_array();
    em_json_put(object, "items", items_value(tuning, failed), failed);
    for (uint32_t i = 0; i < tuning->n_crossings; i++) {
        json_t *team = json_object();
        em_json_put(team, "monoid", json_string(tuning->crossings[i].monoid->name), failed);
        em_json_put(team, "n", em_json_count(tuning->crossings[i].n), failed);
        em_json_put(team, "serial_ns", bench_json_figure(tuning->crossings[i].serial_ns, failed), failed);
        em_json_put(team, "to_serial", bench_json_figure(tuning->crossings[i].to_serial, failed), failed);
        em_json_append(teams, team, failed);
    }
    em_json_put(object, "teams", teams, failed);
    for (uint32_t i = 0; i < tuning->n_streamings; i++) {
        const bench_streaming *of = &tuning->streamings[i];
        json_t *stream = json_object();
        em_json_put(stream, "monoid", json_string(of->monoid->name), failed);
        em_json_put(stream, "out_bytes", em_json_count(of->out_bytes), failed);
        em_json_put(stream, "streamed_ps", bench_json_figure(of->streamed_ps, failed), failed);
        em_json_put(stream, "plain_ps", bench_json_figure(of->plain_ps, failed), failed);
        em_json_put(stream, "to_plain", bench_json_figure(of->to_plain, failed), failed);
        em_json_append(streams, stream, failed);
    }
    em_json_put(object, "streaming", streams, failed);
    for (uint32_t i = 0; i < tuning->n_tiles; i++)
        em_json_append(tiles, tiles_value(&tuning->tiles[i], failed), failed);
    em_json_put(object, "tiles", tiles, failed);
    return object;
}

static json_t *run_value(const bench *run, bool *failed)
{
    json_t *root = json_object(), *results = json_array(), *left_out = json_array(), *stalls = json_array();
    em_json_put(root, "format", json_string("edgemill-bench-scan"), failed);
    em_json_put(root, "version", json_integer(1), failed);
    em_json_put(root, "machine", bench_json_machine(run, failed), failed);
    em_json_put(root, "pairs", em_json_count(run->n_pairs), failed);
    em_json_put(root, "peers", json_boolean(run->n_peers > 0), failed);
    for (uint32_t i = 0; i < run->n_results; i++)
        em_json_append(results, result_value(run->results[i], failed), failed);
    em_json_put(root, "results", results, failed);
    for (uint32_t i = 0; i < run->n_left_out; i++)
        em_json_append(left_out, left_out_value(&run->left_out[i], failed), failed);
    em_json_put(root, "left_out", left_out, failed);
    for (uint32_t i = 0; i < run->n_stalls; i++)
        em_json_append(stalls, stall_value(&run->stalls[i], failed), failed);
    em_json_put(root, "stalls", stalls, failed);
    if (run->tiles)
        em_json_put(root, "tiles", tiles_value(run->tiles, failed), failed);
    if (run->tuning)
        em_json_put(root, "tuning", tuning_value(run->tuning, failed), failed);
    return root;
}

em_status bench_json(const bench *run, em_output *output, em_error *error)
{
    bool failed = false;
    json_t *root = run_value(run, &failed);
    return em_json_write(root, failed, 1, output, error);
}
